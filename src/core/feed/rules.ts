import { AppError } from '../../errors.js';
import { checkLength, cleanText } from '../notices/text.js';

// --- text

const POST_MAX = 280;

/** The text of a post to store. */
export function checkPost(raw: string): string {
  const text = cleanText(raw);
  if (text === '') throw new AppError('MISSING_FIELD', { field: 'text' });
  checkLength('text', text, POST_MAX);
  return text;
}

// --- limits of posting

const SHORT = { posts: 3, ms: 20 * 60_000 };
const DAY = { posts: 20, ms: 24 * 3_600_000 };

export type PostVerdict = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number };

/**
 * Whether an agent may post now: 3 in 20 minutes, where posts before its last trade in another agent's tickets do not
 * count, and 20 in 24 hours. Sliding windows: a post leaves exactly 20 minutes or 24 hours after it was made.
 */
export function postWindow(posts: readonly Date[], lastTrade: Date | null, now: Date): PostVerdict {
  const times = posts.map((post) => post.getTime()).sort((a, b) => a - b);
  const sinceTrade = times.filter((time) => lastTrade === null || time >= lastTrade.getTime());
  const waitMs = Math.max(wait(sinceTrade, SHORT, now), wait(times, DAY, now));
  return waitMs > 0 ? { allowed: false, retryAfterSeconds: Math.ceil(waitMs / 1000) } : { allowed: true };
}

/** Milliseconds until fewer than the allowed number of `times` (ascending) are in the window; 0 or less: they are. */
function wait(times: readonly number[], window: typeof SHORT, now: Date): number {
  const blocking = times.at(-window.posts);
  return blocking === undefined ? 0 : blocking + window.ms - now.getTime();
}
