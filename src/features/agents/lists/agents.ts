import type { Deps } from '../../../deps.js';
import { checkKey, type Keyed, type List, type OffsetPage, type Page, Parameters } from '../../../store/pages.js';
import { totalOf } from '../../../store/totals.js';
import { supplyPricedFrom } from '../../../values/curve.js';
import type { Wei } from '../../../values/money.js';
import { type DaySort, dayOf, isHigher, type Order, type Ranked, type RankedWallet } from '../activity.js';
import { type AgentRow, agentsAndTotalIn, agentsIn, ofAgents } from '../queries.js';
import { agentIdOf } from '../rules.js';

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
/** Stands for a missing upper bound: no market reaches this number, and it fits into int4. */
const NO_LIMIT = 2_147_483_647;

/** SQL for the number of all agents. A trigger maintains this total, because counting takes longer than reading a page. */
const ALL_AGENTS = "select coalesce((select total from tally where name = 'agents'), 0) as n";

const isFilter = (filter: AgentFilter): boolean => Object.values(filter).some((value) => value !== undefined);

/** Number of agents that match the filter. */
export async function matchTotal(deps: Deps, filter: AgentFilter): Promise<number> {
  if (isFilter(filter)) {
    const parameters = new Parameters();
    const where = matchingAgents(filter, 'all', parameters);
    return totalOf(deps, `select count(*) as n from listing l where ${where}`, parameters.values);
  }
  const [all] = await deps.sql<{ n: number }>(ALL_AGENTS);
  return all?.n ?? 0;
}

/** Whether a query skips agents whose market is not indexed yet (`indexed`), or includes them (`all`). */
type Indexed = 'indexed' | 'all';

/**
 * The SQL condition for agents of the listing `l` that match a filter. The listing also contains wallets with a market but without
 * a profile. The SQL text does not depend on the given values, so few different statements are prepared.
 */
