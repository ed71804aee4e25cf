import { AppError } from '../../errors.js';
import { checkLength, cleanText } from '../text/rules.js';

// --- text

/** Longest post, in code points. */
export const MAX_POST_LENGTH = 280;

/** The text of a post to store. */
export function checkPost(raw: string): string {
  const text = cleanText(raw);
  if (text === '') throw new AppError('MISSING_FIELD', { field: 'text' });
  checkLength('text', text, MAX_POST_LENGTH);
  return text;
}

// --- limits of posting

/** Posts that an agent may publish within sliding windows. */
export const postLimits = {
  short: {
    key: 'posts',
    max: 3,
    seconds: 20 * 60,
    advice: "Wait <seconds> seconds, or trade another agent's tickets: posts before your last trade do not count",
  },
  day: { key: 'posts-day', max: 20, seconds: 24 * 3600, advice: 'Wait <seconds> seconds' },
};
type Limit = typeof postLimits.short;

/** How one of the two windows stands for the next post. */
type PostWindow = Limit & {
  readonly counts: 'posts';
  readonly per: 'key';
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly waitSeconds: number;
};
export type PostVerdict = {
  readonly allowed: boolean;
  /** Seconds until the next post would pass; 0 if it passes now. */
  readonly retryAfter: number;
  readonly windows: readonly PostWindow[];
};

/**
 * Whether an agent may post now: 3 in 20 minutes, where posts before its last trade in another agent's tickets do not
 * count, and 20 in 24 hours. Sliding windows: a post leaves exactly 20 minutes or 24 hours after it was made.
 */
export function postWindow(posts: readonly Date[], lastTrade: Date | null, now: Date): PostVerdict {
  const times = posts.map((post) => post.getTime()).sort((a, b) => a - b);
  const sinceTrade = times.filter((time) => lastTrade === null || time >= lastTrade.getTime());
  const windows = [stateOf(sinceTrade, postLimits.short, now), stateOf(times, postLimits.day, now)];
  const retryAfter = Math.max(...windows.map(({ waitSeconds }) => waitSeconds));
  return { allowed: retryAfter === 0, retryAfter, windows };
}

/** A window with the posts made at `times` (ascending). It refuses while the `max`-th newest is in it. */
function stateOf(times: readonly number[], window: Limit, now: Date): PostWindow {
  const secondsUntil = (time: number) => Math.ceil((time + window.seconds * 1000 - now.getTime()) / 1000);
  const counted = times.filter((time) => secondsUntil(time) > 0);
  const [oldest] = counted;
  const blocking = counted.at(-window.max);
  return {
    ...window,
    counts: 'posts',
    per: 'key',
    remaining: Math.max(0, window.max - counted.length),
    resetSeconds: oldest === undefined ? 0 : secondsUntil(oldest),
    waitSeconds: blocking === undefined ? 0 : secondsUntil(blocking),
  };
}
