import { GLOBAL_PER_IP, GLOBAL_PER_KEY, type LimitRow } from '../limitrows.js';
import type { Endpoint } from './endpoint.js';

/** The limits of an endpoint, those of every caller of it if they differ. */
export function limitsOf({ path, auth, limit }: Endpoint): LimitRow[] {
  const everywhere = path.startsWith('/api/')
    ? [...(auth === 'required' ? [] : [GLOBAL_PER_IP]), ...(auth === 'none' ? [] : [GLOBAL_PER_KEY])]
    : [];
  if (limit === 'global') return everywhere;
  if (typeof limit !== 'function') return [...everywhere, ...limit];
  const self = { wallet: SELF, name: SELF, agentId: SELF };
  const callers = [null, self].map((actor) => limit({ actor, params: { address: SELF } }));
  return [...everywhere, ...callers.flat()];
}
const SELF = `0x${'0'.repeat(40)}`;

export function limitText(limits: readonly LimitRow[]): string {
  const span = (seconds: number) =>
    seconds === 60
      ? 'minute'
      : seconds === 3600
        ? 'hour'
        : seconds % 60 === 0
          ? `${seconds / 60} minutes`
          : `${seconds} s`;
  const rows = limits.map(({ name, max, seconds, per }) => {
    const whose = per === 'ip' ? 'IP' : 'key';
    return `${max} per ${span(seconds)} per ${whose}${name === 'global' ? ' over all endpoints' : ''}`;
  });
  return rows.length > 0 ? `Limits: ${rows.join('; ')}.` : '';
}
