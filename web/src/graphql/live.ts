import { type Document, textOf } from './document.js';
import { eventStream } from './event-stream.js';
import { noAnswer, type Problem, pauseMs, problemOf, RequestError } from './problem.js';

/** Time without a message after which a stream counts as broken and is closed. The service sends a comment every 15 seconds. */
const SILENCE_MS = 40_000;
/** Time after which a hidden page closes its stream, because all tabs of a browser share six connections to a service. */
const HIDDEN_MS = 30_000;

/** State of a stream. `paused`: the page is hidden, so the stream is closed. `limited`: the service refused it for a rate limit. */
export type LiveState = 'connecting' | 'open' | 'reconnecting' | 'offline' | 'limited' | 'paused';

export type Watcher<Result> = {
  next(data: Result): void;
  /** Called with each new state of the connection. `retryAt` is the time of the next attempt, if there is one. */
  state(state: LiveState, retryAt?: number): void;
  /** Called if the service no longer stores the events after the last received one. The page must then read its lists again. */
  gap(): void;
};

type SubscribeOptions = {
  /** API key of the agent whose events are private. */
  readonly key?: string | undefined;
  /** Whether the stream stays open while the page is hidden. @default false */
  readonly isBackground?: boolean;
  /** Whether a stream that broke continues with new events, without those that it has missed. @default false */
  readonly skipsMissed?: boolean;
  /** Called with the position of the stream at its start and after each event. A later subscription can continue after it. */
  readonly onPosition?: (sequence: string) => void;
};
type Subscription = SubscribeOptions & { readonly body: string; readonly signal: AbortSignal };

/**
 * Subscribes to live events until `signal` aborts. After a break it reconnects and continues after the last event, so that
 * no event is lost or repeated. Throws RequestError if the key is refused: its agent was deleted, or the key was replaced.
 */
export async function subscribe<Result, Variables>(
  document: Document<Result, Variables>,
  variables: Variables,
  watcher: Watcher<Result>,
  options: SubscribeOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const { signal, isBackground = false, skipsMissed = false, onPosition } = options;
  const body = JSON.stringify({ query: textOf(document), variables });
  let position: string | undefined;
  let failures = 0;
  const received = (id: string | undefined, data: string | undefined): void => {
    failures = 0;
    if (!skipsMissed) position = id ?? position;
    watcher.state('open');
    if (data) watcher.next(resultIn<Result>(data));
    if (id !== undefined) onPosition?.(id);
  };
  watcher.state('connecting');
  while (!signal.aborted) {
    const problem = await connect({ ...options, body }, position, received).catch(problemIn);
    if (signal.aborted) return;
    if (problem.code === 'INVALID_KEY') throw new RequestError(problem);
    if (problem.code === 'EVENTS_FORGOTTEN') {
      position = undefined;
      watcher.gap();
    }
    if (window.document.hidden && !isBackground) {
      watcher.state('paused');
      await happens(window.document, 'visibilitychange', signal);
      continue;
    }
    // The pause doubles with each failure in a row, up to 15 seconds. It is longer if the problem asks for a later attempt.
    const retryAt = Math.max(problem.retryAt ?? 0, Date.now() + pauseMs(failures++) / 2);
    watcher.state(problem.kind === 'offline' || problem.kind === 'limited' ? problem.kind : 'reconnecting', retryAt);
    await Promise.race([happens(window, 'online', signal), elapsed(retryAt - Date.now(), signal)]);
  }
}

/** Opens one connection and reads it until it ends. Returns why it ended; throws if it breaks, or if the service refuses it. */
async function connect(
  { body, key, isBackground, signal }: Subscription,
  position: string | undefined,
  received: (id: string | undefined, data: string | undefined) => void,
): Promise<Problem> {
  const stream = new AbortController();
  const close = () => stream.abort();
  // Aborting `stream` closes the connection, and also removes the three listeners below.
  const until = { signal: stream.signal };
  signal.addEventListener('abort', close, until);
  window.addEventListener('offline', close, until);
  const hidden = restartable(close, HIDDEN_MS);
  const look = () => (window.document.hidden && !isBackground ? hidden.start() : hidden.stop());
  window.document.addEventListener('visibilitychange', look, until);
  const silence = restartable(close, SILENCE_MS);
  silence.start();
  try {
    const headers = {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(position === undefined ? {} : { 'last-event-id': position }),
      ...(key === undefined ? {} : { 'x-api-key': key }),
    };
    const response = await fetch('/graphql', { method: 'POST', headers, body, signal: stream.signal });
    if (!response.ok || response.body === null) throw await refusal(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(eventStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return noAnswer(navigator.onLine, Date.now());
      silence.start();
      received(value.id, value.event === 'next' ? value.data : undefined);
    }
  } finally {
    silence.stop();
    hidden.stop();
    close();
  }
}

type Answer<Result> = { readonly data?: Result | null; readonly errors?: readonly object[] };

/** The data of an event. Throws RequestError if the event has only errors, with which the service ends a subscription. */
function resultIn<Result>(text: string): Result {
  const { data, errors = [] } = JSON.parse(text) as Answer<Result>;
  if (data) return data;
  throw new RequestError(problemOf(errors, null, Date.now()));
}

/** The error of a subscription that the service refused. */
async function refusal(response: Response): Promise<RequestError> {
  const { errors = [] } = (await response.json().catch(() => ({}))) as Answer<unknown>;
  return new RequestError(problemOf(errors, response.headers.get('retry-after'), Date.now()));
}

const problemIn = (error: unknown): Problem =>
  error instanceof RequestError ? error.problem : noAnswer(navigator.onLine, Date.now());

/** A timer that calls `act` when the given time has passed since the last `start`. */
function restartable(act: () => void, milliseconds: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  const start = () => {
    stop();
    timer = setTimeout(act, milliseconds);
  };
  return { start, stop };
}

/** Resolves when the target has the event, or when the signal aborts. */
const happens = (target: EventTarget, name: string, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    target.addEventListener(name, () => resolve(), { once: true, signal });
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Resolves after the time, or when the signal aborts. */
const elapsed = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