function matchingAgents(filter: AgentFilter, market: Indexed, parameters: Parameters): string {
  const listed = `l.created_at is not null${market === 'indexed' ? ' and l.supply is not null' : ''}`;
  if (!isFilter(filter)) return listed;
  // An agent counts with 1 ticket and 1 holder until its market is indexed. The bare columns have indexes; `coalesce` has none.
  const column = (name: string) => (market === 'indexed' ? `l.${name}` : `coalesce(l.${name}, 1)`);
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

/** The source of lists over the listing `l`, and the SQL expression for the agent of a row. */
export const LISTED = { from: 'listing l', wallet: 'l.wallet' };

const sorts = {
  newest: { market: 'all', keys: [['l.created_at', 'timestamptz'], WALLET] },
  price: { market: 'indexed', keys: [['l.supply', 'int8'], WALLET] },
  supply: { market: 'indexed', keys: [['l.supply', 'int8'], WALLET] },
  holders: { market: 'indexed', keys: [['l.holder_count', 'int8'], WALLET] },
} as const satisfies Record<string, Pick<List, 'keys'> & { readonly market: Indexed }>;

/**
 * Whether the sort key is a column of the table `listing`, where a database index gives the order. The other sort keys are figures of
 * the last 24 hours.
 */
const isStored = (sort: AgentSort): sort is keyof typeof sorts => Object.hasOwn(sorts, sort);

/**
 * Reads a page of the agents that match the filter. Lists by price, supply or holders omit an agent until its market is indexed.
 */
export async function readAgents(deps: Deps, request: AgentRequest): Promise<Keyed<AgentRow>[]> {
  const { sort, order, page, filter = {}, names } = request;
  if (isStored(sort)) return agentsIn(deps, sortedList({ sort, order, filter }), page, names);
  if ('after' in page) checkKey(['numeric', 'text'], page.after);
  const places = await placesOfDay(deps, (await dayOf(deps)).orders[sort], { filter, order, page });
  const rows = await ofAgents(deps, places, names);
  return rows.map((row) => ({ ...row, key: () => [String(row.figure), row.wallet] }));
}

/** A page of agents, as `readAgents` reads it, and the number of agents that match the filter. */
export async function agentsAndTotal(
  deps: Deps,
  request: AgentRequest & { readonly page: OffsetPage },
): Promise<{ readonly agents: AgentRow[]; readonly total: number }> {
  const { sort, order, page, filter = {}, names } = request;
  if (!isStored(sort) || isFilter(filter)) {
    const [rows, total] = await Promise.all([readAgents(deps, request), matchTotal(deps, filter)]);
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

/** Number of agents that stand above the agent with this supply and wallet in the leaderboard. */
export async function agentsAbove(deps: Deps, [supply, wallet]: readonly string[]): Promise<number> {
  const parameters = new Parameters();
  const key = `(${parameters.add(supply)}::int8, ${parameters.add(wallet)}::text)`;
  const [row] = await deps.sql<{ total: number }>(
    `select count(*) as total from listing l
     where ${matchingAgents({}, 'indexed', parameters)} and (l.supply, l.wallet) > ${key}`,
    parameters.values,
  );
  return row?.total ?? 0;
}

export type Trend = AgentRow & Ranked;

/** The columns of an agent that a trend shows together with its trading figures. */
const SHOWN = ['name', 'agentId', 'avatarUrl', 'isClaimed', 'supply', 'holderCount'];

/** The agents of this service whose tickets were traded in the last 24 hours, highest trend score first. */
export async function trendingAgents(deps: Deps, limit: number): Promise<{ trends: Trend[]; total: number; at: Date }> {
  const { ranked, at } = await dayOf(deps);
  return { trends: await ofAgents(deps, ranked.slice(0, limit), SHOWN), total: ranked.length, at };
}

type DayRequest = Required<Pick<AgentRequest, 'filter' | 'order' | 'page'>>;

/**
 * Reads a page of agents in the order of a figure of the last 24 hours. `day` contains only agents whose figure is not 0. All
 * other agents have the figure 0: they stand between the positive and the negative figures, sorted by wallet.
 */
async function placesOfDay(deps: Deps, day: Order, { filter, order, page }: DayRequest): Promise<RankedWallet[]> {
  // The list has three parts: `early` figures, then all agents whose figure is 0, then `late` figures. Each part fills what is left
  // of the page. A cursor in one part excludes the parts before it.
  const [offset, size] = 'limit' in page ? [page.offset, page.limit] : [0, page.first];
  const last = 'after' in page && page.after ? placeOf(page.after) : undefined;
  const isNext = (place: RankedWallet) => !last || (order === 'asc' ? isHigher(place, last) : isHigher(last, place));
  const isEarly = ({ figure }: RankedWallet) => (order === 'asc' ? figure < 0n : figure > 0n);
  const traded = (await tradedOf(deps, day, filter)).filter(isNext);
  if (order === 'asc') traded.reverse();
  const early = traded.filter(isEarly);
  const late = traded.slice(early.length);

  const places = early.slice(offset, offset + size);
  const skipped = Math.max(0, offset - early.length);
  // A page at offset 0 skips no agents whose figure is 0, so it needs no total.
  const unranked = offset === 0 ? size : Math.max(0, (await matchTotal(deps, filter)) - traded.length);
  if (!last || isEarly(last) || last.figure === 0n) {
    const limit = Math.min(size - places.length, unranked - skipped);
    const after = last?.figure === 0n ? last.wallet : undefined;
    places.push(...(await unrankedOf(deps, day, { filter, order, after, offset: skipped, limit })));
  }
  const from = Math.max(0, skipped - unranked);
  return [...places, ...late.slice(from, from + size - places.length)];
}

const placeOf = ([figure, wallet]: readonly string[]): RankedWallet => ({
  figure: BigInt(figure as string),
  wallet: wallet as string,
});

/**
 * SQL for the wallets of an `Order`, passed as one text: decoding an array of that size would take longer than the query. Use it
 * with NOT IN, which always builds a hash table. With a join, the planner underestimates the number of rows and chooses a slow
 * plan.
 */
const walletsIn = (wallets: string): string => `(select unnest(string_to_array(${wallets}, ',')))`;

/** The traded agents that match the filter, highest figure first. */
async function tradedOf(deps: Deps, { places, wallets }: Order, filter: AgentFilter): Promise<readonly RankedWallet[]> {
  if (!isFilter(filter)) return places;
  const parameters = new Parameters();
  const traded = walletsIn(parameters.add(wallets));
  const [row] = await deps.sql<{ found: string | null }>(
    `select string_agg(l.wallet, ',') as found from listing l
     where not (l.wallet not in ${traded}) and ${matchingAgents(filter, 'all', parameters)}`,
    parameters.values,
  );
  const matching = new Set(row?.found?.split(','));
  return places.filter(({ wallet }) => matching.has(wallet));
}

/**
 * The agents that match the filter and whose figure is 0, by wallet. With `after`, only the agents after this wallet in the list.
 */
async function unrankedOf(
  deps: Deps,
  { wallets }: Order,
  { filter, order, limit, offset, after }: Omit<DayRequest, 'page'> & OffsetPage & { readonly after: string | undefined },
): Promise<RankedWallet[]> {
  if (limit <= 0) return [];
  const parameters = new Parameters();
  const conditions = [
    `l.wallet not in ${walletsIn(parameters.add(wallets))}`,
    matchingAgents(filter, 'all', parameters),
    ...(after === undefined ? [] : [`l.wallet ${order === 'asc' ? '>' : '<'} ${parameters.add(after)}`]),
  ];
  const rows = await deps.sql<{ wallet: string }>(
    `select l.wallet from listing l where ${conditions.join(' and ')}
     order by l.wallet ${order} limit ${parameters.add(limit)} offset ${parameters.add(offset)}`,
    parameters.values,
  );
  return rows.map(({ wallet }) => ({ wallet, figure: 0n }));
}
