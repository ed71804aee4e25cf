import type { Deps } from '../../deps.js';
import type { Wei } from '../../money.js';
import type { Columns, Parameters } from '../../store/pages.js';
import { opaque } from '../../store/sql.js';
import { DAY_MS } from '../../time.js';

type Join = 'listing' | 'referrer' | 'day' | 'before';
type Aliases = Readonly<Record<'agent' | Join, string>>;

/** A SQL expression, the join that it needs, and the type of its values. */
type Column<Value> = { readonly expression: (of: Aliases) => string; readonly join?: Join; readonly value?: Value };

/** A column of the table `agent`. */
const agentColumn = <Value>(column: string): Column<Value> => ({ expression: ({ agent }) => `${agent}.${column}` });
const joined = <Value>(join: Join, column: (alias: string) => string): Column<Value> => ({
  expression: (of) => column(of[join]),
  join,
});

/** The columns of an agent that a query can select: profile, market, and trading of the last 24 hours. */
const parts = {
  name: agentColumn<string>('name'),
  agentId: agentColumn<string>('agent_id'),
  avatarUrl: agentColumn<string | null>('avatar_url'),
  isClaimed: agentColumn<boolean>('claimed_at is not null'),
  socialHandle: agentColumn<string | null>('social_handle'),
  /** Tickets in circulation. 1 if the market is not indexed yet: the ticket of the registration. */
  supply: joined<number>('listing', (listing) => `coalesce(${listing}.supply, 1)`),
  holderCount: joined<number>('listing', (listing) => `coalesce(${listing}.holder_count, 1)`),
  followerCount: agentColumn<number>('follower_count'),
  followingCount: agentColumn<number>('following_count'),
  createdAt: agentColumn<Date>('created_at'),
  description: agentColumn<string | null>('description'),
  bio: agentColumn<string | null>('bio'),
  referrer: agentColumn<string | null>('referred_by'),
  /** The agentId of the referrer. */
  referredBy: joined<string | null>('referrer', (referrer) => `${referrer}.agent_id`),
  referralCount: {
    expression: ({ agent }) => `(select count(*) from agent referred where referred.referred_by = ${agent}.wallet)`,
  } as Column<number>,
  /** The id of a managed wallet. */
  walletId: agentColumn<string | null>('wallet_id'),
  /** Curve price of all trades of the last 24 hours, without fees. */
  volume24h: joined<Wei>('day', (day) => `coalesce(${day}.volume, 0)`),
  txCount24h: joined<number>('day', (day) => `coalesce(${day}.trades, 0)`),
  /** The supply 24 hours ago. 1 if the agent was registered later. */
  supplyBefore: joined<number>('before', (before) => `coalesce(${before}.supply, 1)`),
};
export type AgentPart = keyof typeof parts;
/** An agent with all parts. */
export type AgentRow = { readonly wallet: string } & {
  readonly [Part in AgentPart]: (typeof parts)[Part] extends Column<infer Value> ? Value : never;
};
/** An agent with some of its parts. The wallet is always read. */
export type AgentWith<Part extends AgentPart> = Pick<AgentRow, Part | 'wallet'>;
/** An agent with parts that are known only at run time. */
export type PartialAgent = Pick<AgentRow, 'wallet'> & Partial<AgentRow>;

export const ALL_AGENT_PARTS = Object.keys(parts) as AgentPart[];

export const dayBefore = ({ clock }: Pick<Deps, 'clock'>): Date => new Date(clock.now().getTime() - DAY_MS);

/** Position of an agent in a statement, and options for reading its parts. */
export type AgentSource = {
  /** Alias of the agent's row in the statement. */
  readonly agent: string;
  /** Alias of a row that has the columns of the agent's listing. If not given, the listing is joined. */
  readonly listing?: string;
  readonly parameters: Parameters;
  /** Whether the agents of the list are likely to have thousands of trades a day. @default true */
  readonly busy?: boolean;
  /** Prefix of the column names. */
  readonly prefix?: string;
};

export type Selection = { readonly columns: Columns; readonly joins: string };

/** The columns of the chosen parts of an agent, and the joins that they need. */
export function agentSelection(
  deps: Pick<Deps, 'clock'>,
  chosen: readonly AgentPart[],
  { agent, listing, parameters, busy = true, prefix = '' }: AgentSource,
): Selection {
  const of: Aliases = {
    agent,
    listing: listing ?? `${agent}_listing`,
    referrer: `${agent}_referrer`,
    day: `${agent}_day`,
    before: `${agent}_before`,
  };
  const needed = new Set(chosen.flatMap((part) => (parts[part] as Column<unknown>).join ?? []));
  if (listing !== undefined) needed.delete('listing');
  const since = needed.has('day') || needed.has('before') ? opaque(parameters.add(dayBefore(deps)), 'timestamptz') : '';
  return {
    columns: Object.fromEntries([
      [`${prefix}wallet`, `${agent}.wallet`],
      ...chosen.map((part) => [`${prefix}${part}`, parts[part].expression(of)]),
    ]),
    joins: [...needed].map((join) => joins[join](of, since, busy)).join(' '),
  };
}

const joins: Readonly<Record<Join, (of: Aliases, since: string, busy: boolean) => string>> = {
  listing: ({ agent, listing }) => `left join listing ${listing} on ${listing}.wallet = ${agent}.wallet`,
  referrer: ({ agent, referrer }) => `left join agent ${referrer} on ${referrer}.wallet = ${agent}.referred_by`,
  day: ({ agent, day }, since, busy) =>
    `left join lateral (${(busy ? busyDay : quietDay)(agent, since)}) ${day} on true`,
  // Block times never decrease, so the order by time equals chain order. The order by time has an index.
  before: ({ agent, before }, since) => `left join lateral (
    select t.supply_after as supply from transaction t where t.agent = ${agent}.wallet and t.block_time <= ${since}
    order by t.block_time desc, t.block_number desc, t.log_index desc limit 1) ${before} on true`,
};

const quietDay = (agent: string, since: string): string => `
  select count(*) as trades, sum(t.price) as volume
  from transaction t where t.agent = ${agent}.wallet and t.block_time > ${since}`;

/**
 * The same figures as `quietDay`, for agents with thousands of trades a day. Sums the hourly candles, and the trades of
 * the first hour, because only a part of that hour lies within the 24 hours. For an agent with few trades, this method
 * costs one more lookup.
 */
function busyDay(agent: string, since: string): string {
  const firstWholeHour = `date_trunc('hour', ${since}, 'UTC') + interval '1 hour'`;
  return `
    select coalesce(sum(part.trades), 0)::bigint as trades, sum(part.volume) as volume from (
      select count(*) as trades, sum(t.price) as volume from transaction t
      where t.agent = ${agent}.wallet and t.block_time > ${since} and t.block_time < ${firstWholeHour}
      union all
      select sum(candle.trades), sum(candle.volume) from candle
      where candle.agent = ${agent}.wallet and candle.hour >= ${firstWholeHour}
    ) part`;
}
