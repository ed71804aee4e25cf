import type { Deps } from '../../deps.js';
import type { Wei } from '../../money.js';
import { Parameters } from '../../store/pages.js';
import { totalOf } from '../../store/totals.js';
import { agentIdOf } from '../agents/rules.js';
import { supplyPricedFrom } from '../pricing/rules.js';

export type AgentFilter = {
  readonly agentId?: string | undefined;
  readonly name?: string | undefined;
  /** A part of the name or agentId. */
  readonly search?: string | undefined;
  readonly verified?: boolean | undefined;
  readonly minHolder?: number | undefined;
  readonly maxHolder?: number | undefined;
  readonly minSupply?: number | undefined;
  readonly maxSupply?: number | undefined;
  readonly minPrice?: Wei | undefined;
  readonly maxPrice?: Wei | undefined;
};
/** Upper bound that no market reaches. It fits into int4. */
const NO_LIMIT = 2_147_483_647;

/** Number of all agents. A trigger maintains the exact total, because counting takes longer than reading a page. */
export const ALL_AGENTS = "select coalesce((select total from tally where name = 'agents'), 0) as n";

export const isFilter = (filter: AgentFilter): boolean => Object.values(filter).some((value) => value !== undefined);

/** Number of agents that match the filter. */
export async function matchTotal(deps: Deps, filter: AgentFilter): Promise<number> {
  if (isFilter(filter)) {
    const parameters = new Parameters();
    const where = matchingAgents(filter, 'maybe', parameters);
    return totalOf(deps, `select count(*) as n from listing l where ${where}`, parameters.values);
  }
  const [all] = await deps.sql<{ n: number }>(ALL_AGENTS);
  return all?.n ?? 0;
}

/** Whether a query skips agents whose market is not indexed yet (`surely`), or includes them (`maybe`). */
export type Indexed = 'surely' | 'maybe';

/**
 * The SQL condition for agents of the listing `l` that match a filter. The listing also contains wallets with a market but
 * without a profile. The text does not depend on the given values, so few statements are prepared.
 */
export function matchingAgents(filter: AgentFilter, market: Indexed, parameters: Parameters): string {
  const listed = `l.created_at is not null${market === 'surely' ? ' and l.supply is not null' : ''}`;
  if (!isFilter(filter)) return listed;
  // The bare columns have indexes, expressions over them have none.
  const column = (name: string) => (market === 'surely' ? `l.${name}` : `coalesce(l.${name}, 1)`);
  const { minSupply = 0, maxSupply = NO_LIMIT, minPrice = 0n, maxPrice } = filter;
  // The price depends only on the supply and rises with it, so a bound of the price is a bound of the supply.
  const maxSupplyByPrice = maxPrice === undefined ? NO_LIMIT : Number(supplyPricedFrom(maxPrice + 1n)) - 1;
  const agentId = parameters.add(filter.agentId ?? null);
  const name = parameters.add(filter.name ?? null);
  const search = parameters.add(filter.search === undefined ? null : agentIdOf(filter.search));
  const verified = parameters.add(filter.verified ?? null);
  const supplies = [Math.max(minSupply, Number(supplyPricedFrom(minPrice))), Math.min(maxSupply, maxSupplyByPrice)];
  const holders = [filter.minHolder ?? 0, filter.maxHolder ?? NO_LIMIT];
  const between = (bounds: readonly number[]) => bounds.map((bound) => parameters.add(bound)).join(' and ');
  // The listing has no names, so the subquery looks the name up in the profiles.
  return `${listed} and (${agentId}::text is null or l.agent_id = ${agentId})
    and (${name}::text is null or l.wallet = any (array(select wallet from agent where name = ${name})))
    and (${search}::text is null or strpos(l.agent_id, ${search}) > 0)
    and (${verified}::bool is null or l.is_claimed = ${verified})
    and ${column('supply')} between ${between(supplies)} and ${column('holder_count')} between ${between(holders)}`;
}
