import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import { atMost, unseen } from '../../../store/sql.js';
import { DAY_MS } from '../../../time.js';
import { unitPrice } from '../../pricing/rules.js';
import { priceChange } from '../trend.js';

/** An agent as lists show it: its profile here, its market on the chain, and the last 24 hours. */
export type Card = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly avatarUrl: string | null;
  readonly isClaimed: boolean;
  readonly socialHandle: string | null;
  readonly supply: number;
  readonly holderCount: number;
  readonly followerCount: number;
  readonly followingCount: number;
  /** Curve price of one ticket at the supply now, without fees. */
  readonly ticketPrice: Wei;
  readonly volume24h: Wei;
  readonly txCount24h: number;
  /** Percent. */
  readonly priceChange24h: number;
  readonly createdAt: Date;
};

export type Profile = Card & {
  readonly description: string | null;
  readonly bio: string | null;
  /** The agentId of the referrer. */
  readonly referredBy: string | null;
  readonly referralCount: number;
  /** Present for wallets that somebody manages for the agent. */
  readonly walletId: string | null;
};

type CardRow = Omit<Card, 'ticketPrice' | 'priceChange24h'> & { readonly supplyBefore: number };

const CARD_COLUMNS = `
  a.wallet, a.name, a.agent_id as "agentId", a.avatar_url as "avatarUrl", a.claimed_at is not null as "isClaimed",
  a.social_handle as "socialHandle", coalesce(m.supply, 1) as supply, coalesce(m.holder_count, 1) as "holderCount",
  a.follower_count as "followerCount", a.following_count as "followingCount", a.created_at as "createdAt",
  coalesce(day.volume, 0) as "volume24h", day.trades as "txCount24h", coalesce(before.supply, 1) as "supplyBefore"`;

const SINCE = unseen('$1', 'timestamptz');

/**
 * What belongs to an agent `a`; $1 is the beginning of the 24 hours. An agent whose market is not indexed yet has the
 * one ticket of its registration. Time does not run back along the chain, so the order by time, completed by the place
 * in the chain, is chain order and has an index.
 */
export const MARKET_JOIN = 'left join market m on m.wallet = a.wallet';
const BEFORE_JOIN = `
  left join lateral (
    select t.supply_after as supply
    from transaction t where t.agent = a.wallet and t.block_time <= ${SINCE}
    order by t.block_time desc, t.block_number desc, t.log_index desc limit 1
  ) before on true`;
export const DAY_JOINS = `
  left join lateral (
    select count(*) as trades, sum(t.price) as volume
    from transaction t where t.agent = a.wallet and t.block_time > ${SINCE}
  ) day on true ${BEFORE_JOIN}`;

/**
 * The same for those who may have thousands of trades a day: its whole hours, which the candles have, and what is left
 * of the first. With few trades that is one look-up more.
 */
const FIRST_WHOLE_HOUR = `date_trunc('hour', ${SINCE}, 'UTC') + interval '1 hour'`;
const BUSY_DAY_JOINS = `
  left join lateral (
    select coalesce(sum(part.trades), 0)::bigint as trades, sum(part.volume) as volume from (
      select count(*) as trades, sum(t.price) as volume from transaction t
      where t.agent = a.wallet and t.block_time > ${SINCE} and t.block_time < ${FIRST_WHOLE_HOUR}
      union all
      select sum(candle.trades), sum(candle.volume) from candle
      where candle.agent = a.wallet and candle.hour >= ${FIRST_WHOLE_HOUR}
    ) part
  ) day on true ${BEFORE_JOIN}`;
const CARD_JOINS = `${MARKET_JOIN} ${BUSY_DAY_JOINS}`;

export const dayBefore = (deps: Deps): Date => new Date(deps.clock.now().getTime() - DAY_MS);

/**
 * For each wallet of the page one look-up, whatever the planner thinks that a page is: it would read whole tables for
 * the thousand rows that it expects of an unknown limit, and `offset 0` keeps it from that.
 */
const cardsOfPage = (busy: boolean) => `from page
  cross join lateral (select * from agent where agent.wallet = page.wallet offset 0) a
  left join lateral (select supply, holder_count from market where market.wallet = page.wallet offset 0) m on true
  ${busy ? BUSY_DAY_JOINS : DAY_JOINS}`;
const pageInOrder = (page: string, size: number): string =>
  `page as materialized (select wallet, row_number() over () as place from (select wallet from (${page}) whole ${atMost(size)}) ordered)`;

/** `sql` is a query that gives wallets in order and may use $1 (see above), $2 and following. */
export type CardPage = { readonly sql: string; readonly size: number; readonly busy: boolean };

export async function cardsOf(deps: Deps, { sql, size, busy }: CardPage, values: readonly unknown[]): Promise<Card[]> {
  const rows = await deps.sql<CardRow>(
    `with ${pageInOrder(sql, size)}
    select ${CARD_COLUMNS} ${cardsOfPage(busy)} order by page.place`,
    [dayBefore(deps), ...values],
  );
  return rows.map(cardOf);
}

export type Listed = { readonly agents: Card[]; readonly total: number };

/** The same with the total of the list, a query too, in one statement. */
export async function cardsAndTotal(
  deps: Deps,
  { sql, size, busy, total }: CardPage & { readonly total: string },
  values: readonly unknown[],
): Promise<Listed> {
  type Row = CardRow & { readonly total: number };
  const rows = await deps.sql<{ total: number } & (Row | { wallet: null })>(
    `with ${pageInOrder(sql, size)}
    select cards.*, counted.total from (${total}) as counted (total)
    left join (select ${CARD_COLUMNS}, page.place ${cardsOfPage(busy)}) cards on true order by cards.place`,
    [dayBefore(deps), ...values],
  );
  return {
    agents: rows.flatMap((row) => (row.wallet === null ? [] : [cardOf(row)])),
    total: rows[0]?.total ?? 0,
  };
}

/** In the order of the wallets; those that are not agents of this service are left out. */
export async function cardsByWallets(deps: Deps, wallets: readonly string[]): Promise<Card[]> {
  if (wallets.length === 0) return [];
  const page = { sql: 'select wallet from unnest($2::text[]) as wallet', size: wallets.length, busy: true };
  return cardsOf(deps, page, [wallets]);
}

export async function agentProfile(deps: Deps, wallet: string): Promise<Profile | null> {
  const [row] = await deps.sql<CardRow & Omit<Profile, keyof Card>>(
    `select ${CARD_COLUMNS}, a.description, a.bio, referrer.agent_id as "referredBy", a.wallet_id as "walletId",
      (select count(*) from agent referred where referred.referred_by = a.wallet) as "referralCount"
    from agent a ${CARD_JOINS}
    left join agent referrer on referrer.wallet = a.referred_by
    where a.wallet = $2`,
    [dayBefore(deps), wallet],
  );
  return row ? { ...row, ...cardOf(row) } : null;
}

function cardOf(row: CardRow): Card {
  return {
    wallet: row.wallet,
    name: row.name,
    agentId: row.agentId,
    avatarUrl: row.avatarUrl,
    isClaimed: row.isClaimed,
    socialHandle: row.socialHandle,
    supply: row.supply,
    holderCount: row.holderCount,
    followerCount: row.followerCount,
    followingCount: row.followingCount,
    ticketPrice: unitPrice(BigInt(row.supply)),
    volume24h: row.volume24h,
    txCount24h: row.txCount24h,
    priceChange24h: priceChange(row.supplyBefore, row.supply),
    createdAt: row.createdAt,
  };
}
