import type { Deps } from '../deps.js';
import { AppError } from '../errors/errors.js';
import { type Actor, agentByKeyHash, hashKey, isFormerKey, KeyEnded } from '../keys.js';
import { enforce, windowsOf, wrongKeyLimit } from './rate-limits.js';

const KEY = /^[A-Za-z0-9_-]{64}$/;

/**
 * Returns the agent of an API key, or null without a key. A wrong key counts against the IP address. An address with
 * five wrong keys in 15 minutes is blocked: any key, right or wrong, is refused until the oldest attempt is 15 minutes old.
 * A key that was valid before is refused without counting (`KeyEnded`): a forgotten program must not block its neighbours.
 */
export async function authenticate(deps: Deps, key: string | undefined, ip: string): Promise<Actor | null> {
  if (key === undefined || key === '') return null;
  const failures = windowsOf([wrongKeyLimit], null, ip);
  await enforce(deps, 'peek', failures);
  if (KEY.test(key)) {
    const hash = hashKey(key);
    const agent = await agentByKeyHash(deps, hash);
    if (agent) return agent;
    if (await isFormerKey(deps, hash)) throw new KeyEnded();
  }
  // Of many concurrent wrong keys, only five get the answer that they are wrong.
  await enforce(deps, 'take', failures);
  throw new AppError('INVALID_KEY');
}
