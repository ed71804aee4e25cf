import type { Deps } from '../../deps.js';
import {
  type ByParent,
  type Columns,
  type ColumnsOf,
  chosen,
  idsIn,
  type Keyed,
  type List,
  type OffsetPage,
  type Page,
  rowsAndTotal,
  rowsByParent,
  rowsOf,
  selected,
} from '../../store/pages.js';
import type { Wei } from '../../values/money.js';
import { dayOf } from './activity.js';

/** The fields of an agent that come from tables. The figures of the last 24 hours do not: they are computed. */
type Stored = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly avatarUrl: string | null;
  readonly isClaimed: boolean;
  readonly claimedAt: Date | null;
  readonly socialHandle: string | null;
  /** Tickets in circulation. 1 if the market is not indexed yet, because a registration creates the first ticket. */
  readonly supply: number;
  readonly holderCount: number;
  readonly followerCount: number;
  readonly followingCount: number;
  readonly createdAt: Date;
  readonly description: string | null;
  readonly bio: string | null;
  readonly identity: string | null;
  /** Wallet of the referrer. */
  readonly referrer: string | null;
  /** agentId of the referrer. */
  readonly referredBy: string | null;
  readonly referredAt: Date | null;
  readonly referralCount: number;
  /** Id of the wallet at a wallet service. Null if the agent holds the private key itself. */
  readonly walletId: string | null;
};

/** SQL expressions for the columns of an agent. The arguments are the table aliases of the agent, its listing and its referrer. */
const columnsAt = (a: string, listing: string, referrer: string): ColumnsOf<Stored> => ({
  wallet: `${a}.wallet`,
  name: `${a}.name`,
  agentId: `${a}.agent_id`,
  avatarUrl: `${a}.avatar_url`,
  isClaimed: `${a}.claimed_at is not null`,
  claimedAt: `${a}.claimed_at`,
  socialHandle: `${a}.social_handle`,
  supply: `coalesce(${listing}.supply, 1)`,
  holderCount: `coalesce(${listing}.holder_count, 1)`,
  followerCount: `${a}.follower_count`,
  followingCount: `${a}.following_count`,
  createdAt: `${a}.created_at`,
  description: `${a}.description`,
  bio: `${a}.bio`,
  identity: `${a}.identity`,
  referrer: `${a}.referred_by`,
  referredBy: `${referrer}.agent_id`,
  referredAt: `case when ${a}.referred_by is not null then ${a}.referred_at end`,
  referralCount: `(select count(*) from agent referred where referred.referred_by = ${a}.wallet)`,
  walletId: `${a}.wallet_id`,
});
const columns = columnsAt('a', 'listing', 'referrer');

/** SQL that joins the listing and the referrer of an agent. The arguments are table aliases, as for `columnsAt`. */
const joinsAt = (a: string, listing: string, referrer: string): string =>
  `left join listing ${listing} on ${listing}.wallet = ${a}.wallet
   left join agent ${referrer} on ${referrer}.wallet = ${a}.referred_by`;

/**
 * SQL that joins the agents to the wallets of a page. `offset 0` prevents the planner from merging the lookup into the join. The
 * planner does not know the limit of the page, so it would expect many rows and scan whole tables.
 */
const JOINS = `cross join lateral (select * from agent where agent.wallet = page.wallet offset 0) a
  ${joinsAt('a', 'listing', 'referrer')}`;

/** An agent with its profile, its market, and its trading of the last 24 hours. */
export type AgentRow = Stored & {
  /** Curve price of all trades of the last 24 hours, without fees. */
  readonly volume24h: Wei;
  readonly txCount24h: number;
  /** Change of the ticket price in the last 24 hours, in percent. */
  readonly priceChange24h: number;
};

/** Names of the columns to read. The row then has only these columns and the wallet. undefined reads all columns. */
type Names = readonly string[] | undefined;

const columnsFor = (names: Names): Columns => chosen(columns, names && [...new Set(['wallet', ...names])]);

/**
 * Adds the figures of the last 24 hours to the rows, if `names` contains any of them. They come from a cache that all requests
 * share.
 */
async function withDay<Row extends Stored>(deps: Deps, rows: Row[], names: Names): Promise<(Row & AgentRow)[]> {
  const isWanted = names === undefined || names.some((name) => dayColumns.includes(name));
  if (!isWanted || rows.length === 0) return rows as (Row & AgentRow)[];
  const { traded } = await dayOf(deps);
  return rows.map((row) => {
    const { volume = 0n, txCount = 0, priceChange24h = 0 } = traded.get(row.wallet) ?? {};
    return Object.assign(row, { volume24h: volume, txCount24h: txCount, priceChange24h });
  });
}

const dayColumns = ['volume24h', 'txCount24h', 'priceChange24h'];
export const ALL_COLUMNS = [...Object.keys(columns), ...dayColumns];

/** A list of agents. `from`, `where` and `keys` find and sort its rows. `wallet` is the SQL expression for the agent of a row. */
type Found = Omit<List, 'columns' | 'late'> & { readonly wallet: string };

/** The list with the columns of its agents. They are joined `late`: the page is cut from the bare list, before the joins run. */
const listOf = ({ wallet, ...found }: Found, names: Names): List => ({
  ...found,
  columns: columnsFor(names),
  late: { find: `${wallet} as wallet`, joins: JOINS },
});

