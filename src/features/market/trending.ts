import type { Deps } from '../../deps.js';
import { dayOf, type Ranked } from '../agents/activity.js';
import { type AgentRow, agentsByWallets } from '../agents/queries.js';

export type Trend = AgentRow & Ranked;

/** The columns of an agent that a trend shows. */
const SHOWN = ['name', 'agentId', 'avatarUrl', 'isClaimed', 'supply', 'holderCount'];

/** The agents of this service that were traded in the last 24 hours, highest score first. */
export async function trending(deps: Deps, limit: number): Promise<{ trends: Trend[]; total: number; at: Date }> {
  const { ranked, at } = await dayOf(deps);
  const top = ranked.slice(0, limit);
  // Looks up only the agents of the answer.
  const wallets = top.map(({ wallet }) => wallet);
  const agents = await agentsByWallets(deps, wallets, SHOWN);
  const trends = top.flatMap((candidate) => {
    const agent = agents.get(candidate.wallet);
    return agent ? [{ ...agent, ...candidate }] : [];
  });
  return { trends, total: ranked.length, at };
}
