import { type Deps, hasEmbeddedPosts } from '../../deps.js';
import { AppError } from '../../errors.js';
import type { Window } from '../../limits/limits.js';
import { RateLimited } from '../../limits/refusal.js';
import { type LimitRow, unknownCodeLimit, windowsOf } from '../../server/access/limit-rows.js';
import { type AgentRecord, agentByCode } from '../agents/lookup.js';

/** The limit of unknown codes as text, for documents. */
export const GUESS_LIMIT = `${unknownCodeLimit.max} in ${unknownCodeLimit.seconds / 60} minutes from one IP`;

/** The limit of unknown codes per address while the service is under a distributed guessing attack. */
export const attackedCodeLimit: LimitRow = { ...unknownCodeLimit, max: unknownCodeLimit.max / 2 };

/** Limit of unknown codes from all addresses. A full window indicates a distributed guessing attack. */
export const EVERYWHERE: Window = { key: 'unknown-codes-everywhere:', max: 100, seconds: 60 };

/** An agent that is claimed, and whether its owner can post on the service itself. */
export type Claim = AgentRecord & { readonly embeddedPosts: boolean };

/**
 * Finds the agent of a verification code. Codes are short enough to be guessed, so unknown codes count against the
 * address and its /48 network. After ten unknown codes in 15 minutes the address gets no answer for any code, right or
 * wrong. While the service sees more than 100 unknown codes per minute, five are enough. The check runs after the lookup,
 * so that at most ten of many concurrent guesses are answered.
 */
export async function agentOfCode(deps: Deps, code: string, ip: string): Promise<Claim> {
  const agent = await agentByCode(deps, code);
  if (deps.config.RATE_LIMITS === 'on') await limitGuesses(deps, agent !== null, ip);
  if (agent === null) throw new AppError('CODE_UNKNOWN');
  return { ...agent, embeddedPosts: hasEmbeddedPosts(deps) };
}

async function limitGuesses({ limits, clock }: Deps, isRight: boolean, ip: string): Promise<void> {
  const now = clock.now();
  const { allowed: calm } = await limits.peek([EVERYWHERE], now.getTime());
  const windows = windowsOf([calm ? unknownCodeLimit : attackedCodeLimit], null, ip);
  const verdict = await limits[isRight ? 'peek' : 'take'](windows, now.getTime());
  if (!verdict.allowed) throw new RateLimited(verdict, now);
  // Only answered guesses count in the limit over all addresses, so a blocked address does not lower the limits of
  // others.
  if (!isRight) await limits.take([EVERYWHERE], now.getTime());
}
