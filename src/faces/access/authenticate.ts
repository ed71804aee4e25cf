import { hashKey } from '../../core/agents/keys.js';
import { type Actor, agentByKeyHash } from '../../core/agents/queries/lookup.js';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { RateLimited } from '../../limits/refusal.js';
import { type LimitRow, windowsOf } from './limit-rows.js';

export type { Actor } from '../../core/agents/queries/lookup.js';

const KEY = /^[A-Za-z0-9_-]{64}$/;
const FAILURES: LimitRow = {
  name: 'auth',
  max: 5,
  seconds: 15 * 60,
  per: 'ip',
  counts: 'wrong keys',
  advice:
    'This address is blocked until <until> because of wrong keys. Requests without a key pass; check the key before you ' +
    'send it again',
};

/**
 * The agent that a key belongs to; null without a key. A wrong key counts against its IP, and an IP with five wrong
 * ones in 15 minutes is refused with any key, right or wrong, until the oldest of them is 15 minutes old.
 */
export async function authenticate(deps: Deps, key: string | undefined, ip: string): Promise<Actor | null> {
  if (key === undefined || key === '') return null;
  const now = deps.clock.now();
  const failures = windowsOf([FAILURES], null, ip);
  const standing = await deps.limits.peek(failures, now.getTime());
  if (!standing.allowed) throw new RateLimited(standing, now);
  const actor = KEY.test(key) ? await agentByKeyHash(deps, hashKey(key)) : null;
  if (actor === null) {
    // Of many wrong keys at the same moment, five are answered as wrong: the others never learn it.
    const counted = await deps.limits.take(failures, now.getTime());
    if (!counted.allowed) throw new RateLimited(counted, now);
    throw new AppError('INVALID_KEY');
  }
  return actor;
}
