import { cached } from '../cache.js';
import type { Deps } from '../deps.js';

export type AnswerCache<T> = {
  get(deps: Deps, key: string, load: () => Promise<T>): Promise<T>;
  /** Has the next `get` of a key load anew. */
  forget(deps: Deps, key: string): void;
};

/** Beyond this many keys the oldest go: a stranger who asks for many does not fill the memory. */
const MOST_KEYS = 10_000;

/** Answers that may be some seconds old: each key is loaded once in that time, by one request at a time. */
export function answerCache<T>(milliseconds: number): AnswerCache<T> {
  // Of each app its own, and gone with it.
  const entries = new WeakMap<Deps, Map<string, () => Promise<T>>>();
  const of = (deps: Deps) => {
    const known = entries.get(deps) ?? new Map<string, () => Promise<T>>();
    entries.set(deps, known);
    return known;
  };
  return {
    get(deps, key, load) {
      const known = of(deps);
      let entry = known.get(key);
      if (entry === undefined) {
        entry = cached(milliseconds, () => deps.clock.now().getTime(), load);
        known.set(key, entry);
        const oldest = known.size > MOST_KEYS ? known.keys().next().value : undefined;
        if (oldest !== undefined) known.delete(oldest);
      }
      return entry();
    },
    forget(deps, key) {
      of(deps).delete(key);
    },
  };
}
