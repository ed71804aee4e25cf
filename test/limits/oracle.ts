import fc from 'fast-check';
import type { Limits, Verdict, Window } from '../../src/limits/limits.js';

type Accepted = { readonly key: string; readonly time: number; readonly cost: number };

/** A slow reference implementation of the rate limits: it stores all accepted requests in a list. */
export class Oracle {
  private readonly accepted: Accepted[] = [];

  private counted(window: Window, now: number): Accepted[] {
    return this.accepted.filter(({ key, time }) => key === window.key && time > now - window.seconds * 1000);
  }

  private passes(windows: readonly Window[], now: number): boolean {
    return windows.every((window) => sum(this.counted(window, now)) + (window.cost ?? 1) <= window.max);
  }

  private wait(window: Window, now: number): number {
    for (let wait = 0; wait <= window.seconds; wait += 1) {
      if (this.passes([window], now + wait * 1000)) return wait;
    }
    return window.seconds;
  }

  private retryAfter(windows: readonly Window[], now: number): number {
    return this.passes(windows, now) ? 0 : Math.max(1, ...windows.map((window) => this.wait(window, now)));
  }

  judge({ kind, windows, now }: Step): Verdict {
    const allowed = this.passes(windows, now);
    const retryAfter = this.retryAfter(windows, now);
    const waits = windows.map((window) => this.wait(window, now));
    if (allowed && kind === 'take') {
      const places = windows.map(({ key, cost = 1 }) => ({ key, time: now, cost }));
      this.accepted.push(...places.filter(({ cost }) => cost > 0));
    }
    return {
      allowed,
      retryAfter,
      windows: windows.map((window, i) => {
        const counted = this.counted(window, now);
        const oldest = counted[0];
        return {
          ...window,
          remaining: window.max - sum(counted),
          resetSeconds: oldest ? Math.ceil((oldest.time + window.seconds * 1000 - now) / 1000) : 0,
          waitSeconds: waits[i] ?? 0,
        };
      }),
    };
  }
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
 * A random history of requests to up to three windows, with unique keys. Some costs exceed the limit of a window. The
 * clock may move back by up to `back` milliseconds.
 */
export const history = (back = 0): fc.Arbitrary<Step[]> => {
  const window = fc.record({ max: fc.integer({ min: 1, max: 10 }), seconds: fc.integer({ min: 1, max: 5 }) });
  const request = fc.record({
    kind: fc.constantFrom('take' as const, 'take' as const, 'peek' as const),
    pause: pause(back),
    costs: fc.array(
      fc.oneof(fc.constant(1), fc.constant(undefined), fc.constant(null), fc.integer({ min: 0, max: 11 })),
      {
        minLength: 3,
        maxLength: 3,
      },
    ),
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
