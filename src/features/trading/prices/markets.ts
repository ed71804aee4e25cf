import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';

/** Name and agentId of the agent of a market. Null if this service has no profile of the agent. */
export type MarketNames = { readonly name: string | null; readonly agentId: string | null };

/**
 * Checks that the wallet of an agent has a market for a trade. A purchase needs an agent of this service. A sale needs only a
 * market on the chain, so that holders can always sell.
 */
export async function tradedMarket(deps: Deps, side: 'buy' | 'sell', wallet: string): Promise<MarketNames> {
  const [agent] = await deps.sql<MarketNames>('select name, agent_id as "agentId" from agent where wallet = $1', [wallet]);
  if (agent) return agent;
  const onChain = (await deps.chain.agent(wallet)) !== null;
  if (onChain && side === 'sell') return { name: null, agentId: null };
  throw new AppError('AGENT_NOT_FOUND', {}, onChain ? { advice: 'NOT_REGISTERED_HERE' } : {});
}
