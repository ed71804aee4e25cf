import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import { totalOf } from '../../../store/totals.js';
import { supplyPricedFrom } from '../../pricing/rules.js';

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
/** Beyond what any market reaches, and within int4 and int8. */
const NO_LIMIT = 2_147_483_647;

export const needleOf = (text: string): string => text.toLowerCase().replaceAll(' ', '_');

/** Kept by a trigger, exactly: counting takes longer than the page. */
export const ALL_AGENTS = "select coalesce((select total from tally where name = 'agents'), 0) as n";

export const isFilter = (filter: AgentFilter): boolean => Object.values(filter).some((value) => value !== undefined);

/** How many agents pass the filter, all of them without one. */
export async function totalPassing(deps: Deps, filter: AgentFilter): Promise<number> {
  if (isFilter(filter)) {
    return totalOf(
      deps,
      `select count(*) as n from listing l where ${passing(1, 'maybe', true)}`,
      filterValues(filter),
    );
  }
  const [all] = await deps.sql<{ n: number }>(ALL_AGENTS);
  return all?.n ?? 0;
}

/** Whether every agent of a query has its market, or some have none yet. */
export type Indexed = 'surely' | 'maybe';

/** In the listing stand wallets too that have a market but no profile here. */
export const passing = (first: number, market: Indexed, filtered: boolean): string =>
  `l.created_at is not null${market === 'surely' ? ' and l.supply is not null' : ''}${filtered ? ` and ${listingFilter(first, market)}` : ''}`;

type Columns = { agentId: string; name: (value: string) => string; claimed: string; market: (name: string) => string };

/** The filter over a row `l` of the listing. A name is looked up in the profiles, once. */
const listingFilter = (first: number, market: Indexed): string =>
  conditions(first, {
    agentId: 'l.agent_id',
    name: (value) => `l.wallet = any (array(select wallet from agent where name = ${value}))`,
    claimed: 'l.is_claimed',
    market: marketColumn(market),
  });

/** The bare columns have indexes. */
const marketColumn = (market: Indexed) => (name: string) =>
  market === 'surely' ? `l.${name}` : `coalesce(l.${name}, 1)`;

/** One text for all filters, whichever are given: the number of prepared statements stays small. */
function conditions(first: number, column: Columns): string {
  const [agentId, name, search, verified, minSupply, maxSupply, minHolder, maxHolder] = Array.from(
    { length: 8 },
    (_, i) => `$${first + i}`,
  ) as [string, string, string, string, string, string, string, string];
  return `(${agentId}::text is null or ${column.agentId} = ${agentId})
    and (${name}::text is null or ${column.name(name)})
    and (${search}::text is null or strpos(${column.agentId}, ${search}) > 0)
    and (${verified}::bool is null or ${column.claimed} = ${verified})
    and ${column.market('supply')} between ${minSupply} and ${maxSupply}
    and ${column.market('holder_count')} between ${minHolder} and ${maxHolder}`;
}

export function filterValues(filter: AgentFilter): unknown[] {
  const { minSupply = 0, maxSupply = NO_LIMIT, minPrice = 0n, maxPrice } = filter;
  // A ticket costs at most maxPrice below the first supply at which it costs more. The price follows the supply alone.
  const mostByPrice = maxPrice === undefined ? NO_LIMIT : Number(supplyPricedFrom(maxPrice + 1n)) - 1;
  return [
    filter.agentId ?? null,
    filter.name ?? null,
    filter.search === undefined ? null : needleOf(filter.search),
    filter.verified ?? null,
    Math.max(minSupply, Number(supplyPricedFrom(minPrice))),
    Math.min(maxSupply, mostByPrice),
    filter.minHolder ?? 0,
    filter.maxHolder ?? NO_LIMIT,
  ];
}
