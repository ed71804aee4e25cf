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
 * Returns the agent of an API key, or null without a key. A wrong key counts against the IP address. An address with
 * five wrong keys in 15 minutes is blocked: any key, right or wrong, is refused until the oldest attempt is 15 minutes old.
 */
export async function authenticate(deps: Deps, key: string | undefined, ip: string): Promise<Actor | null> {
  if (key === undefined || key === '') return null;
  const now = deps.clock.now();
  const failures = windowsOf([FAILURES], null, ip);
  const standing = await deps.limits.peek(failures, now.getTime());
  if (!standing.allowed) throw new RateLimited(standing, now);
  const actor = KEY.test(key) ? await agentByKeyHash(deps, hashKey(key)) : null;
  if (actor === null) {
    // Of many concurrent wrong keys, only five get the answer that they are wrong.
    const counted = await deps.limits.take(failures, now.getTime());
    if (!counted.allowed) throw new RateLimited(counted, now);
    throw new AppError('INVALID_KEY');
  }
  return actor;
}
