import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type App, AppContext, useApp } from '../app-context.js';
import { plainText } from '../format/sentence.js';
import { texts } from '../texts.js';
import { agentHref } from '../ui/agent/agent-link.js';
import { Words } from '../ui/figure/words.js';
import { textOfNews } from './watchlist.js';
import './toasts.css';

const words = texts.alerts;
/** Number of toasts that stand on the page at a time. Further ones follow when the user has dismissed one. */
const MOST = 3;

/** Shows in the corner of every page what the alerts tell from now on. */
export function showToasts(app: App): void {
  const root = document.createElement('div');
  document.body.append(root);
  render(
    <AppContext.Provider value={app}>
      <Toasts />
    </AppContext.Provider>,
    root,
  );
}

function Toasts() {
  const { watchlist, announce } = useApp();
  const { news } = watchlist.lists.value;
  const [gone, setGone] = useState<ReadonlySet<string>>(() => new Set(news.map(({ id }) => id)));
  const shown = news.filter(({ id }) => !gone.has(id)).slice(-MOST);
  const newest = shown[0];
  useEffect(() => {
    if (newest) announce(`${newest.name}: ${plainText(textOfNews(newest))}`);
  }, [newest?.id]);
  if (shown.length === 0) return null;
  return (
    <section class="toasts" aria-label={words.all}>
      {shown.map((one) => {
        const { id, agentId, name } = one;
        const dismiss = () => setGone((before) => new Set([...before, id]));
        return (
          <div key={id} class="toast">
            <p>
              <a href={agentHref(agentId)} onClick={dismiss}>
                <bdi>{name}</bdi>
              </a>
              <bdi class="small">
                <Words of={textOfNews(one)} />
              </bdi>
            </p>
            <button type="button" class="button quiet" onClick={dismiss}>
              {words.dismiss}
            </button>
          </div>
        );
      })}
    </section>
  );
}
