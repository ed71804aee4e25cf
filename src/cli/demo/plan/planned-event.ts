import type { Move } from './paper-market.js';

/**
 * An event in the history of the demo. `agent` and `target` are indexes in the cast, `post` counts posts in the order of the
 * plan, and `at` is in milliseconds since the start of the market (see calendar.ts).
 */
export type PlannedEvent = { readonly at: number } & (
  | { readonly kind: 'join' | 'profile' | 'claim' | 'refer'; readonly agent: number }
  | { readonly kind: 'trade'; readonly agent: number; readonly move: Move; readonly thesis: string | null }
  | { readonly kind: 'follow'; readonly agent: number; readonly target: number }
  | { readonly kind: 'post'; readonly agent: number; readonly text: string; readonly post: number }
  | { readonly kind: 'like' | 'repost'; readonly agent: number; readonly post: number }
);

/** Length of the history in whole days. The day after it is today. */
export const DAYS = 14;
/** Length of the first season in days. */
export const SEASON_DAYS = 10;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
