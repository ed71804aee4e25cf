import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { agentIdOf, checkName, isReserved } from './rules.js';

/** Whether a name can be registered. */
export type Availability = {
  readonly available: boolean;
  /** Null if the name is invalid. */
  readonly agentId: string | null;
  /** Null if the name is available. */
  readonly reason: 'reserved' | 'taken' | 'invalid' | null;
  /** The wallet that has taken the name. */
  readonly walletAddress?: string;
  /** The rule that an invalid name breaks. */
  readonly rule?: string;
};

/**
 * Reads the registry of the contract. If a wallet has registered an agentId on the chain, no other wallet can register
 * it, even if the first wallet has no profile at this service.
 */
export async function availabilityOf({ chain }: Deps, name: string): Promise<Availability> {
  const rule = brokenRule(name);
  if (rule !== null) return { available: false, agentId: null, reason: 'invalid', rule };
  const agentId = agentIdOf(name);
  if (isReserved(agentId)) return { available: false, agentId, reason: 'reserved' };
  const walletAddress = await chain.agentOf(agentId);
  if (walletAddress !== null) return { available: false, agentId, reason: 'taken', walletAddress };
  return { available: true, agentId, reason: null };
}

/** The hint of the rule that the name violates. Null if the name is valid. */
function brokenRule(name: string): string | null {
  try {
    checkName(name);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.hint;
    throw error;
  }
}
