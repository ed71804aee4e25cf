import { type AgentRecord, agentByCode } from '../../core/agents/queries/lookup.js';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import type { Window } from '../../limits/limits.js';
import { RateLimited } from '../../limits/refusal.js';
import { type LimitRow, windowsOf } from './limit-rows.js';

/** Limit of unknown codes per address. */
const GUESSES: LimitRow = {
  name: 'unknown-codes',
  max: 10,
  seconds: 15 * 60,
  per: 'ip',
  counts: 'unknown verification codes',
  advice: 'Wait <seconds> seconds, then send the verificationCode from the registration answer',
};

/** The limit as text, for documents and hints. */
export const GUESS_LIMIT = `${GUESSES.max} in ${GUESSES.seconds / 60} minutes from one IP`;

/** Limit of unknown codes from all addresses. A full window indicates a distributed guessing attack. */
export const EVERYWHERE: Window = { key: 'unknown-codes-everywhere:', max: 100, seconds: 60 };

/**
 * Finds the agent of a verification code. Codes are short enough to be guessed, so unknown codes count against the
 * address and its /48 network. After ten unknown codes in 15 minutes the address gets no answer for any code, right or
 * wrong. While the service sees more than 100 unknown codes per minute, five are enough. The check runs after the lookup,
 * so that at most ten of many concurrent guesses are answered.
 */
export async function knownCode(deps: Deps, code: string, ip: string): Promise<AgentRecord> {
  const agent = await agentByCode(deps, code);
  if (deps.config.RATE_LIMITS === 'on') await judgeGuess(deps, agent !== null, ip);
  if (agent === null) throw new AppError('CODE_UNKNOWN');
  return agent;
}

async function judgeGuess({ limits, clock }: Deps, known: boolean, ip: string): Promise<void> {
  const now = clock.now();
  const { allowed: calm } = await limits.peek([EVERYWHERE], now.getTime());
  const windows = windowsOf([calm ? GUESSES : { ...GUESSES, max: GUESSES.max / 2 }], null, ip);
  const verdict = await limits[known ? 'peek' : 'take'](windows, now.getTime());
  if (!verdict.allowed) throw new RateLimited(verdict, now);
  // Only answered guesses count here, so a blocked address does not lower the limits of others.
  if (!known) await limits.take([EVERYWHERE], now.getTime());
}
