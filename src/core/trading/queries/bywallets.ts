import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import { countsByParent, type Keyed, type Page, type Relation, rowsByParent } from '../../../store/pages.js';
import { priceChange } from '../trend.js';
import type { CandleInterval, CandleView } from './candles.js';
import { candleSeconds } from './candles.js';
import { type Card, DAY_JOINS, dayBefore, MARKET_JOIN, type Profile } from './cards.js';
import { TRADE_COLUMNS, TRADE_FROM, type TradeSide, type TradeView } from './trades.js';

// What belongs to many wallets, each kind in one statement.

type DayFigures = Pick<Card, 'volume24h' | 'txCount24h' | 'priceChange24h'>;

/** An agent without what must be counted for it: its day on the market and its referrals. */
export type AgentRow = Omit<Profile, keyof DayFigures | 'ticketPrice' | 'referralCount'>;

/** Those of the wallets that are agents of this service. One that is not indexed yet has the ticket of its registration. */
export async function agentsByWallets(deps: Deps, wallets: readonly string[]): Promise<Map<string, AgentRow>> {
  const rows = await deps.sql<AgentRow>(
    `select a.wallet, a.name, a.agent_id as "agentId", a.avatar_url as "avatarUrl",
       a.claimed_at is not null as "isClaimed", a.social_handle as "socialHandle", coalesce(m.supply, 1) as supply,
       coalesce(m.holder_count, 1) as "holderCount", a.follower_count as "followerCount",
       a.following_count as "followingCount", a.created_at as "createdAt", a.description, a.bio,
       referrer.agent_id as "referredBy", a.wallet_id as "walletId"
     from agent a ${MARKET_JOIN} left join agent referrer on referrer.wallet = a.referred_by
     where a.wallet = any($1::text[])`,
    [wallets],
  );
  return new Map(rows.map((row) => [row.wallet, row]));
}

export async function dayFiguresByWallets(deps: Deps, wallets: readonly string[]): Promise<Map<string, DayFigures>> {
  type Row = Omit<DayFigures, 'priceChange24h'> & { wallet: string; supply: number; supplyBefore: number };
  const rows = await deps.sql<Row>(
    `select a.wallet, coalesce(m.supply, 1) as supply, coalesce(day.volume, 0) as "volume24h",
       day.trades as "txCount24h", coalesce(before.supply, 1) as "supplyBefore"
     from unnest($2::text[]) as a (wallet) ${MARKET_JOIN} ${DAY_JOINS}`,
    [dayBefore(deps), wallets],
  );
  return new Map(
    rows.map(({ wallet, supply, supplyBefore, ...day }) => [
      wallet,
      { ...day, priceChange24h: priceChange(supplyBefore, supply) },
    ]),
  );
}

export type HolderRow = { readonly holder: string; readonly amount: number; readonly since: Date };

const holders: Relation = {
  columns: 'h.holder, h.amount, h.since',
  from: 'ticket_holding h',
  of: 'h.agent',
  keys: [
    ['h.amount', 'int8'],
    ['h.holder', 'text'],
  ],
};

/** The holders of each agent, the largest first. A market that is not indexed yet has its own wallet as its holder. */
export async function holdersByAgent(
  deps: Deps,
  wallets: readonly string[],
  page: Page,
): Promise<Map<string, Keyed<HolderRow>[]>> {
  const groups = await rowsByParent<HolderRow>(deps.sql, holders, wallets, page);
  const missing = page.after === null ? wallets.filter((wallet) => !groups.has(wallet)) : [];
  if (missing.length > 0) {
    for (const { wallet, createdAt } of (await agentsByWallets(deps, missing)).values()) {
      groups.set(wallet, [{ holder: wallet, amount: 1, since: createdAt, key: ['1', wallet] }]);
    }
  }
  return groups;
}

export type HoldingRow = { readonly agent: string; readonly amount: number; readonly supply: number };

const holdings: Relation = {
  columns: 'h.agent, h.amount, m.supply',
  from: 'ticket_holding h join market m on m.wallet = h.agent',
  of: 'h.holder',
  where: 'h.agent <> h.holder',
  keys: [
    ['h.amount', 'int8'],
    ['h.agent', 'text'],
  ],
};

/** What each wallet holds in other agents, the most tickets first. */
export const holdingsByHolder = (deps: Deps, wallets: readonly string[], page: Page) =>
  rowsByParent<HoldingRow>(deps.sql, holdings, wallets, page);

export const holdingCounts = (deps: Deps, wallets: readonly string[]) => countsByParent(deps.sql, holdings, wallets);

const trades = (side: TradeSide): Relation => ({
  columns: TRADE_COLUMNS,
  from: TRADE_FROM,
  of: side === 'made' ? 't.trader' : 't.agent',
  keys: [
    ['t.block_number', 'int8'],
    ['t.log_index', 'int8'],
  ],
});
const relationOf: Readonly<Record<TradeSide, Relation>> = { made: trades('made'), received: trades('received') };

/** The trades that each wallet made, or that were made in its tickets, the newest first. */
export const tradesByWallet = (deps: Deps, side: TradeSide, wallets: readonly string[], page: Page) =>
  rowsByParent<TradeView>(deps.sql, relationOf[side], wallets, page);

/** From the running totals: no history is counted. */
export async function tradeCounts(
  deps: Deps,
  side: TradeSide,
  wallets: readonly string[],
): Promise<Map<string, number>> {
  const table = side === 'made' ? 'wallet_ledger' : 'market';
  const rows = await deps.sql<{ wallet: string; total: number }>(
    `select wallet, trade_count as total from ${table} where wallet = any($1::text[])`,
    [wallets],
  );
  return new Map(rows.map(({ wallet, total }) => [wallet, total]));
}

/** The newest candles of each agent before a moment, ascending. */
export async function candlesByAgent(
  deps: Deps,
  wallets: readonly string[],
  { interval, before, limit }: { interval: CandleInterval; before: Date; limit: number },
): Promise<Map<string, CandleView[]>> {
  type Row = CandleView & { readonly wallet: string; readonly volume: Wei };
  const rows = await deps.sql<Row>(
    `select parent.wallet, candles.* from unnest($1::text[]) as parent (wallet)
     cross join lateral (
       select start as time, (array_agg(open order by hour))[1] as open, max(high) as high, min(low) as low,
         (array_agg(close order by hour desc))[1] as close, sum(volume) as volume, sum(trades)::int as trades
       from (select candle.*, to_timestamp(floor(extract(epoch from hour) / $2::int) * $2::int) as start
             from candle where agent = parent.wallet and hour < $3::timestamptz + make_interval(secs => $2::int)) hours
       where start < $3 group by start order by start desc limit $4
     ) candles order by parent.wallet, candles.time`,
    [wallets, candleSeconds[interval], before, limit],
  );
  return Map.groupBy(rows, ({ wallet }) => wallet);
}
