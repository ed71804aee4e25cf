import { type AgentRecord, agentByCode } from '../core/agents/queries.js';
import type { Deps } from '../deps.js';
import { AppError } from '../errors.js';
import { limitKey } from './clientip.js';

const unknownCodes = (ip: string) => ({ key: `unknown-codes:${limitKey(ip)}`, max: 10, seconds: 15 * 60 });

/**
 * The agent of a verification code, wherever a caller brings one. Codes are short enough to be guessed, so unknown ones
 * count against the IP; with ten in 15 minutes it learns of no code any more, right or wrong. Both are judged after the
 * look-up: of many guesses at the same moment, ten are answered.
 */
export async function knownCode(deps: Deps, code: string, ip: string): Promise<AgentRecord> {
  const agent = await agentByCode(deps, code);
  if (deps.config.RATE_LIMITS === 'on') {
    const now = deps.clock.now().getTime();
    const { allowed, retryAfter } = await deps.limits[agent === null ? 'take' : 'peek']([unknownCodes(ip)], now);
    if (!allowed) throw new AppError('RATE_LIMITED', { seconds: retryAfter });
  }
  if (agent === null) throw new AppError('CODE_UNKNOWN');
  return agent;
}
