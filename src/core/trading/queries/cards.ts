import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import { unitPrice } from '../../pricing/rules.js';
import { DAY_MS, priceChange } from '../trend.js';

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

/**
 * What belongs to an agent `a`; $1 is the beginning of the 24 hours. An agent whose market is not indexed yet has the
 * one ticket of its registration. Time does not run back along the chain, so the order by time, completed by the place
 * in the chain, is chain order and has an index.
 */
export const MARKET_JOIN = 'left join market m on m.wallet = a.wallet';
export const DAY_JOINS = `
  left join lateral (
    select count(*) as trades, sum(t.price) as volume
    from transaction t where t.agent = a.wallet and t.block_time > $1
  ) day on true
  left join lateral (
    select t.supply_after as supply
    from transaction t where t.agent = a.wallet and t.block_time <= $1
    order by t.block_time desc, t.block_number desc, t.log_index desc limit 1
  ) before on true`;
const CARD_JOINS = `${MARKET_JOIN} ${DAY_JOINS}`;

export const dayBefore = (deps: Deps): Date => new Date(deps.clock.now().getTime() - DAY_MS);

/** Cards of a page: `page` is a query that gives wallets in order and may use $1 (see above), $2 and following. */
export async function cardsOf(deps: Deps, page: string, values: readonly unknown[]): Promise<Card[]> {
  const rows = await deps.sql<CardRow>(
    `with page as materialized (select wallet, row_number() over () as place from (${page}) as ordered)
    select ${CARD_COLUMNS} from page join agent a on a.wallet = page.wallet ${CARD_JOINS} order by page.place`,
    [dayBefore(deps), ...values],
  );
  return rows.map(cardOf);
}

/** In the order of the wallets; those that are not agents of this service are left out. */
export async function cardsByWallets(deps: Deps, wallets: readonly string[]): Promise<Card[]> {
  if (wallets.length === 0) return [];
  return cardsOf(deps, 'select wallet from unnest($2::text[]) as wallet', [wallets]);
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

function cardOf({ supplyBefore, ...row }: CardRow): Card {
  return {
    ...row,
    ticketPrice: unitPrice(BigInt(row.supply)),
    priceChange24h: priceChange(supplyBefore, row.supply),
  };
}
