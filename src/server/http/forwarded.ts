import type { IncomingMessage } from 'node:http';
import type { Deps } from '../../deps.js';

/**
 * Returns a function that warns at the first request with X-Forwarded-For if no proxy is trusted. Then all clients of a proxy
 * count as one address. It is one line per process, because anybody can send the header.
 */
export function forwardedWarning({ config, log }: Pick<Deps, 'config' | 'log'>) {
  let isSilent = config.TRUST_PROXY > 0;
  return ({ headers }: IncomingMessage): void => {
    if (isSilent || headers['x-forwarded-for'] === undefined) return;
    isSilent = true;
    log.warn('requests carry X-Forwarded-For, but TRUST_PROXY is 0: all clients of a proxy count as one address');
  };
}