/** Reads a page of a list of agents, by key or by offset. */
export const agentsIn = async (deps: Deps, found: Found, page: Page, names: Names): Promise<Keyed<AgentRow>[]> =>
  withDay(deps, await rowsOf<Stored>(deps.sql, listOf(found, names), page), names);

/** Reads a page of a list of agents by offset, and the number that the query `total` selects, in one statement. */
export async function agentsAndTotalIn(
  deps: Deps,
  found: Found,
  { page, names, total: count }: { readonly page: OffsetPage; readonly names: Names; readonly total: string },
): Promise<{ readonly agents: AgentRow[]; readonly total: number }> {
  const { rows, total } = await rowsAndTotal<Stored>(deps.sql, listOf(found, names), page, count);
  return { agents: await withDay(deps, rows, names), total };
}

/** Reads the agents with these wallets, by wallet. Wallets that are not agents of this service are missing in the result. */
export async function agentsByWallets(deps: Deps, wallets: readonly string[], names?: Names): Promise<Map<string, AgentRow>> {
  if (wallets.length === 0) return new Map();
  const statement = `select ${selected(columnsFor(names))} from ${idsIn('$1')} page (wallet) ${JOINS}`;
  // With `names`, which a GraphQL client may select, the text varies. `composed` texts take no names of prepared statements from
  // constant texts.
  const origin = names === undefined ? 'constant' : 'composed';
  const rows = await withDay(deps, await deps.sql<Stored>(statement, [wallets], origin), names);
  return new Map(rows.map((row) => [row.wallet, row]));
}

export async function agentByWallet(deps: Deps, wallet: string): Promise<AgentRow | null> {
  return (await agentsByWallets(deps, [wallet])).get(wallet) ?? null;
}

/** The table aliases that `joinOf` gives to an agent, to its listing and to its referrer. */
const aliasesOf = (name: string) => [`${name}_row`, `${name}_listing`, `${name}_referrer`] as const;

/** SQL that joins an agent to each row of a list. `wallet` is the SQL expression for the wallet of this agent. */
export const joinOf = (name: string, wallet: string): string =>
  `left join agent ${name}_row on ${name}_row.wallet = ${wallet} ${joinsAt(...aliasesOf(name))}`;

/** The columns of an agent that `joinOf` joins, named like `trader.name`. `nestAgents` collects them in an object. */
export const joinedColumns = (name: string, names: readonly string[]): Columns => {
  const joined = columnsAt(...aliasesOf(name));
  return Object.fromEntries(
    Object.entries(chosen(joined, ['wallet', ...names])).map(([column, sql]) => [`${name}.${column}`, sql]),
  );
};

/**
 * Collects the joined columns of each row in an object, and sets it as `${name}Row`. null if the wallet is not an agent of this
 * service.
 */
export async function nestAgents(deps: Deps, rows: readonly object[], name: string, names: readonly string[]) {
  const keys = Object.keys(joinedColumns(name, names)).map((key) => [key, key.slice(name.length + 1)] as const);
  const agents: Stored[] = [];
  for (const row of rows as Record<string, unknown>[]) {
    const agent: Record<string, unknown> = {};
    for (const [from, to] of keys) agent[to] = row[from];
    row[`${name}Row`] = agent.wallet === null ? null : agent;
    if (agent.wallet !== null) agents.push(agent as Stored);
  }
  await withDay(deps, agents, names);
}

/** Adds `agentRow` to each row: the agent of its wallet with these columns. null if the wallet is not an agent of this service. */
export async function withAgents<Row>(
  deps: Deps,
  rows: readonly Row[],
  walletOf: (row: Row) => string,
  names: Names,
): Promise<(Row & { readonly agentRow: AgentRow | null })[]> {
  const agents = await agentsByWallets(deps, [...new Set(rows.map(walletOf))], names);
  return rows.map((row) => ({ ...row, agentRow: agents.get(walletOf(row)) ?? null }));
}

/** Adds the columns of its agent to each row. Omits the rows of wallets that are not agents of this service. */
export async function ofAgents<Row extends { readonly wallet: string }>(
  deps: Deps,
  rows: readonly Row[],
  names: Names,
): Promise<(AgentRow & Row)[]> {
  const wallets = rows.map(({ wallet }) => wallet);
  const agents = await agentsByWallets(deps, wallets, names);
  return rows.flatMap((row) => {
    const agent = agents.get(row.wallet);
    return agent ? [{ ...agent, ...row }] : [];
  });
}

const REFERRALS = {
  wallet: 'r.wallet',
  from: 'agent r',
  keys: [
    ['r.referred_at', 'timestamptz'],
    ['r.wallet', 'text'],
  ],
} as const;

/** The agents that each agent has referred, latest referral first. */
export async function referrals(
  deps: Deps,
  wallets: readonly string[],
  { page, names }: { readonly page: Page; readonly names: Names },
): Promise<ByParent<AgentRow>> {
  const relation = { ...listOf(REFERRALS, names), of: 'r.referred_by' };
  const groups = await rowsByParent<AgentRow>(deps.sql, relation, wallets, page);
  await withDay(deps, [...groups.values()].flat(), names);
  return groups;
}
