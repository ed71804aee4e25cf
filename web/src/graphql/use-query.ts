import { useEffect, useMemo, useState } from 'preact/hooks';
import { type App, useApp } from '../app-context.js';
import type { Document } from './document.js';
import { type Problem, problemFrom } from './problem.js';

/** The data of a view, and why the last read failed. Old data stays while newer data loads, and also if that load fails. */
export type Loaded<Result> = {
  readonly data: Result | undefined;
  readonly problem: Problem | undefined;
  /** Reads the data again. */
  readonly reload: () => void;
};

type Options = {
  /** Age in milliseconds up to which a stored answer is shown without a request. @default 10_000 */
  readonly fresh?: number;
  /**
   * Whether the view has lists whose further pages continue this answer. After Back to such a list, the stored answer is shown
   * without a request, because the further pages would not fit a newer answer. @default false
   */
  readonly isExtended?: boolean;
  /** If true, the hook sends no request. @default false */
  readonly skip?: boolean;
};

/** Reads data for a view. It tries again by itself when the network returns or the rate limit has room. */
export function useQuery<Result, Variables extends object>(
  document: Document<Result, Variables>,
  variables: Variables,
  { fresh = 10_000, isExtended = false, skip = false }: Options = {},
): Loaded<Result> {
  const app = useApp();
  const key = JSON.stringify(variables);
  // Each set of variables has its own reader, so that a view never shows data that was read with other variables.
  const reader = useMemo(() => new Reader(app, document, variables), [app, document, key]);
  const [shown, setShown] = useState({ reader, state: reader.first() });
  useEffect(() => {
    if (skip) return;
    // A visit with stored values is an earlier visit, to which Back has led. Its answer is then shown, however old it is.
    const age = isExtended && app.router.kept().size > 0 ? Number.POSITIVE_INFINITY : fresh;
    reader.start((state) => setShown({ reader, state }), age);
    return () => reader.stop();
  }, [reader, skip]);
  const { data, problem } = shown.reader === reader ? shown.state : reader.first();
  return { data, problem, reload: reader.reload };
}

type State<Result> = { readonly data: Result | undefined; readonly problem: Problem | undefined };

/** Reads one document with one set of variables, and passes each new state to `show`. It starts with the stored answer. */
class Reader<Result, Variables extends object> {
  #show: (state: State<Result>) => void = () => {};
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #data: Result | undefined;

  constructor(
    private readonly app: App,
    private readonly document: Document<Result, Variables>,
    private readonly variables: Variables,
  ) {
    this.#data = this.#stored()?.data as Result | undefined;
  }

  #stored() {
    return this.app.connection.stored(this.document, this.variables);
  }

  /** The state before the first read: the stored answer, if there is one. */
  first(): State<Result> {
    return { data: this.#data, problem: undefined };
  }

  start(show: (state: State<Result>) => void, fresh: number): void {
    this.#show = show;
    this.#abort = new AbortController();
    const online = () => {
      // When the network returns, data that is already shown is not read again: the reader may have scrolled or
      // extended it.
      if (this.#data === undefined || this.#failures > 0) this.reload();
    };
    window.addEventListener('online', online, { signal: this.#abort.signal });
    const stored = this.#stored();
    if (stored === undefined || Date.now() - stored.at > fresh) this.reload();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  readonly reload = (): void => {
    clearTimeout(this.#timer);
    void this.#read(this.#abort.signal);
  };

  async #read(signal: AbortSignal): Promise<void> {
    try {
      this.#data = await this.app.connection.query(this.document, this.variables, signal);
      this.#failures = 0;
      if (!signal.aborted) this.#show({ data: this.#data, problem: undefined });
    } catch (error) {
      if (signal.aborted) return;
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const problem = problemFrom(error, this.#failures++);
    this.#show({ data: this.#data, problem });
    if (problem.retryAt === undefined) return;
    this.#timer = setTimeout(this.reload, Math.max(1000, problem.retryAt - Date.now()));
  }
}
