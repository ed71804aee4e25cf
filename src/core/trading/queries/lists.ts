import type { Deps } from '../../../deps.js';
import { unseen } from '../../../store/sql.js';
import { totalOf } from '../../../store/totals.js';
import { volumeList } from './by-volume.js';
import { cardsAndTotal, cardsByWallets, cardsOf, type Listed } from './cards.js';
import { type AgentFilter, ALL_AGENTS, filterValues, isFilter, needleOf, passing, totalPassing } from './filter.js';

export type AgentSort = 'newest' | 'price' | 'holders' | 'supply' | 'volume';
export type ListRequest = AgentFilter & {
  readonly sort: AgentSort;
  readonly order: 'asc' | 'desc';
  readonly page: number;
  readonly limit: number;
};

/**
 * The agents that pass the filter, sorted. Ties stand by wallet in the direction of the sort, so that one index gives
 * the whole order. An agent whose market is not indexed yet is at its first ticket; sorted by supply, price or holders it
 * comes in as soon as the index has it.
 */
export async function listAgents(deps: Deps, request: ListRequest): Promise<Listed> {
  const { sort, order, page: number, limit, ...filter } = request;
  const offset = (number - 1) * limit;
  if (sort === 'volume') {
    const { wallets, total } = await volumeList(deps, filter, order, { limit, offset });
    return { agents: await cardsByWallets(deps, wallets), total };
  }
  const filtered = isFilter(filter);
  // The newest are as busy as any; whoever leads by what it has sold is likely to be traded a lot.
  const page = { sql: pageSql(sort, order, filtered), size: limit, busy: sort !== 'newest' };
  if (!filtered) return cardsAndTotal(deps, { ...page, total: ALL_AGENTS }, [limit, offset]);
  const [agents, total] = await Promise.all([
    cardsOf(deps, page, [limit, offset, ...filterValues(filter)]),
    totalPassing(deps, filter),
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
  const found = 'from listing l where strpos(l.agent_id, $3) > 0';
  const sql = `select l.wallet ${found}
    order by case when l.agent_id = $3 then 0 when starts_with(l.agent_id, $3) then 1 else 2 end, l.agent_id limit ${unseen('$2', 'int')}`;
  const needle = needleOf(text);
  const [agents, total] = await Promise.all([
    cardsOf(deps, { sql, size: limit, busy: true }, [limit, needle]),
    totalOf(deps, 'select count(*) as n from listing l where strpos(l.agent_id, $1) > 0', [needle]),
  ]);
  return { agents, total };
}

const columns = {
  newest: ['created_at', 'maybe'],
  price: ['supply', 'surely'],
  supply: ['supply', 'surely'],
  holders: ['holder_count', 'surely'],
} as const;

/** One page of wallets: $2 is its size, $3 what comes before it. Without a filter an index gives it in order. */
function pageSql(sort: keyof typeof columns, order: 'asc' | 'desc', filtered: boolean): string {
  const [column, market] = columns[sort];
  // What a filter lets pass, the planner sees in its values: ten times as quick as one plan for all.
  const cut = filtered ? 'limit $2 offset $3' : `limit ${unseen('$2', 'int')} offset ${unseen('$3', 'int')}`;
  return `select l.wallet from listing l where ${passing(4, market, filtered)}
    order by l.${column} ${order}, l.wallet ${order} ${cut}`;
}
