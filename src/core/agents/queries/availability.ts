import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { agentIdOf, checkName, isReserved } from '../rules.js';

/** Whether a name can be registered. `agentId` is null where none follows from the name. */
export type Availability =
  | { readonly available: true; readonly agentId: string; readonly reason: null }
  | { readonly available: false; readonly agentId: string; readonly reason: 'reserved' }
  | { readonly available: false; readonly agentId: string; readonly reason: 'taken'; readonly walletAddress: string }
  | { readonly available: false; readonly agentId: null; readonly reason: 'invalid'; readonly rule: string };

/**
 * Asks the registry of the contract, which decides: an agentId that is taken there cannot be registered by another
 * wallet, whether or not its agent is registered here.
 */
export async function availabilityOf({ market }: Deps, name: string): Promise<Availability> {
  const rule = brokenRule(name);
  if (rule !== null) return { available: false, agentId: null, reason: 'invalid', rule };
  const agentId = agentIdOf(name);
  if (isReserved(agentId)) return { available: false, agentId, reason: 'reserved' };
  const walletAddress = await market.agentOf(agentId);
  if (walletAddress !== null) return { available: false, agentId, reason: 'taken', walletAddress };
  return { available: true, agentId, reason: null };
}

/** What the name has to be, where it is not. */
function brokenRule(name: string): string | null {
  try {
    checkName(name);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.hint;
    throw error;
  }
}
