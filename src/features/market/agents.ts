import type { Deps } from '../../deps.js';
import { type Keyed, type List, type OffsetPage, type Page, Parameters } from '../../store/pages.js';
import { totalOf } from '../../store/totals.js';
import { type DaySort, isDaySort } from '../agents/activity.js';
import { type AgentRow, agentsAndTotalIn, agentsByWallets, agentsIn } from '../agents/queries.js';
import { agentIdOf } from '../agents/rules.js';
import { type AgentFilter, ALL_AGENTS, type Indexed, isFilter, matchingAgents, matchTotal } from './agent-filter.js';
import { pageByDay } from './agents-by-day.js';

export type AgentSort = keyof typeof sorts | DaySort;

export type AgentOrder = { readonly sort: AgentSort; readonly order: 'asc' | 'desc' };

type AgentRequest = AgentOrder & {
  readonly filter?: AgentFilter;
  readonly page: Page;
  readonly names?: readonly string[];
};

export const LEADERBOARD: AgentOrder = { sort: 'supply', order: 'desc' };

/** Breaks ties by wallet in the direction of the sort, so that one index gives the whole order. */
const WALLET = ['l.wallet', 'text'] as const;

const LISTED = { from: 'listing l', wallet: 'l.wallet' };

const sorts = {
  newest: { market: 'maybe', keys: [['l.created_at', 'timestamptz'], WALLET] },
  price: { market: 'surely', keys: [['l.supply', 'int8'], WALLET] },
  supply: { market: 'surely', keys: [['l.supply', 'int8'], WALLET] },
  holders: { market: 'surely', keys: [['l.holder_count', 'int8'], WALLET] },
} as const satisfies Record<string, Pick<List, 'keys'> & { readonly market: Indexed }>;

/**
 * The agents that match the filter, sorted. The orders price, supply and holders contain an agent as soon as its market is
 * indexed.
 */
export async function agents(deps: Deps, request: AgentRequest): Promise<Keyed<AgentRow>[]> {
  const { sort, order, page, filter = {}, names } = request;
  if (!isDaySort(sort)) return agentsIn(deps, sortedList({ sort, order, filter }), page, names);
  const places = await pageByDay(deps, { sort, filter, order, page });
  const wallets = places.map(({ wallet }) => wallet);
  const rows = await agentsByWallets(deps, wallets, names);
  return places.flatMap(({ wallet, figure }) => {
    const row = rows.get(wallet);
    return row ? [{ ...row, key: () => [String(figure), wallet] }] : [];
  });
}

/** A page of `agents`, and the number of agents that match the filter. */
export async function agentsAndTotal(
  deps: Deps,
  request: AgentRequest & { readonly page: OffsetPage },
): Promise<{ readonly agents: readonly AgentRow[]; readonly total: number }> {
  const { sort, order, page, filter = {}, names } = request;
  if (isDaySort(sort) || isFilter(filter)) {
    const [rows, total] = await Promise.all([agents(deps, request), matchTotal(deps, filter)]);
    return { agents: rows, total };
  }
  // One statement instead of two: the total is a single lookup, which costs less than a round trip.
  return agentsAndTotalIn(deps, sortedList({ sort, order, filter }), { page, names, total: ALL_AGENTS });
}

type Sorted = Pick<AgentOrder, 'order'> & { readonly sort: keyof typeof sorts; readonly filter: AgentFilter };

function sortedList({ sort, order, filter }: Sorted) {
  const { market, keys } = sorts[sort];
  const parameters = new Parameters();
  const where = matchingAgents(filter, market, parameters);
  const list = { ...LISTED, where, keys, ascending: order === 'asc', values: parameters.values };
  // The number of matching rows depends on the values: a plan for the given values is ten times as fast as a generic plan.
  return { ...list, planByValues: isFilter(filter) };
}

/** Number of agents above a key of the leaderboard. */
export async function agentsAbove(deps: Deps, [supply, wallet]: readonly string[]): Promise<number> {
  const parameters = new Parameters();
  const key = `(${parameters.add(supply)}::int8, ${parameters.add(wallet)}::text)`;
  const [row] = await deps.sql<{ total: number }>(
    `select count(*) as total from listing l
     where ${matchingAgents({}, 'surely', parameters)} and (l.supply, l.wallet) > ${key}`,
    parameters.values,
  );
  return row?.total ?? 0;
}

const CONTAINS_TEXT = 'strpos(l.agent_id, $1) > 0';

/**
 * The agents whose name or agentId contains a text, ignoring case: exact matches first, then prefixes, then the rest, each
 * by agentId. An agentId is the name in lower case with underscores for spaces, so one column serves both.
 */
export function searchAgents(
  deps: Deps,
  { text, page, names }: { readonly text: string; readonly page: Page; readonly names?: readonly string[] },
): Promise<Keyed<AgentRow>[]> {
  const closeness = `case when l.agent_id = $1 then 0 when starts_with(l.agent_id, $1) then 1 else 2 end`;
  const keys = [
    [closeness, 'int8'],
    ['l.agent_id', 'text'],
  ] as const;
  const found = { ...LISTED, where: CONTAINS_TEXT, keys, ascending: true, values: [agentIdOf(text)] };
  return agentsIn(deps, found, page, names);
}

export const searchTotal = (deps: Deps, text: string): Promise<number> =>
  totalOf(deps, `select count(*) as n from listing l where ${CONTAINS_TEXT}`, [agentIdOf(text)]);
