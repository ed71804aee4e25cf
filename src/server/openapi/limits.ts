import { limitText } from '../../limits/limits.js';
import type { Endpoint } from '../operation.js';
import { GLOBAL_PER_IP, GLOBAL_PER_KEY, isProbe, isUnderApi, type LimitRow, outsideLimit } from '../rate-limits.js';

/** All rate limits of an endpoint. If they differ by caller, the list contains the limits of all callers. */
export function limitsOf({ path, auth, limit }: Endpoint): LimitRow[] {
  if (isProbe(path)) return [];
  const byAddress = auth === 'required' ? [] : [GLOBAL_PER_IP];
  const everywhere = isUnderApi(path) ? [...byAddress, GLOBAL_PER_KEY] : limit === 'global' ? [outsideLimit] : [];
  if (limit === 'global') return everywhere;
  if (typeof limit !== 'function') return [...everywhere, ...limit];
  // Asks for the limits of a caller without a key, and of an agent that asks about itself: PnL has another limit for its owner.
  const self = { wallet: SELF, name: SELF, agentId: SELF, keyHash: '' };
  const callers = [null, self].map((actor) => limit(actor, { address: SELF }));
  return [...everywhere, ...callers.flat()];
}
const SELF = `0x${'0'.repeat(40)}`;

export function limitsText(limits: readonly LimitRow[]): string {
  if (limits.length === 0) return '';
  const rows = limits.map(({ name, per, ...row }) => {
    const over = name === 'global' ? ' over all endpoints' : name === 'outside' ? ' over all paths outside /api' : '';
    return `${limitText({ ...row, per: per === 'ip' ? 'IP' : 'key' })}${over}`;
  });
  const hasEndpointLimit = limits.some(({ name }) => !['global', 'outside', 'dev'].includes(name));
  return `Limits: ${rows.join('; ')}.${hasEndpointLimit ? ` ${REFUSED}` : ''}`;
}
const REFUSED = 'A request that is refused as invalid counts only in the limit over all endpoints.';
