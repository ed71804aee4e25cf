import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Document } from './document.js';
import { type LiveState, subscribe, type Watcher } from './live.js';
import { MAX_PAUSE_MS, noAnswer, type Problem, RequestError } from './problem.js';
import { execute } from './request.js';

/** State of the connection, which the header shows: the worst state among the live streams and the last request. */
export type ConnectionState = {
  readonly state: 'idle' | 'live' | 'connecting' | 'reconnecting' | 'offline' | 'limited' | 'paused';
  /** Time of the next attempt, in milliseconds. undefined if none is planned. */
  readonly retryAt?: number | undefined;
};

/** A stored answer, and the time in milliseconds when it arrived. */
export type Stored = { readonly data: unknown; readonly at: number };

export type Connection = {
  readonly state: ReadonlySignal<ConnectionState>;
  /** Sends a query. The answer is stored, so that Back can show it immediately. */
  query<Result, Variables>(document: Document<Result, Variables>, variables: Variables, signal?: AbortSignal): Promise<Result>;
  /**
   * Reports the result of a request that was not sent with `query`: the problem if it got no answer, undefined if it got an
   * answer.
   */
  report(problem: Problem | undefined): void;
  /** The stored answer to a query. undefined if none is stored. */
  stored<Result, Variables>(document: Document<Result, Variables>, variables: Variables): Stored | undefined;
  /** Subscribes to live events. Returns a function that ends the subscription. */
  watch<Result, Variables>(
    document: Document<Result, Variables>,
    variables: Variables,
    watcher: Partial<Watcher<Result>>,
  ): () => void;
};

/** Maximum number of stored answers. The oldest is dropped. */
const STORED = 40;

type Stream = { readonly state: LiveState; readonly retryAt: number | undefined };

/**
 * Opens the connection of the page to the service. `received` gets the data of every answer. An error of the kind `missing` or
 * `refused` is an answer, too, so it shows that the connection works.
 */
export function openConnection(received: (data: unknown) => void): Connection {
  const streams = signal<ReadonlyMap<symbol, Stream>>(new Map());
  const trouble = signal<Problem | undefined>(undefined);
  const isOffline = followNetwork();
  const answers = firstAnswers();
  for (const { data } of answers.values()) received(data);
  const setStream = (id: symbol, stream: Stream | undefined) => {
    const next = new Map(streams.value);
    if (stream) next.set(id, stream);
    else next.delete(id);
    streams.value = next;
  };
  let expiry: ReturnType<typeof setTimeout> | undefined;
  const setTrouble = (problem: Problem | undefined) => {
    clearTimeout(expiry);
    trouble.value = problem;
    if (problem) expiry = setTimeout(() => setTrouble(undefined), endOf(problem) - Date.now());
  };
  return {
    state: computed(() => summary([...streams.value.values()], trouble.value, isOffline.value)),
    report: setTrouble,
    stored: (document, variables) => answers.get(keyOf(nameOf(document), variables)),
    async query(document, variables, abort) {
      try {
        const data = await execute(document, variables, abort ? { signal: abort } : {});
        const key = keyOf(nameOf(document), variables);
        answers.delete(key);
        answers.set(key, { data, at: Date.now() });
        if (answers.size > STORED) answers.delete(answers.keys().next().value ?? '');
        setTrouble(undefined);
        received(data);
        return data;
      } catch (error) {
        if (abort?.aborted) throw error;
        const problem = error instanceof RequestError ? error.problem : noAnswer(true, Date.now());
        setTrouble(problem.kind === 'missing' || problem.kind === 'refused' ? undefined : problem);
        throw error;
      }
    },
    watch(document, variables, watcher) {
      const id = Symbol('stream');
      const end = new AbortController();
      const all = {
        next: (data: never) => watcher.next?.(data),
        gap: () => watcher.gap?.(),
        state: (state: LiveState, retryAt?: number) => {
          if (end.signal.aborted) return;
          const before = streams.peek().get(id);
          if (before?.state !== state || before.retryAt !== retryAt) setStream(id, { state, retryAt });
          watcher.state?.(state, retryAt);
        },
      };
      void subscribe(document, variables, all as unknown as Watcher<never>, { signal: end.signal });
      return () => {
        end.abort();
        setStream(id, undefined);
      };
    },
  };
}

/** The name of the operation in a document. Names are unique, so a name and its variables identify an answer. */
const nameOf = (document: unknown) => /^\w+ (\w+)/.exec(String(document))?.[1];
const keyOf = (name: string | undefined, variables: unknown) => `${name} ${JSON.stringify(variables)}`;

type FirstAnswer = {
  readonly operation: string;
  readonly variables: unknown;
  readonly answer: { readonly data: unknown };
};

/**
 * The first stored answers: those of the page's first queries, which the service has put into the document. The page then needs
 * no request for its first view. Empty if the document contains none.
 */
function firstAnswers(): Map<string, Stored> {
  const text = document.getElementById('first-answer')?.textContent;
  if (!text) return new Map();
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // After Back, the browser may show an old document. The time 0 makes its answers old, so they are shown and then read again.
  const at = navigation?.type === 'back_forward' ? 0 : Date.now();
  const first = JSON.parse(text) as readonly FirstAnswer[];
  return new Map(first.map(({ operation, variables, answer }) => [keyOf(operation, variables), { data: answer.data, at }]));
}

/** A signal that is true while the browser has no network. */
function followNetwork(): ReadonlySignal<boolean> {
  const isOffline = signal(!navigator.onLine);
  for (const name of ['offline', 'online'] as const) {
    window.addEventListener(name, () => {
      isOffline.value = name === 'offline';
    });
  }
  return isOffline;
}

/**
 * Time in milliseconds that a repeated request has for its answer. Until then, the header still shows the problem of the first
 * request.
 */
const ATTEMPT_MS = 2000;

/**
 * Time at which the header stops showing a problem if no view has sent its request again. For example, a search is repeated only
 * at the next key press. A view that tries again by itself reports its result before this time.
 */
const endOf = ({ kind, retryAt = Date.now() }: Problem): number =>
  kind === 'limited' ? retryAt + ATTEMPT_MS : Date.now() + MAX_PAUSE_MS + ATTEMPT_MS;

function summary(streams: readonly Stream[], trouble: Problem | undefined, isOffline: boolean): ConnectionState {
  const find = (state: LiveState) => streams.find((stream) => stream.state === state);
  if (isOffline) return { state: 'offline' };
  for (const state of ['offline', 'limited', 'reconnecting'] as const) {
    const stream = find(state);
    if (stream) return { state, retryAt: stream.retryAt };
  }
  if (trouble) return { state: trouble.kind === 'limited' ? 'limited' : 'reconnecting', retryAt: trouble.retryAt };
  if (streams.length === 0) return { state: 'idle' };
  if (find('connecting')) return { state: 'connecting' };
  return { state: find('paused') ? 'paused' : 'live' };
}
