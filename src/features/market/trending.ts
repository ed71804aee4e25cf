import type { Deps } from '../../deps.js';
import type { Wei } from '../../money.js';
import type { AgentWith } from '../agents/agent-row.js';
import { agentsByWallets } from '../agents/by-wallet.js';
import { unitPrice } from '../pricing/rules.js';
import { dayOf, type Ranked } from './activity.js';

const AGENT_PARTS = ['name', 'agentId', 'avatarUrl', 'isClaimed', 'holderCount'] as const;
export type Trend = Ranked & AgentWith<(typeof AGENT_PARTS)[number]> & { readonly ticketPrice: Wei };

/** The agents of this service that were traded in the last 24 hours, highest score first. */
export async function trending(deps: Deps, limit: number): Promise<{ trends: Trend[]; total: number; at: Date }> {
  const { ranked, at } = await dayOf(deps);
  const top = ranked.slice(0, limit);
  // Looks up only the agents of the answer.
  const wallets = top.map(({ wallet }) => wallet);
  const agents = await agentsByWallets(deps, { wallets, parts: AGENT_PARTS, origin: 'constant' });
  const trends = top.flatMap((candidate) => {
    const agent = agents.get(candidate.wallet);
    return agent ? [{ ...candidate, ...agent, ticketPrice: unitPrice(BigInt(candidate.supply)) }] : [];
  });
  return { trends, total: ranked.length, at };
}
