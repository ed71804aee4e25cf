import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import type { Columns, Parameters } from '../../../store/pages.js';
import { unseen } from '../../../store/sql.js';
import { DAY_MS } from '../../../time.js';

/** Every column that an agent can be read with: its profile, its market, and its last 24 hours. */
export type AgentRow = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly avatarUrl: string | null;
  readonly isClaimed: boolean;
  readonly socialHandle: string | null;
  /** Tickets in circulation. 1 if the market is not indexed yet: the ticket of the registration. */
  readonly supply: number;
  readonly holderCount: number;
  readonly followerCount: number;
  readonly followingCount: number;
  readonly createdAt: Date;
  readonly description: string | null;
  readonly bio: string | null;
  /** The agentId of the referrer. */
  readonly referredBy: string | null;
  readonly referralCount: number;
  /** The id of a managed wallet. */
  readonly walletId: string | null;
  /** Curve price of the trades of the last 24 hours, without fees. */
  readonly volume24h: Wei;
  readonly txCount24h: number;
  /** The supply 24 hours ago. 1 if the agent was registered later. */
  readonly supplyBefore: number;
};
/** The wallet is always read. */
export type AgentPart = Exclude<keyof AgentRow, 'wallet'>;
export type AgentWith<Part extends AgentPart> = Pick<AgentRow, Part | 'wallet'>;
/** An agent with parts that are known only at run time. */
export type PartialAgent = Pick<AgentRow, 'wallet'> & Partial<AgentRow>;

/** What lists show of an agent. */
export const CARD_PARTS = [
  'name',
  'agentId',
  'avatarUrl',
  'isClaimed',
  'socialHandle',
  'supply',
  'holderCount',
  'followerCount',
  'followingCount',
  'createdAt',
  'volume24h',
  'txCount24h',
  'supplyBefore',
] as const satisfies readonly AgentPart[];
export const PROFILE_PARTS = [
  ...CARD_PARTS,
  'description',
  'bio',
  'referredBy',
  'referralCount',
  'walletId',
] as const satisfies readonly AgentPart[];
export type AgentCard = AgentWith<(typeof CARD_PARTS)[number]>;
export type AgentProfile = AgentWith<(typeof PROFILE_PARTS)[number]>;

type Join = 'listing' | 'referrer' | 'day' | 'before';
type Aliases = Readonly<Record<'agent' | Join, string>>;

const parts: Readonly<Record<AgentPart, readonly [expression: (of: Aliases) => string, join?: Join]>> = {
  name: [({ agent }) => `${agent}.name`],
  agentId: [({ agent }) => `${agent}.agent_id`],
  avatarUrl: [({ agent }) => `${agent}.avatar_url`],
  isClaimed: [({ agent }) => `${agent}.claimed_at is not null`],
  socialHandle: [({ agent }) => `${agent}.social_handle`],
  supply: [({ listing }) => `coalesce(${listing}.supply, 1)`, 'listing'],
  holderCount: [({ listing }) => `coalesce(${listing}.holder_count, 1)`, 'listing'],
  followerCount: [({ agent }) => `${agent}.follower_count`],
  followingCount: [({ agent }) => `${agent}.following_count`],
  createdAt: [({ agent }) => `${agent}.created_at`],
  description: [({ agent }) => `${agent}.description`],
  bio: [({ agent }) => `${agent}.bio`],
  referredBy: [({ referrer }) => `${referrer}.agent_id`, 'referrer'],
  referralCount: [({ agent }) => `(select count(*) from agent referred where referred.referred_by = ${agent}.wallet)`],
  walletId: [({ agent }) => `${agent}.wallet_id`],
  volume24h: [({ day }) => `coalesce(${day}.volume, 0)`, 'day'],
  txCount24h: [({ day }) => `coalesce(${day}.trades, 0)`, 'day'],
  supplyBefore: [({ before }) => `coalesce(${before}.supply, 1)`, 'before'],
};
export const ALL_AGENT_PARTS = Object.keys(parts) as AgentPart[];

export const dayBefore = ({ clock }: Pick<Deps, 'clock'>): Date => new Date(clock.now().getTime() - DAY_MS);

/** Where a statement has an agent, and how its parts are read. */
export type AgentSource = {
  /** The alias of its row in the statement. */
  readonly agent: string;
  /** The alias of a row that has the columns of its listing. The listing is joined if not given. */
  readonly listing?: string;
  readonly parameters: Parameters;
  /** Whether the agents of the list are likely to have thousands of trades a day. The default is yes. */
  readonly busy?: boolean;
  /** Put before the names of the columns. */
  readonly prefix?: string;
};

export type Selection = { readonly columns: Columns; readonly joins: string };

/** The columns of some parts of an agent, and the joins that they need. */
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
  const needed = new Set(chosen.flatMap((part) => parts[part][1] ?? []));
  if (listing !== undefined) needed.delete('listing');
  const since = needed.has('day') || needed.has('before') ? unseen(parameters.add(dayBefore(deps)), 'timestamptz') : '';
  return {
    columns: Object.fromEntries([
      [`${prefix}wallet`, `${agent}.wallet`],
      ...chosen.map((part) => [`${prefix}${part}`, parts[part][0](of)]),
    ]),
    joins: [...needed].map((join) => joins[join](of, since, busy)).join(' '),
  };
}

const joins: Readonly<Record<Join, (of: Aliases, since: string, busy: boolean) => string>> = {
  listing: ({ agent, listing }) => `left join listing ${listing} on ${listing}.wallet = ${agent}.wallet`,
  referrer: ({ agent, referrer }) => `left join agent ${referrer} on ${referrer}.wallet = ${agent}.referred_by`,
  day: ({ agent, day }, since, busy) =>
    `left join lateral (${(busy ? busyDay : quietDay)(agent, since)}) ${day} on true`,
  // Time never decreases along the chain, so the order by time is the order of the chain, and it has an index.
  before: ({ agent, before }, since) => `left join lateral (
    select t.supply_after as supply from transaction t where t.agent = ${agent}.wallet and t.block_time <= ${since}
    order by t.block_time desc, t.block_number desc, t.log_index desc limit 1) ${before} on true`,
};

const quietDay = (agent: string, since: string): string => `
  select count(*) as trades, sum(t.price) as volume
  from transaction t where t.agent = ${agent}.wallet and t.block_time > ${since}`;

/**
 * The same figures for an agent with thousands of trades a day: the sum of the candles of the whole hours, and of the
 * trades of the first hour, which is not whole. For an agent with few trades this costs one more look-up.
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
