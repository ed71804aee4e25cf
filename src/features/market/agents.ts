import type { Deps } from '../../deps.js';
import {
  type Keyed,
  type List,
  type OffsetPage,
  type Page,
  Parameters,
  rowsAndTotal,
  rowsOf,
} from '../../store/pages.js';
import { totalOf } from '../../store/totals.js';
import { type AgentPart, type AgentWith, agentSelection } from '../agents/agent-row.js';
import { agentsByWallets, LOOKUP } from '../agents/by-wallet.js';
import { agentIdOf } from '../agents/rules.js';
import { type DaySort, isDaySort } from './activity.js';
import { type AgentFilter, ALL_AGENTS, type Indexed, isFilter, matchingAgents, matchTotal } from './agent-filter.js';
import { pageByDay } from './agents-by-day.js';

export type AgentSort = keyof typeof sorts | DaySort;

export type AgentOrder = { readonly sort: AgentSort; readonly order: 'asc' | 'desc' };

export type AgentRequest<Part extends AgentPart, Of extends Page = Page> = AgentOrder & {
  readonly filter?: AgentFilter;
  readonly page: Of;
  readonly parts: readonly Part[];
};

export const LEADERBOARD: AgentOrder = { sort: 'supply', order: 'desc' };

/** Breaks ties by wallet in the direction of the sort, so that one index gives the whole order. */
const WALLET = ['l.wallet', 'text'] as const;

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
export async function agents<Part extends AgentPart>(
  deps: Deps,
  request: AgentRequest<Part>,
): Promise<Keyed<AgentWith<Part>>[]> {
  const { sort, page } = request;
  return isDaySort(sort)
    ? byDay(deps, { ...request, sort })
    : rowsOf(deps.sql, sortedList(deps, { ...request, sort }), page);
}

/** A page of `agents`, and the number of agents that match the filter. */
export async function agentsAndTotal<Part extends AgentPart>(
  deps: Deps,
  request: AgentRequest<Part, OffsetPage>,
): Promise<{ readonly agents: AgentWith<Part>[]; readonly total: number }> {
  const { sort, page, filter = {} } = request;
  if (!isDaySort(sort) && !isFilter(filter)) {
    // One statement instead of two: the total is a single lookup, which costs less than a round trip.
    const { rows, total } = await rowsAndTotal<AgentWith<Part>>(
      deps.sql,
      sortedList(deps, { ...request, sort }),
      page,
      ALL_AGENTS,
    );
    return { agents: rows, total };
  }
  const counted = matchTotal(deps, filter);
  const rows = isDaySort(sort) ? byDay(deps, { ...request, sort }, counted) : agents(deps, request);
  const [agentRows, total] = await Promise.all([rows, counted]);
  return { agents: agentRows, total };
}

function sortedList(
  deps: Deps,
  { sort, order, parts, filter = {} }: AgentRequest<AgentPart> & { readonly sort: keyof typeof sorts },
): List {
  const { market, keys } = sorts[sort];
  const parameters = new Parameters();
  const where = matchingAgents(filter, market, parameters);
  // Agents with many tickets or holders are likely to have many trades a day. The newest agents are not.
  const busy = sort !== 'newest';
  return listOf(deps, parts, {
    where,
    keys,
    ascending: order === 'asc',
    parameters,
    busy,
    // The number of matching rows depends on the values: a plan for the given values is ten times as fast as a generic plan.
    planByValues: isFilter(filter),
  });
}

type Found = Pick<List, 'where' | 'keys' | 'ascending' | 'planByValues'> & {
  readonly parameters: Parameters;
  readonly busy?: boolean;
};

/**
 * A list over the narrow listing. The agents of the page are looked up one by one. `offset 0` prevents the planner from
 * merging the lookup into the join: it does not know the limit, expects many rows, and would scan whole tables.
 */
function listOf(deps: Deps, parts: readonly AgentPart[], { parameters, busy, ...found }: Found): List {
  const source = { agent: 'a', listing: 'page', parameters, ...(busy === undefined ? {} : { busy }) };
  const { columns, joins } = agentSelection(deps, parts, source);
  return {
    ...found,
    columns,
    from: 'listing l',
    values: parameters.values,
    late: { find: 'l.wallet, l.supply, l.holder_count', joins: `${LOOKUP} ${joins}` },
  };
}

/** `total`: the number of agents that match the filter, if the caller reads it anyway. */
async function byDay<Part extends AgentPart>(
  deps: Deps,
  { sort, order, page, parts, filter = {} }: AgentRequest<Part> & { readonly sort: DaySort },
  total?: Promise<number>,
): Promise<Keyed<AgentWith<Part>>[]> {
  const ranked = await pageByDay(deps, { sort, filter, order, page }, total);
  const wallets = ranked.map(({ wallet }) => wallet);
  const origin = 'limit' in page ? 'constant' : 'composed';
  const rows = await agentsByWallets(deps, { wallets, parts, origin });
  return ranked.flatMap(({ wallet, figure }) => {
    const row = rows.get(wallet);
    return row ? [{ ...row, key: () => [String(figure), wallet] }] : [];
  });
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
export function searchAgents<Part extends AgentPart>(
  deps: Deps,
  { text, page, parts }: { readonly text: string; readonly page: Page; readonly parts: readonly Part[] },
): Promise<Keyed<AgentWith<Part>>[]> {
  const parameters = new Parameters();
  parameters.add(agentIdOf(text));
  const closeness = `case when l.agent_id = $1 then 0 when starts_with(l.agent_id, $1) then 1 else 2 end`;
  const keys = [
    [closeness, 'int8'],
    ['l.agent_id', 'text'],
  ] as const;
  return rowsOf(deps.sql, listOf(deps, parts, { where: CONTAINS_TEXT, keys, ascending: true, parameters }), page);
}

export const searchTotal = (deps: Deps, text: string): Promise<number> =>
  totalOf(deps, `select count(*) as n from listing l where ${CONTAINS_TEXT}`, [agentIdOf(text)]);
