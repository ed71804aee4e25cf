import { useEffect, useRef, useState } from 'preact/hooks';
import { Card } from '../../ui/card.js';
import { developerTexts } from './texts.js';

type Answer = { readonly status: string; readonly text: string };

type Props = {
  readonly path: string;
  readonly setPath: (path: string) => void;
  /**
   * A path that the box requests because another part of the page asks for it. A new object asks again, even with the same path.
   */
  readonly asked: { readonly path: string } | undefined;
};

/** Sends a GET request to this service and shows its answer as text. It sends no key and no cookie. */
export function RequestBox({ path, setPath, asked }: Props) {
  const words = developerTexts.request;
  const [answer, setAnswer] = useState<Answer | undefined>();
  const [isBusy, setBusy] = useState(false);
  const latest = useRef(0);
  const box = useRef<HTMLFormElement>(null);
  const send = async (path: string) => {
    const turn = ++latest.current;
    setBusy(true);
    const next = await answerTo(path);
    // A later request has replaced this request, so its answer is not shown.
    if (turn !== latest.current) return;
    setAnswer(next);
    setBusy(false);
  };
  useEffect(() => {
    if (!asked) return;
    void send(asked.path);
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [asked]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void send(path);
  };
  return (
    <Card title={words.title} class="request">
      <form ref={box} class="body" onSubmit={submit}>
        <label class="muted small" for="request-path">
          {words.label}
        </label>
        <div class="line">
          <code class="method get">GET</code>
          <input
            id="request-path"
            class="field mono"
            type="text"
            autoComplete="off"
            spellcheck={false}
            value={path}
            onInput={(event) => setPath(event.currentTarget.value)}
          />
          <button type="submit" class="button main">
            {words.send}
          </button>
        </div>
        <p class="small status-line" role="status">
          {isBusy ? words.busy : (answer?.status ?? words.hint)}
        </p>
        <pre class="code answer" tabIndex={0} role="region" aria-label={words.answer}>
          {answer?.text}
        </pre>
      </form>
    </Card>
  );
}

/** Maximum number of shown characters of an answer. The rest is cut off. */
const SHOWN_CHARACTERS = 100_000;

async function answerTo(path: string): Promise<Answer> {
  const words = developerTexts.request;
  const url = ownUrl(path);
  if (url === undefined) return { status: words.foreign, text: '' };
  const start = performance.now();
  try {
    const response = await fetch(url, { credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' });
    const text = await response.text();
    const time = Math.round(performance.now() - start);
    return { status: words.status(response.status, time), text: indented(text).slice(0, SHOWN_CHARACTERS) };
  } catch {
    return { status: words.failed, text: '' };
  }
}

/** The URL of a path of this service. undefined if the text is no path, or leads to another origin. */
function ownUrl(path: string): URL | undefined {
  if (!path.startsWith('/')) return undefined;
  const url = URL.parse(path, window.location.origin);
  return url?.origin === window.location.origin ? url : undefined;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
