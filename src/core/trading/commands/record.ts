import type { Traded } from '../../../chain/logs/facts.js';
import { factsOfReceipt } from '../../../chain/logs/receipts.js';
import type { Deps } from '../../../deps.js';
import { AppError, type TradeReason, tradeReasons } from '../../../errors.js';
import type { Spend } from '../../../limits/limits.js';
import type { Wei } from '../../../money.js';
import { sqlIn } from '../../../store/sql.js';
import type { Actor } from '../../agents/queries/lookup.js';
import { eventId, tradeKey } from '../../events/event-id.js';
import { checkThesis } from '../../text/rules.js';
import { type MarketNames, tradedMarket } from '../queries/markets.js';
import { type TradeRow, tradesIn } from '../queries/trades.js';
import { matchesSubmission, mismatchReason, type TradeParts } from '../reasons.js';
import { catchUp } from './ingest.js';
import { recoverTrade } from './recover-trade.js';

export type TradeSubmission = {
  readonly kind: 'bought' | 'sold';
  readonly txHash: string;
  readonly agent: string;
  readonly amount: number;
  readonly thesis?: string | undefined;
};

/** `position` and the FIFO figures are null while the index has not reached the trade's block. */
export type RecordedTrade = {
  readonly trade: TradeRow;
  readonly position: { readonly amount: number; readonly cost: Wei } | null;
};

/**
 * Records a trade that its trader submits. The trade is a chain fact, which is applied once, by the indexer or here. The
 * submission adds a thesis record under the trade's key, which survives a rebuild.
 */
export async function recordTrade(
  deps: Deps,
  actor: Actor,
  submission: TradeSubmission,
  spend: Spend,
): Promise<RecordedTrade> {
  const thesis = submission.thesis === undefined ? null : checkThesis(submission.thesis);
  const { kind, amount } = submission;
  const submitted: TradeParts = { sale: kind === 'sold', trader: actor.wallet, agent: submission.agent, amount };
  const matches = (trade: TradeParts) => matchesSubmission(trade, submitted);
  const author = { trader: actor.wallet, thesis, spend };
  const recorded = async (trades: readonly TradeRow[]): Promise<RecordedTrade | null> => {
    const result = await storeThesisRecord(deps, trades, author);
    return result && { trade: { ...result.trade, thesis }, position: result.position };
  };
  const stored = (await tradesIn(deps, submission.txHash)).filter(matches);
  const selling = submission.kind === 'sold';
  // The lookup of the market is skipped where it cannot fail: for an indexed sale, and if the traded agent has a
  // profile.
  const immediate = selling || stored[0]?.agentName ? await recorded(stored) : null;
  if (immediate) return immediate;
  const agent = await tradedMarket(deps, selling ? 'sell' : 'buy', submission.agent);
  const facts = await factsFromChain(deps, submission.txHash, spend);
  const fact = facts.find(matches);
  if (fact === undefined) throw unverified(mismatchReason(facts, submitted));
  const indexed = await catchUp(deps, fact.blockNumber);
  const indexedNow = await recorded((await tradesIn(deps, submission.txHash)).filter(matches));
  if (indexedNow) return indexedNow;
  // The index has passed the block without the trade: an RPC omitted its log, or a reorg occurred.
  if (indexed) {
    const certain = await recoverTrade(deps, submission.txHash, fact.blockNumber);
    const recovered = await recorded((await tradesIn(deps, submission.txHash)).filter(matches));
    if (recovered) return recovered;
    if (certain) throw unverified('NOT_FOUND');
  }
  const stillUnindexed = await storeThesisRecord(deps, facts.filter(matches), author);
  return { trade: viewOfUnindexed(stillUnindexed?.trade ?? fact, actor, agent, thesis), position: null };
}

type Candidate = TradeParts & Pick<TradeRow, 'txHash' | 'ordinal'>;

const unverified = (reason: TradeReason): AppError =>
  new AppError('TRADE_UNVERIFIED', { reason, why: tradeReasons[reason] }, { details: { reason } });

