import type { Deps } from '../../../deps.js';
import { atMost, unseen } from '../../../store/sql.js';
import { everything, type TradeView, tradeSelection } from './columns.js';

export type { TradeView } from './columns.js';

/**
 * The newest of the trades that meet a condition, in chain order: found by an index first, named then. With a limit that
 * is a parameter the planner would read and name all trades of a wallet that has many.
 */
const newestTrades = (where: string, size: number, cut: string, { columns, from } = everything): string =>
  `select ${columns} from ${from.replace(
    'transaction t',
    `(select * from (
       select * from transaction t where ${where} order by t.block_number desc, t.log_index desc ${cut}
     ) newest ${atMost(size)}) t`,
  )} order by t.block_number desc, t.log_index desc`;

const TRADE = `select ${everything.columns} from ${everything.from}`;

/** 'made' by the wallet, or 'received': made in its tickets. */
export type TradeSide = 'made' | 'received';

const sideColumn: Readonly<Record<TradeSide, string>> = { made: 't.trader', received: 't.agent' };

/** The newest trades of a wallet, in chain order. */
export async function tradesOf(
  deps: Deps,
  wallet: string,
  { side, offset, limit }: { side: TradeSide; offset: number; limit: number },
): Promise<TradeView[]> {
  return deps.sql<TradeView>(
    newestTrades(`${sideColumn[side]} = $1`, limit, `limit ${unseen('$2', 'int')} offset ${unseen('$3', 'int')}`),
    [wallet, limit, offset],
  );
}

/** How many trades a wallet has, counted no further than `most`. */
export async function countTrades(deps: Deps, wallet: string, side: TradeSide, most: number): Promise<number> {
  const [row] = await deps.sql<{ count: number }>(
    `select count(*) as count from (select from transaction t where ${sideColumn[side]} = $1 limit $2) newest`,
    [wallet, most],
  );
  return row?.count ?? 0;
}

export async function tradeByKey(deps: Deps, txHash: string, ordinal: number): Promise<TradeView | null> {
  const [row] = await deps.sql<TradeView>(`${TRADE} where t.tx_hash = $1 and t.ordinal = $2`, [txHash, ordinal]);
  return row ?? null;
}

/** All trades of one transaction. */
export async function tradesIn(deps: Deps, txHash: string): Promise<TradeView[]> {
  return deps.sql<TradeView>(`${TRADE} where t.tx_hash = $1 order by t.ordinal`, [txHash]);
}

/** Those of the trades, by the ids of their events, that are recorded. */
export async function tradesByIds(deps: Deps, ids: readonly string[]): Promise<Map<string, TradeView>> {
  const rows = await deps.sql<TradeView>(`${TRADE} where t.event_id = any($1::text[])`, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

const SALE_PARTS = ['agent', 'agentName', 'amount', 'costBasis', 'realizedPnl', 'time', 'txHash'] as const;
/** A trade as PnL shows it. */
export type Sale = Pick<TradeView, (typeof SALE_PARTS)[number]>;
const sale = tradeSelection({ parts: SALE_PARTS });

/** The newest sales of a wallet. */
export async function salesOf(deps: Deps, wallet: string, limit: number): Promise<Sale[]> {
  return deps.sql<Sale>(
    newestTrades('t.trader = $1 and t.realized_pnl is not null', limit, `limit ${unseen('$2', 'int')}`, sale),
    [wallet, limit],
  );
}
