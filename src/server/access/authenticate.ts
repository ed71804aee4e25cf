import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { type AuthenticatedAgent, agentByKeyHash, hashKey } from '../../keys.js';
import { RateLimited } from '../../limits/limits.js';
import { windowsOf, wrongKeyLimit } from './rate-limit.js';

export type { AuthenticatedAgent as Actor } from '../../keys.js';

const KEY = /^[A-Za-z0-9_-]{64}$/;

/**
 * Returns the agent of an API key, or null without a key. A wrong key counts against the IP address. An address with
 * five wrong keys in 15 minutes is blocked: any key, right or wrong, is refused until the oldest attempt is 15 minutes old.
 * `isFormer` tells whether a key without an agent was valid before; then the result is null.
 */
export async function authenticate(
  deps: Deps,
  key: string | undefined,
  ip: string,
  isFormer: () => Promise<boolean> = async () => false,
): Promise<AuthenticatedAgent | null> {
  if (key === undefined || key === '') return null;
  const now = deps.clock.now();
  const failures = windowsOf([wrongKeyLimit], null, ip);
  const standing = await deps.limits.peek(failures, now.getTime());
  if (!standing.allowed) throw new RateLimited(standing, now);
  const agent = KEY.test(key) ? await agentByKeyHash(deps, hashKey(key)) : null;
  if (agent === null) {
    if (await isFormer()) return null;
    // Of many concurrent wrong keys, only five get the answer that they are wrong.
    const counted = await deps.limits.take(failures, now.getTime());
    if (!counted.allowed) throw new RateLimited(counted, now);
    throw new AppError('INVALID_KEY');
  }
  return agent;
}
