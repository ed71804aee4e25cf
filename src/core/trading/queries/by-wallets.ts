import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import { countsByParent, type Keyed, type Page, type Relation, rowsByParent } from '../../../store/pages.js';
import { priceChange } from '../trend.js';
import type { CandleInterval, CandleView } from './candles.js';
import { candleSeconds } from './candles.js';
import { type Card, DAY_JOINS, dayBefore, MARKET_JOIN } from './cards.js';
import {
  type AgentPart,
  type AgentRow,
  ALL_AGENT_PARTS,
  ALL_TRADE_PARTS,
  agentColumns,
  type ChosenTrade,
  marketJoin,
  referrerJoin,
  type TradeChoice,
  tradeSelection,
} from './columns.js';
import type { TradeSide } from './trades.js';

// What belongs to many wallets, each kind in one statement.

type DayFigures = Pick<Card, 'volume24h' | 'txCount24h' | 'priceChange24h'>;

/** Those of the wallets that are agents of this service. One that is not indexed yet has the ticket of its registration. */
export async function agentsByWallets(
  deps: Deps,
  wallets: readonly string[],
  parts: readonly AgentPart[] = ALL_AGENT_PARTS,
): Promise<Map<string, AgentRow>> {
  const rows = await deps.sql<AgentRow>(
    `select ${agentColumns(parts)} from agent a ${marketJoin(parts)} ${referrerJoin(parts)}
     where a.wallet = any($1::text[])`,
    [wallets],
    'composed',
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
      groups.set(wallet, [{ holder: wallet, amount: 1, since: createdAt, key: () => ['1', wallet] }]);
    }
  }
  return groups;
}

/** How many tickets of each agent a wallet holds. A market that is not indexed yet has one, in its own hands. */
export async function ticketBalances(
  deps: Deps,
  wallets: readonly string[],
  holder: string,
): Promise<Map<string, number>> {
  const rows = await deps.sql<{ wallet: string; amount: number }>(
    `select a.wallet, case when m.wallet is null then (a.wallet = $2)::int else coalesce(h.amount, 0) end as amount
     from unnest($1::text[]) as a (wallet) ${MARKET_JOIN}
     left join ticket_holding h on h.agent = a.wallet and h.holder = $2`,
    [wallets, holder],
  );
  return new Map(rows.map(({ wallet, amount }) => [wallet, amount]));
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

const tradeKeys: Relation['keys'] = [
  ['t.block_number', 'int8'],
  ['t.log_index', 'int8'],
];

/** The trades that each wallet made, or that were made in its tickets, the newest first. */
export async function tradesByWallet(
  deps: Deps,
  side: TradeSide,
  wallets: readonly string[],
  page: Page,
  choice: TradeChoice = { parts: ALL_TRADE_PARTS },
): Promise<Map<string, Keyed<ChosenTrade>[]>> {
  const { read, ...selection } = tradeSelection(choice);
  const of = side === 'made' ? 't.trader' : 't.agent';
  const groups = await rowsByParent<ChosenTrade>(deps.sql, { ...selection, of, keys: tradeKeys }, wallets, page);
  for (const rows of groups.values()) rows.forEach(read);
  return groups;
}

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
