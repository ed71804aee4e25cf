import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import type { AgentWith } from '../../agents/queries/agent-row.js';
import { unitPrice } from '../../pricing/rules.js';
import { dayOf, type Ranked } from './activity.js';
import { agentsByWallets } from './agents.js';

const NAMED = ['name', 'agentId', 'avatarUrl', 'isClaimed', 'holderCount'] as const;
export type Trend = Ranked & AgentWith<(typeof NAMED)[number]> & { readonly ticketPrice: Wei };

/** The agents of this service in whose tickets somebody traded in the last 24 hours, the highest score first. */
export async function trending(deps: Deps, limit: number): Promise<{ trends: Trend[]; total: number; at: Date }> {
  const { ranked, at } = await dayOf(deps);
  const top = ranked.slice(0, limit);
  // Only the few that are shown are looked up whole.
  const wallets = top.map(({ wallet }) => wallet);
  const named = await agentsByWallets(deps, { wallets, parts: NAMED, made: 'constant' });
  const trends = top.flatMap((candidate) => {
    const agent = named.get(candidate.wallet);
    return agent ? [{ ...candidate, ...agent, ticketPrice: unitPrice(BigInt(candidate.supply)) }] : [];
  });
  return { trends, total: ranked.length, at };
}
