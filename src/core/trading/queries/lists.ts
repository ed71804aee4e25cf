import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import { supplyPricedFrom } from '../../pricing/rules.js';
import { type Card, cardsOf } from './cards.js';

export type AgentSort = 'newest' | 'price' | 'holders' | 'supply' | 'volume';
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
export type ListRequest = AgentFilter & {
  readonly sort: AgentSort;
  readonly order: 'asc' | 'desc';
  readonly page: number;
  readonly limit: number;
};
export type Listed = { readonly agents: Card[]; readonly total: number };

/** Beyond what any market reaches, and within int4 and int8. */
const NO_LIMIT = 2_147_483_647;

/**
 * The agents that pass the filter, sorted. Ties stand by wallet in the direction of the sort, so that one index gives
 * the whole order. An agent whose market is not indexed yet is at its first ticket; sorted by supply, price or holders it
 * comes in as soon as the index has it.
 */
export async function listAgents(deps: Deps, { sort, order, page, limit, ...filter }: ListRequest): Promise<Listed> {
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const values = filtered ? filterValues(filter) : [];
  const pageOf = pageSql(sort, order, (market) => (filtered ? filterSql(4, market) : 'true'));
  const [agents, total] = await Promise.all([
    cardsOf(deps, pageOf, [limit, (page - 1) * limit, ...values]),
    filtered
      ? count(deps, `from agent a left join market m on m.wallet = a.wallet where ${filterSql(1, 'maybe')}`, values)
      : count(deps, 'from agent', []),
  ]);
  return { agents, total };
}

/** Ranked by supply. */
export async function leaderboard(deps: Deps, limit: number): Promise<Listed> {
  return listAgents(deps, { sort: 'supply', order: 'desc', page: 1, limit });
}

/**
 * By name or agentId, ignoring case; an agentId is the name in lower case with underscores for spaces, so that one
 * column serves both. Exact first, then what begins so, then what contains it, each by agentId.
 */
export async function searchAgents(deps: Deps, text: string, limit: number): Promise<Listed> {
  const needle = needleOf(text);
  const [agents, total] = await Promise.all([
    cardsOf(
      deps,
      `select wallet from agent where strpos(agent_id, $2) > 0
      order by case when agent_id = $2 then 0 when starts_with(agent_id, $2) then 1 else 2 end, agent_id limit $3`,
      [needle, limit],
    ),
    count(deps, 'from agent where strpos(agent_id, $1) > 0', [needle]),
  ]);
  return { agents, total };
}

export const needleOf = (text: string): string => text.toLowerCase().replaceAll(' ', '_');

async function count(deps: Deps, from: string, values: readonly unknown[]): Promise<number> {
  const [row] = await deps.sql<{ total: number }>(`select count(*) as total ${from}`, values);
  return row?.total ?? 0;
}

/** Whether every agent of a query has its market, or some have none yet. */
type Indexed = 'surely' | 'maybe';

/** One page of wallets: $2 is its size, $3 what comes before it. Without a filter an index gives it in order. */
function pageSql(sort: AgentSort, order: 'asc' | 'desc', where: (market: Indexed) => string): string {
  const cut = 'limit $2 offset $3';
  switch (sort) {
    case 'newest':
      return `select a.wallet from agent a left join market m on m.wallet = a.wallet
        where ${where('maybe')} order by a.created_at ${order}, a.wallet ${order} ${cut}`;
    case 'price':
    case 'supply':
      return `select m.wallet from market m join agent a on a.wallet = m.wallet
        where ${where('surely')} order by m.supply ${order}, m.wallet ${order} ${cut}`;
    case 'holders':
      return `select m.wallet from market m join agent a on a.wallet = m.wallet
        where ${where('surely')} order by m.holder_count ${order}, m.wallet ${order} ${cut}`;
    case 'volume': {
      // Those that traded and those that did not are two short lists, each in order, rather than one long one to sort.
      const part = 'limit $2::int8 + $3::int8';
      return `with day as materialized (
          select agent, sum(price) as volume from transaction where block_time > $1 group by agent
        )
        select wallet from (
          (select traded.agent as wallet, traded.volume
            from (select agent, volume from day order by volume ${order}, agent ${order}) as traded
            join agent a on a.wallet = traded.agent left join market m on m.wallet = traded.agent
            where ${where('maybe')} order by traded.volume ${order}, traded.agent ${order} ${part})
          union all
          (select a.wallet, 0 from agent a left join market m on m.wallet = a.wallet
            where not exists (select 1 from day where day.agent = a.wallet) and ${where('maybe')}
            order by a.wallet ${order} ${part})
        ) as parts order by volume ${order}, wallet ${order} ${cut}`;
    }
  }
}

/** One text for all filters, whichever are given: the number of prepared statements stays small. */
export function filterSql(first: number, market: Indexed): string {
  const [agentId, name, search, verified, minSupply, maxSupply, minHolder, maxHolder] = Array.from(
    { length: 8 },
    (_, i) => `$${first + i}`,
  );
  // The bare columns have indexes.
  const column = (name: string) => (market === 'surely' ? `m.${name}` : `coalesce(m.${name}, 1)`);
  return `(${agentId}::text is null or a.agent_id = ${agentId}) and (${name}::text is null or a.name = ${name})
    and (${search}::text is null or strpos(a.agent_id, ${search}) > 0)
    and (${verified}::bool is null or (a.claimed_at is not null) = ${verified})
    and ${column('supply')} between ${minSupply} and ${maxSupply}
    and ${column('holder_count')} between ${minHolder} and ${maxHolder}`;
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
