import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Document } from './document.js';
import { type LiveState, subscribe, type Watcher } from './live.js';
import { MAX_PAUSE_MS, noAnswer, type Problem, RequestError } from './problem.js';
import { execute } from './request.js';

/** State of the connection for the header: the worst of the live streams and of the last request. */
export type ConnectionState = {
  readonly state: 'idle' | 'live' | 'connecting' | 'reconnecting' | 'offline' | 'limited' | 'paused';
  readonly retryAt?: number | undefined;
};

export type Stored = { readonly data: unknown; readonly at: number };

export type Connection = {
  readonly state: ReadonlySignal<ConnectionState>;
  /** Sends a query. Answers are stored, so that Back shows them at once. */
  query<Result, Variables>(document: Document<Result, Variables>, variables: Variables, signal?: AbortSignal): Promise<Result>;
  /** Says why another request got no answer, or with undefined that it has one now. */
  report(problem: Problem | undefined): void;
  /** The last answer to a query. */
  stored<Result, Variables>(document: Document<Result, Variables>, variables: Variables): Stored | undefined;
  /** Subscribes to live events until the returned function is called. */
  watch<Result, Variables>(
    document: Document<Result, Variables>,
    variables: Variables,
    watcher: Partial<Watcher<Result>>,
  ): () => void;
};

/** Number of answers that are stored. */
const STORED = 40;

type Stream = { readonly state: LiveState; readonly retryAt: number | undefined };

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

/** The names of the documents are unique. */
const nameOf = (document: unknown) => /^\w+ (\w+)/.exec(String(document))?.[1];
const keyOf = (name: string | undefined, variables: unknown) => `${name} ${JSON.stringify(variables)}`;

type FirstAnswer = {
  readonly operation: string;
  readonly variables: unknown;
  readonly answer: { readonly data: unknown };
};

/** The answers that are stored at the start: those of the first queries, if the service has put them into the document. */
function firstAnswers(): Map<string, Stored> {
  const text = document.getElementById('first-answer')?.textContent;
  if (!text) return new Map();
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // After Back the document may be old. Its answers are shown, and read again.
  const at = navigation?.type === 'back_forward' ? 0 : Date.now();
  const first = JSON.parse(text) as readonly FirstAnswer[];
  return new Map(first.map(({ operation, variables, answer }) => [keyOf(operation, variables), { data: answer.data, at }]));
}

/** Whether the browser has no network. */
function followNetwork(): ReadonlySignal<boolean> {
  const isOffline = signal(!navigator.onLine);
  for (const name of ['offline', 'online'] as const) {
    window.addEventListener(name, () => {
      isOffline.value = name === 'offline';
    });
  }
  return isOffline;
}

/** Time that the answer to a repeated request may take, in milliseconds. */
const ATTEMPT_MS = 2000;

/**
 * Time at which a problem no longer counts, although no view has tried again. For example, a search tries again only at
 * the next key. A view that tries again by itself reports its own problem before this time.
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
