import type { Actor } from './authenticate.js';
import { limitKey } from './clientip.js';
import type { Window } from './ratelimit.js';

/** A row of the table of limits: `max` requests per `seconds`, counted for each `per`. */
export type LimitRow = {
  readonly name: string;
  readonly max: number;
  readonly seconds: number;
  readonly per: 'ip' | 'key';
};

/** The limits that every request under /api/ has, whatever its own, and everything that writes. */
export const GLOBAL_PER_KEY: LimitRow = { name: 'global', max: 30, seconds: 60, per: 'key' };
export const GLOBAL_PER_IP: LimitRow = { name: 'global', max: 20, seconds: 60, per: 'ip' };

/** What a request with a key, or without one, has in common with all others of it. */
export const globalRow = (actor: Actor | null): LimitRow => (actor ? GLOBAL_PER_KEY : GLOBAL_PER_IP);

/** What writes counts in the same windows, whichever face it comes through. */
export const writeLimits = {
  register: [{ name: 'register', max: 5, seconds: 600, per: 'ip' }],
  verify: [{ name: 'verify', max: 10, seconds: 600, per: 'ip' }],
  follow: [{ name: 'follow', max: 10, seconds: 60, per: 'key' }],
  /** Purchases and sales count together. */
  trades: [
    { name: 'trades', max: 5, seconds: 60, per: 'key' },
    { name: 'trades-hour', max: 15, seconds: 3600, per: 'key' },
  ],
  like: [{ name: 'like', max: 30, seconds: 60, per: 'key' }],
  repost: [{ name: 'repost', max: 30, seconds: 60, per: 'key' }],
} as const satisfies Record<string, readonly LimitRow[]>;

/** The windows in which a request of this caller counts. */
export const windowsOf = (rows: readonly LimitRow[], actor: Actor | null, ip: string): Window[] =>
  rows.map(({ name, max, seconds, per }) => ({
    key: per === 'key' && actor ? `${name}:key:${actor.wallet}` : `${name}:ip:${limitKey(ip)}`,
    max,
    seconds,
  }));
