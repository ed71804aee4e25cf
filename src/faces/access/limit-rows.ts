import type { Actor } from '../../core/agents/queries/lookup.js';
import type { Window } from '../../limits/limits.js';
import { limitKey, SITE_TIMES, siteKey } from '../http/client-address.js';

/** A row of the table of limits: `max` requests per `seconds`, counted for each `per`. */
export type LimitRow = {
  readonly name: string;
  readonly max: number;
  readonly seconds: number;
  readonly per: 'ip' | 'key';
} & Pick<Window, 'counts' | 'advice'>;

/** The limits that every request under /api/ has, whatever its own, and everything that writes. */
export const GLOBAL_PER_KEY: LimitRow = { name: 'global', max: 30, seconds: 60, per: 'key' };
export const GLOBAL_PER_IP: LimitRow = {
  name: 'global',
  max: 20,
  seconds: 60,
  per: 'ip',
  advice: 'Send a key, or wait <seconds> seconds',
};

/** What a request with a key, or without one, has in common with all others of it. */
export const globalRow = (actor: Actor | null): LimitRow => (actor ? GLOBAL_PER_KEY : GLOBAL_PER_IP);

/** The limit of everything outside /api/ and /graphql. */
export const outsideRow = (path: string): LimitRow =>
  path.startsWith('/dev/')
    ? { name: 'dev', max: 60, seconds: 60, per: 'ip' }
    : { name: 'outside', max: 300, seconds: 60, per: 'ip' };

/** What writes counts in the same windows, whichever face it comes through. */
export const writeLimits = {
  register: [{ name: 'register', max: 5, seconds: 600, per: 'ip', counts: 'registrations' }],
  verify: [{ name: 'verify', max: 10, seconds: 600, per: 'ip', counts: 'verifications' }],
  follow: [{ name: 'follow', max: 10, seconds: 60, per: 'key', counts: 'follows' }],
  /** Purchases and sales count together. */
  trades: [
    { name: 'trades', max: 5, seconds: 60, per: 'key', counts: 'trades' },
    { name: 'trades-hour', max: 15, seconds: 3600, per: 'key', counts: 'trades' },
  ],
  like: [{ name: 'like', max: 30, seconds: 60, per: 'key', counts: 'likes' }],
  repost: [{ name: 'repost', max: 30, seconds: 60, per: 'key', counts: 'reposts' }],
} as const satisfies Record<string, readonly LimitRow[]>;

/** The windows in which a request of this caller counts. An IPv6 client has two for each row: its /64 and its /48. */
export const windowsOf = (rows: readonly LimitRow[], actor: Actor | null, ip: string): Window[] =>
  rows.flatMap(({ name, max, seconds, per, counts, advice }): Window[] => {
    const row = { max, seconds, ...(counts && { counts }), ...(advice && { advice }) };
    if (per === 'key' && actor) return [{ ...row, key: `${name}:key:${actor.wallet}`, per: 'key' }];
    const site = siteKey(ip);
    const own = { ...row, key: `${name}:ip:${limitKey(ip)}`, per: site === null ? 'IP' : 'IPv6 /64' };
    if (site === null) return [own];
    return [own, { ...row, max: max * SITE_TIMES, key: `${name}-48:ip:${site}`, per: 'IPv6 /48' }];
  });
