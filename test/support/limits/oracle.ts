import fc from 'fast-check';
import type { Limits, Verdict, Window } from '../../../src/limits/limits.js';

type Accepted = { readonly key: string; readonly time: number; readonly cost: number };

/** A slow reference implementation of the rate limits: it stores all accepted requests in a list. */
export function oracle(): (step: Step) => Verdict {
  const accepted: Accepted[] = [];
  const counted = (window: Window, now: number) =>
    accepted.filter(({ key, time }) => key === window.key && time > now - window.seconds * 1000);
  const passes = (window: Window, now: number) => sum(counted(window, now)) + (window.cost ?? 1) <= window.max;
  const wait = (window: Window, now: number) => {
    for (let wait = 0; wait < window.seconds; wait += 1) if (passes(window, now + wait * 1000)) return wait;
    return window.seconds;
  };
  return ({ kind, windows, now }) => {
    const allowed = windows.every((window) => passes(window, now));
    const waits = windows.map((window) => wait(window, now));
    if (allowed && kind === 'take') {
      const places = windows.map(({ key, cost = 1 }) => ({ key, time: now, cost }));
      accepted.push(...places.filter(({ cost }) => cost > 0));
    }
    return {
      allowed,
      retryAfter: allowed ? 0 : Math.max(1, ...waits),
      windows: windows.map((window, i) => {
        const [oldest] = counted(window, now);
        return {
          ...window,
          remaining: window.max - sum(counted(window, now)),
          resetSeconds: oldest ? Math.ceil((oldest.time + window.seconds * 1000 - now) / 1000) : 0,
          waitSeconds: waits[i] ?? 0,
        };
      }),
    };
  };
}

const sum = (accepted: readonly Accepted[]): number => accepted.reduce((total, { cost }) => total + cost, 0);

export type Step = { readonly kind: 'take' | 'peek'; readonly windows: readonly Window[]; readonly now: number };

export const perform = (limits: Limits, { kind, windows, now }: Step): Promise<Verdict> => limits[kind](windows, now);

/** Pauses that often hit the edges of windows or miss them by one millisecond. */
const pause = (back: number) =>
  fc.oneof(
    fc.constantFrom(0, 0, 1, 250, 999, 1000, 1001, 1999, 2000, 2001, 9_999, -Math.min(back, 1)),
    fc.integer({ min: -back, max: 3000 }),
  );

let histories = 0;

/**
 * A random history of requests to up to three windows. Its keys are unique, because all histories run against the same limits.
 * Some costs exceed the limit of a window. The clock may move back by up to `back` milliseconds.
 */
export const history = (back = 0): fc.Arbitrary<Step[]> => {
  const window = fc.record({ max: fc.integer({ min: 1, max: 10 }), seconds: fc.integer({ min: 1, max: 5 }) });
  const cost = fc.oneof(fc.constantFrom(1, undefined, null), fc.integer({ min: 0, max: 11 }));
  const request = fc.record({
    kind: fc.constantFrom('take' as const, 'take' as const, 'peek' as const),
    pause: pause(back),
    costs: fc.tuple(cost, cost, cost),
  });
  return fc
    .record({
      windows: fc.array(window, { minLength: 1, maxLength: 3 }),
      requests: fc.array(request, { maxLength: 60 }),
    })
    .map(({ windows, requests }) => {
      histories += 1;
      const unique = windows.map((rest, i) => ({ key: `history-${histories}:${i}`, ...rest }));
      let now = 1_700_000_000_000;
      return requests.map(({ kind, pause: wait, costs }) => {
        now += wait;
        // A cost of null excludes the window from the request.
        const asked = unique.flatMap((window, i) => (costs[i] === null ? [] : [{ ...window, cost: costs[i] }]));
        return { kind, windows: asked, now };
      });
    });
};
