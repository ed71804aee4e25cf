import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type App, AppContext, useApp } from '../app-context.js';
import { plainText } from '../format/sentence.js';
import { agentHref } from '../ui/agent/agent-link.js';
import { Words } from '../ui/figure/words.js';
import { alertTexts } from './texts.js';
import { textOfNews } from './watchlist.js';
import './toasts.css';

const words = alertTexts;

/** Adds an element to the corner of every page that shows the alerts which are reached from now on. */
export function showToasts(app: App): void {
  const root = document.createElement('div');
  document.body.append(root);
  render(
    <AppContext.Provider value={app}>
      <Toast />
    </AppContext.Provider>,
    root,
  );
}

/** The newest alert that was reached, and the number of others, until the user dismisses them. */
function Toast() {
  const { watchlist, announce } = useApp();
  const { news } = watchlist.lists.value;
  // `gone` has the news that are no longer shown, and `told` those that screen readers have spoken. Both start with the old news.
  const [gone, setGone] = useState<ReadonlySet<string>>(() => new Set(news.map(({ id }) => id)));
  const told = useRef(gone);
  const shown = news.filter(({ id }) => !gone.has(id));
  useEffect(() => {
    const fresh = news.filter(({ id }) => !told.current.has(id));
    told.current = new Set(news.map(({ id }) => id));
    if (fresh.length > 0) announce(fresh.map((one) => `${one.name}: ${plainText(textOfNews(one))}`).join(' '));
  }, [news]);
  const [newest, ...others] = shown;
  if (!newest) return null;
  const dismiss = () => setGone(new Set(news.map(({ id }) => id)));
  return (
    <section class="toast" aria-label={words.toast}>
      <div>
        <p>
          <a href={agentHref(newest.agentId)} onClick={dismiss}>
            <bdi>{newest.name}</bdi>
          </a>
        </p>
        <p class="small">
          <bdi>
            <Words of={textOfNews(newest)} />
          </bdi>
        </p>
        {others.length > 0 && (
          <p class="small">
            <a href="/?list=watched" onClick={dismiss}>
              {words.others(others.length)}
            </a>
          </p>
        )}
      </div>
      <button
        type="button"
        class="button quiet"
        onClick={() => {
          dismiss();
          // This button disappears, so the focus moves to the content of the page instead of getting lost.
          document.getElementById('main')?.focus({ preventScroll: true });
        }}
      >
        {words.dismiss}
      </button>
    </section>
  );
}
