import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import { unitPrice } from '../../pricing/rules.js';
import { type Candidate, dayOf } from './activity.js';

type Named = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly avatarUrl: string | null;
  readonly isClaimed: boolean;
  readonly holderCount: number;
};
export type Trend = Candidate & Named & { readonly ticketPrice: Wei; readonly trendScore: number };

const NAMES = `
  select a.wallet, a.name, a.agent_id as "agentId", a.avatar_url as "avatarUrl", a.claimed_at is not null as "isClaimed",
    m.holder_count as "holderCount"
  from agent a join market m on m.wallet = a.wallet where a.wallet = any($1::text[])`;

/** The agents of this service in whose tickets somebody traded in the last 24 hours, the highest score first. */
export async function trending(deps: Deps, limit: number): Promise<{ trends: Trend[]; total: number; at: Date }> {
  const { ranked, at } = await dayOf(deps);
  const top = ranked.slice(0, limit);
  // Only the few that are shown are looked up whole.
  const named = await deps.sql<Named>(NAMES, [top.map(({ wallet }) => wallet)]);
  const byWallet = new Map(named.map((agent) => [agent.wallet, agent]));
  const trends = top.flatMap((candidate) => {
    const agent = byWallet.get(candidate.wallet);
    return agent ? [{ ...candidate, ...agent, ticketPrice: unitPrice(BigInt(candidate.supply)) }] : [];
  });
  return { trends, total: ranked.length, at };
}
