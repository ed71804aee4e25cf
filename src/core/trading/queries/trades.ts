import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import type { TradeType } from '../../../store/entities/Transaction.js';

/** A recorded trade. Names are null where a wallet is not an agent of this service. */
export type TradeView = {
  readonly id: string;
  readonly type: TradeType;
  readonly sale: boolean;
  readonly amount: number;
  readonly price: Wei;
  readonly protocolFee: Wei;
  readonly agentFee: Wei;
  /** Of a sale: what the tickets had cost, and what was earned on them. */
  readonly costBasis: Wei | null;
  readonly realizedPnl: Wei | null;
  readonly thesis: string | null;
  readonly agent: string;
  readonly agentName: string | null;
  readonly agentId: string | null;
  readonly trader: string;
  readonly traderName: string | null;
  readonly traderAgentId: string | null;
  readonly txHash: string;
  /** Position among the contract's logs of the transaction. */
  readonly ordinal: number;
  readonly blockNumber: number;
  readonly time: Date;
};

export const TRADE_COLUMNS = `t.event_id as id, t.type, t.realized_pnl is not null as sale, t.amount, t.price, t.protocol_fee as "protocolFee", t.agent_fee as "agentFee",
    t.cost_basis as "costBasis", t.realized_pnl as "realizedPnl", claim.thesis, t.agent, a.name as "agentName",
    a.agent_id as "agentId", t.trader, b.name as "traderName", b.agent_id as "traderAgentId", t.tx_hash as "txHash", t.ordinal,
    t.block_number as "blockNumber", t.block_time as time`;
export const TRADE_FROM = `transaction t
  left join agent a on a.wallet = t.agent
  left join agent b on b.wallet = t.trader
  left join trade_claim claim on claim.tx_hash = t.tx_hash and claim.ordinal = t.ordinal`;
const TRADE = `select ${TRADE_COLUMNS} from ${TRADE_FROM}`;

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
    `${TRADE} where ${sideColumn[side]} = $1 order by t.block_number desc, t.log_index desc limit $2 offset $3`,
    [wallet, limit, offset],
  );
}

/** How many trades a wallet has, counted no further than `most`. */
export async function countTrades(deps: Deps, wallet: string, side: TradeSide, most: number): Promise<number> {
  const [row] = await deps.sql<{ count: number }>(
    `select count(*) as count from (select from transaction t where ${sideColumn[side]} = $1 limit $2) as some`,
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

/** The newest sales of a wallet. */
export async function salesOf(deps: Deps, wallet: string, limit: number): Promise<TradeView[]> {
  return deps.sql<TradeView>(
    `${TRADE} where t.trader = $1 and t.realized_pnl is not null
     order by t.block_number desc, t.log_index desc limit $2`,
    [wallet, limit],
  );
}