/** Trades in the receipt, with one confirmation; the index may lag behind. A missing receipt consumes no rate limit. */
async function factsFromChain(
  { market }: Deps,
  txHash: string,
  spend: Spend,
): Promise<(Traded & { readonly sale: boolean })[]> {
  const receipt = await market.receipt(txHash);
  if (receipt === null) throw unverified('NOT_FOUND');
  await spend();
  if (receipt.status !== 1) throw unverified('REVERTED');
  return factsOfReceipt(receipt, market.contract)
    .filter((fact): fact is Traded => fact.kind === 'bought' || fact.kind === 'sold')
    .map((fact) => ({ ...fact, sale: fact.kind === 'sold' }));
}

type StoredRecord<T> = { readonly trade: T; readonly position: { readonly amount: number; readonly cost: Wei } };

/** The author of a thesis record, with its text and the rate limit that storing it consumes. */
type Author = { readonly trader: string; readonly thesis: string | null; readonly spend: Spend };

/**
 * Stores a thesis record for the first of the matching trades that has none, and reads the trader's position. A record by
 * another wallet is replaced: it belongs to a trade that a reorg removed. null if there is no matching trade.
 */
async function storeThesisRecord<T extends Candidate>(
  deps: Deps,
  trades: readonly T[],
  { trader, thesis, spend }: Author,
): Promise<StoredRecord<T> | null> {
  if (await hasAllRecords(deps, trader, trades)) throw new AppError('TRADE_RECORDED');
  if (trades.length > 0) await spend();
  for (const trade of trades) {
    const values = [trade.txHash, trade.ordinal, trader, thesis, deps.clock.now().toISOString(), trade.agent];
    const [position] = await deps.write((tx) =>
      sqlIn(tx)<Record<'amount' | 'cost', string | number>>(STORE_RECORD, values),
    );
    if (position) return { trade, position: { amount: Number(position.amount), cost: BigInt(position.cost) } };
  }
  if (trades.length > 0) throw new AppError('TRADE_RECORDED');
  return null;
}

/** Returns no row if the trader has a record of the trade already. */
const STORE_RECORD = `
  with claimed as (
    insert into trade_claim (tx_hash, ordinal, claimant, thesis, created_at) values ($1, $2, $3, $4, $5)
    on conflict (tx_hash, ordinal) do update
      set claimant = excluded.claimant, thesis = excluded.thesis, created_at = excluded.created_at
      where trade_claim.claimant <> excluded.claimant
    returning claimant
  )
  select coalesce(held.amount, 0) as amount, coalesce(held.cost, 0) as cost
  from claimed left join ticket_holding held on held.agent = $6 and held.holder = claimed.claimant`;

/** True if the trader has records for all of the trades. False for an empty list. Such a repeat consumes no rate limit. */
async function hasAllRecords(deps: Deps, trader: string, trades: readonly Candidate[]): Promise<boolean> {
  const [first] = trades;
  if (first === undefined) return false;
  const records = await deps.sql<{ ordinal: number }>(
    'select ordinal from trade_claim where tx_hash = $1 and claimant = $2',
    [first.txHash, trader],
  );
  return trades.every((trade) => records.some(({ ordinal }) => ordinal === trade.ordinal));
}

/** View of a trade that is not indexed yet, from its log. The trader is an agent, so the type is AGENT_BUY or AGENT_SELL. */
function viewOfUnindexed(fact: Traded, actor: Actor, agent: MarketNames, thesis: string | null): TradeRow {
  return {
    id: eventId(tradeKey(fact.txHash, fact.ordinal)),
    type: fact.kind === 'bought' ? 'AGENT_BUY' : 'AGENT_SELL',
    amount: fact.amount,
    price: fact.price,
    protocolFee: fact.protocolFee,
    agentFee: fact.agentFee,
    costBasis: null,
    realizedPnl: null,
    thesis,
    sale: fact.kind === 'sold',
    agent: fact.agent,
    agentName: agent.name,
    agentId: agent.agentId,
    trader: fact.trader,
    traderName: actor.name,
    traderAgentId: actor.agentId,
    txHash: fact.txHash,
    ordinal: fact.ordinal,
    blockNumber: fact.blockNumber,
    time: fact.time,
  };
}
