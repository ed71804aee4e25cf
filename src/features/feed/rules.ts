import { AppError } from '../../errors/errors.js';
import { checkLength, cleanText } from '../../values/text.js';

// Rules for the text of a post.

/** Maximum length of a post, in Unicode code points. */
export const MAX_POST_LENGTH = 280;

/** Returns the cleaned text of a post. Refuses a text that is empty or too long. */
export function checkPost(raw: string): string {
  const text = cleanText(raw);
  if (text === '') throw new AppError('MISSING_FIELD', { field: 'text' });
  checkLength('text', text, MAX_POST_LENGTH);
  return text;
}

// Rules for how often an agent may post.

/** Rate limits of the posts of one agent, in sliding windows. */
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

/**
 * Decides whether an agent may post: at most 3 posts in 20 minutes and 20 in 24 hours, in exact sliding windows. Posts before
 * the agent's last trade in another agent's tickets do not count in the first window. `retryAfter`: seconds until the next post
 * passes, 0 if it passes now.
 */
export function postWindow(posts: readonly Date[], lastTrade: Date | null, now: Date) {
  const times = posts.map((post) => post.getTime()).sort((a, b) => a - b);
  const sinceTrade = times.filter((time) => lastTrade === null || time >= lastTrade.getTime());
  const windows = [stateOf(sinceTrade, postLimits.short, now), stateOf(times, postLimits.day, now)];
  const retryAfter = Math.max(...windows.map(({ waitSeconds }) => waitSeconds));
  return { allowed: retryAfter === 0, retryAfter, windows };
}

/**
 * State of a window. `times` are the times of the agent's posts, in ascending order. The window refuses a post while it contains
 * the `max`-th newest post.
 */
function stateOf(times: readonly number[], window: Limit, now: Date) {
  const secondsUntil = (time: number) => Math.ceil((time + window.seconds * 1000 - now.getTime()) / 1000);
  const counted = times.filter((time) => secondsUntil(time) > 0);
  const [oldest] = counted;
  const blocking = counted.at(-window.max);
  return {
    ...window,
    counts: 'posts',
    per: 'key' as const,
    remaining: Math.max(0, window.max - counted.length),
    resetSeconds: oldest === undefined ? 0 : secondsUntil(oldest),
    waitSeconds: blocking === undefined ? 0 : secondsUntil(blocking),
  };
}
