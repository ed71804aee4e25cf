import type { Move } from './paper-market.js';

/**
 * Something that happens in the demo. Agents are places in the cast, posts are numbered as they were thought of, and
 * times are milliseconds since the market began, on days of 24 hours (`calendar.ts` says when that is).
 */
export type Happening = { readonly at: number } & (
  | { readonly kind: 'join' | 'profile' | 'claim' | 'refer'; readonly agent: number }
  | { readonly kind: 'trade'; readonly agent: number; readonly move: Move; readonly thesis: string | null }
  | { readonly kind: 'follow'; readonly agent: number; readonly target: number }
  | { readonly kind: 'post'; readonly agent: number; readonly text: string; readonly post: number }
  | { readonly kind: 'like' | 'repost'; readonly agent: number; readonly post: number }
);

/** Whole days of history. What comes after them is today. */
export const DAYS = 14;
/** The day on which the first season ends and the second begins. */
export const SEASON_DAYS = 10;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
