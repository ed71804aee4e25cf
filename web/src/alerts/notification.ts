import { plainText } from '../format/sentence.js';
import type { Router } from '../router.js';
import { store, stored } from '../storage.js';
import { agentHref } from '../ui/agent/agent-link.js';
import { type News, textOfNews } from './watchlist.js';

/**
 * Storage key. It has a text if this browser failed to show a notification that the user permits: browsers on phones show
 * notifications only through a service worker, which the dashboard does not have.
 */
const NONE = 'no-notifications';

/**
 * Whether this browser shows notifications of this service. `default` means that the user was not asked yet, `missing` that the
 * browser cannot show them.
 */
export const permission = (): NotificationPermission | 'missing' =>
  'Notification' in window && window.isSecureContext && !stored(NONE) ? Notification.permission : 'missing';

/**
 * Name of the lock (Web Locks API) that a tab holds while it has the focus. Tabs hold it in the mode `shared`, so that none waits
 * for another.
 */
const FOCUS = 'curvet-focus';

/**
 * Tells the tab that watches for alerts whether the user looks at this tab: this tab holds the lock `FOCUS` while it has the
 * focus.
 */
export function tellFocus(): void {
  if (!('locks' in navigator)) return;
  let release = () => {};
  const look = () => {
    release();
    if (!document.hasFocus()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    release = resolve;
    navigator.locks.request(FOCUS, { mode: 'shared' }, () => promise).catch(() => {});
  };
  window.addEventListener('focus', look);
  window.addEventListener('blur', look);
  look();
}

/** Whether the user looks at a tab of this service: at this tab, or at a tab that holds the lock `FOCUS`. */
async function isLookedAt(): Promise<boolean> {
  if (document.hasFocus()) return true;
  const locks = 'locks' in navigator ? await navigator.locks.query().catch(() => undefined) : undefined;
  return locks?.held?.some(({ name }) => name === FOCUS) ?? false;
}

/**
 * Shows a notification of the browser if the user permits it and looks at no tab of the service. A tab that the user looks at
 * shows the news itself. A click on the notification opens the page of the agent.
 */
export async function notify(news: News, router: Router): Promise<void> {
  if (permission() !== 'granted' || (await isLookedAt())) return;
  try {
    const shown = new Notification(news.name, { body: plainText(textOfNews(news)), tag: news.id });
    shown.onclick = () => {
      window.focus();
      router.open(agentHref(news.agentId));
      shown.close();
    };
  } catch {
    store(NONE, 'true');
  }
}
