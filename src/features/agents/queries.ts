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

/** What the tables have of an agent. */
type Stored = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly avatarUrl: string | null;
  readonly isClaimed: boolean;
  readonly claimedAt: Date | null;
  readonly socialHandle: string | null;
  /** Tickets in circulation. 1 if the market is not indexed yet: the ticket of the registration. */
  readonly supply: number;
  readonly holderCount: number;
  readonly followerCount: number;
  readonly followingCount: number;
  readonly createdAt: Date;
  readonly description: string | null;
  readonly bio: string | null;
  /** Wallet of the referrer. */
  readonly referrer: string | null;
  /** agentId of the referrer. */
  readonly referredBy: string | null;
  readonly referredAt: Date | null;
  readonly referralCount: number;
  /** The id of a managed wallet. */
  readonly walletId: string | null;
};

/** The columns of an agent `a`, with its listing and its referrer. */
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
  referrer: `${a}.referred_by`,
  referredBy: `${referrer}.agent_id`,
  referredAt: `case when ${a}.referred_by is not null then ${a}.referred_at end`,
  referralCount: `(select count(*) from agent referred where referred.referred_by = ${a}.wallet)`,
  walletId: `${a}.wallet_id`,
});
const columns = columnsAt('a', 'listing', 'referrer');

/** Joins the listing and the referrer of an agent `a`. */
const joinsAt = (a: string, listing: string, referrer: string): string =>
  `left join listing ${listing} on ${listing}.wallet = ${a}.wallet
   left join agent ${referrer} on ${referrer}.wallet = ${a}.referred_by`;

/**
 * Joins the agents of a page to their wallets. `offset 0` prevents the planner from merging the lookup into the join: it does not
 * know the limit, expects many rows, and would scan whole tables.
 */
const JOINS = `cross join lateral (select * from agent where agent.wallet = page.wallet offset 0) a
  ${joinsAt('a', 'listing', 'referrer')}`;

/** An agent: its profile, its market, and its trading of the last 24 hours. */
export type AgentRow = Stored & {
  /** Curve price of all trades of the last 24 hours, without fees. */
  readonly volume24h: Wei;
  readonly txCount24h: number;
  /** In percent. */
  readonly priceChange24h: number;
};

/** Names of the columns to read. The row has only these and the wallet. All columns if not given. */
type Names = readonly string[] | undefined;

const columnsFor = (names: Names): Columns => chosen(columns, names && [...new Set(['wallet', ...names])]);

/** Adds the figures of the last 24 hours, which all callers share. */
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

/** A list of agents: `from`, `where` and `keys` find the `wallet` of each. */
type Found = Omit<List, 'columns' | 'late'> & { readonly wallet: string };

const listOf = ({ wallet, ...found }: Found, names: Names): List => ({
  ...found,
  columns: columnsFor(names),
  late: { find: `${wallet} as wallet`, joins: JOINS },
});

/** A page of a list of agents. */
export const agentsIn = async (deps: Deps, found: Found, page: Page, names: Names): Promise<Keyed<AgentRow>[]> =>
  withDay(deps, await rowsOf<Stored>(deps.sql, listOf(found, names), page), names);

/** A page of a list of agents by offset, and the number that the query `total` selects, in one statement. */
export async function agentsAndTotalIn(
  deps: Deps,
  found: Found,
  { page, names, total: count }: { readonly page: OffsetPage; readonly names: Names; readonly total: string },
): Promise<{ readonly agents: AgentRow[]; readonly total: number }> {
  const { rows, total } = await rowsAndTotal<Stored>(deps.sql, listOf(found, names), page, count);
  return { agents: await withDay(deps, rows, names), total };
}

/** The agents of this service among the wallets, by wallet. */
export async function agentsByWallets(deps: Deps, wallets: readonly string[], names?: Names): Promise<Map<string, AgentRow>> {
  if (wallets.length === 0) return new Map();
  const statement = `select ${selected(columnsFor(names))} from ${idsIn('$1')} page (wallet) ${JOINS}`;
  const origin = names === undefined ? 'constant' : 'composed';
  const rows = await withDay(deps, await deps.sql<Stored>(statement, [wallets], origin), names);
  return new Map(rows.map((row) => [row.wallet, row]));
}

export async function agentByWallet(deps: Deps, wallet: string): Promise<AgentRow | null> {
  return (await agentsByWallets(deps, [wallet])).get(wallet) ?? null;
}

/** The aliases of an agent that is joined to the rows of a list, of its listing and of its referrer. */
const aliasesOf = (name: string) => [`${name}_row`, `${name}_listing`, `${name}_referrer`] as const;

/** Joins the agent of a wallet to each row of a list. */
export const joinOf = (name: string, wallet: string): string =>
  `left join agent ${name}_row on ${name}_row.wallet = ${wallet} ${joinsAt(...aliasesOf(name))}`;

/** The columns of an agent that `joinOf` joins, such as `trader.name`. `nestAgents` makes an object of them. */
export const joinedColumns = (name: string, names: readonly string[]): Columns => {
  const joined = columnsAt(...aliasesOf(name));
  return Object.fromEntries(
    Object.entries(chosen(joined, ['wallet', ...names])).map(([column, sql]) => [`${name}.${column}`, sql]),
  );
};

/** Makes `${name}Row` of the joined columns of each row. Null if the wallet is not an agent of this service. */
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

/** Adds to each row the agent of its wallet, with these columns. Null if the wallet is not an agent of this service. */
export async function withAgents<Row>(
  deps: Deps,
  rows: readonly Row[],
  walletOf: (row: Row) => string,
  names: Names,
): Promise<(Row & { readonly agentRow: AgentRow | null })[]> {
  const agents = await agentsByWallets(deps, [...new Set(rows.map(walletOf))], names);
  return rows.map((row) => ({ ...row, agentRow: agents.get(walletOf(row)) ?? null }));
}

/** The rows with the columns of their agents. Omits the rows of wallets that are not agents of this service. */
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
