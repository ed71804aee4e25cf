import type { Deps } from '../../deps.js';
import { dayOf, type Ranked } from '../agents/activity.js';
import { type AgentRow, ofAgents } from '../agents/queries.js';

export type Trend = AgentRow & Ranked;

/** The columns of an agent that a trend shows. */
const SHOWN = ['name', 'agentId', 'avatarUrl', 'isClaimed', 'supply', 'holderCount'];

/** The agents of this service that were traded in the last 24 hours, highest score first. */
export async function trending(deps: Deps, limit: number): Promise<{ trends: Trend[]; total: number; at: Date }> {
  const { ranked, at } = await dayOf(deps);
  return { trends: await ofAgents(deps, ranked.slice(0, limit), SHOWN), total: ranked.length, at };
}
