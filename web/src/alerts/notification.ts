import { plainText } from '../format/sentence.js';
import type { Router } from '../router.js';
import { store, stored } from '../storage.js';
import { agentHref } from '../ui/agent/agent-link.js';
import { type News, textOfNews } from './watchlist.js';

/** Says that this browser has shown no notification, although the user permits it: those of phones need a service worker. */
const NONE = 'no-notifications';

/** Whether this browser shows notifications of this service: `default` means that the user was not asked. */
export const permission = (): NotificationPermission | 'missing' =>
  'Notification' in window && window.isSecureContext && !stored(NONE) ? Notification.permission : 'missing';

/** Name of the lock that tabs share while their user looks at one of them. */
const FOCUS = 'curvet-focus';

/** Tells the tab that watches whether the user looks at this one. */
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

async function isLookedAt(): Promise<boolean> {
  if (document.hasFocus()) return true;
  const locks = 'locks' in navigator ? await navigator.locks.query().catch(() => undefined) : undefined;
  return locks?.held?.some(({ name }) => name === FOCUS) ?? false;
}

/**
 * Shows a notification of the browser if the user permits it and looks at no tab of the service: the tabs show the news, too. A
 * click leads to the agent.
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
