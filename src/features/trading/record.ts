import { factsOfReceipt, type Traded } from '../../chain/logs/facts.js';
import { RangeRefused } from '../../chain/logs/ranges.js';
import { RpcUnavailable } from '../../chain/rpc.js';
import type { Deps } from '../../deps.js';
import { AppError, type TradeReason, tradeReasons } from '../../errors/errors.js';
import { catchUp } from '../../index/ingest.js';
import { recoverTrade } from '../../index/repair.js';
import type { Actor } from '../../keys.js';
import type { Ctx, UseCase } from '../../use-case.js';
import { eventId, tradeKey } from '../../values/trade.js';
import { refuseHidden } from '../agents/hidden-profile.js';
import { announceThesis, checkThesis, type HeldPosition, newEligibility, recordedOrdinals, storeThesis } from '../theses/theses.js';
import { pnlCaches } from './pnl.js';
import { type MarketNames, tradedMarket } from './prices/markets.js';
import { type SubmittableTrade, type TradeRow, tradesIn } from './trades.js';

export type TradeSubmission = {
  readonly side: 'buy' | 'sell';
  readonly txHash: string;
  readonly agent: string;
  readonly amount: number;
  readonly thesis?: string | undefined;
  readonly confidence?: number | undefined;
};

/** A recorded trade. `position`, `costBasis` and `realizedPnl` are null if the index has not reached the block of the trade. */
export type StoredTrade = { readonly trade: TradeRow; readonly position: HeldPosition | null };

/** The trades of a transaction that match a submission. `isIndexed` says that they come from the index, not from the receipt. */
type Matching = { readonly trades: readonly SubmittableTrade[]; readonly isIndexed: boolean };

type Prepared = Matching & { readonly thesis: string | null; readonly confidence: number | null };

/**
 * Records a trade that its trader submits. The trade itself comes from the chain: the indexer or this use case brings it into the
 * index, but only once. The submission adds a thesis record under the key of the trade. This record survives a rebuild of the
 * index.
 */
export const recordTrade: UseCase<'required', TradeSubmission, Prepared, StoredTrade> = {
  async prepare(ctx, submission) {
    const thesis = submission.thesis === undefined ? null : checkThesis(submission.thesis);
    const { confidence = null } = submission;
    if (confidence !== null && thesis === null) {
      throw new AppError('INVALID_FIELD', { field: 'confidence', expected: 'left out without a thesis' });
    }
    const found = await matchingTrades(ctx, submission);
    if (found.trades.every(({ hasRecord }) => hasRecord)) throw new AppError('TRADE_RECORDED');
    return { thesis, confidence, ...found };
  },
  async effect(tx, { thesis, confidence, trades, isIndexed }, { deps, actor: { wallet } }) {
    if (thesis !== null) await refuseHidden(tx, wallet, { texts: [thesis] });
    // `storeThesis` skips a trade that has a record, also from a concurrent request. Then the next matching trade gets the record.
    for (const { hasRecord, ...trade } of trades) {
      const now = deps.clock.now();
      const position = await storeThesis(tx, { ...trade, author: wallet, text: thesis, confidence }, now);
      if (position === undefined) continue;
      if (thesis !== null) await announceThesis(tx, trade.id, now);
      const eligibility = thesis === null ? null : newEligibility(trade.time, now);
      return {
        trade: { ...trade, thesis, eligibility, confidence, givenAt: thesis === null ? null : now },
        position: isIndexed ? position : null,
      };
    }
    throw new AppError('TRADE_RECORDED');
  },
  after({ deps, actor }, { trade }) {
    pnlCaches.forget(deps, actor.wallet, trade.agent);
    if (trade.thesis !== null) deps.live.wake();
  },
};

/**
 * Finds the trades of a transaction that match a submission: in the index or, if they are not there yet, in the receipt of the
 * transaction. The thesis record goes to the first of them that has no record.
 */
async function matchingTrades(
  { deps, actor, count }: Ctx<'required'>,
  { side, txHash, agent, amount }: TradeSubmission,
): Promise<Matching> {
  const submitted: TradeParts = { sale: side === 'sell', trader: actor.wallet, agent, amount };
  const matches = (trade: TradeParts) => matchesSubmission(trade, submitted);
  const indexedTrades = async () => ({ trades: (await tradesIn(deps, txHash)).filter(matches), isIndexed: true });
  const stored = await indexedTrades();
  const [first] = stored.trades;
  // `tradedMarket` is skipped where it cannot fail: for an indexed sale, and if the traded agent has a profile.
  if (first && (submitted.sale || first.agentName)) return stored;
  const market = await tradedMarket(deps, side, agent);
  const facts = await factsFromChain(deps, txHash, count);
  const fact = facts.find(matches);
  if (fact === undefined) throw unverified(mismatchReason(facts, submitted));
  const indexed = await answered(catchUp(deps, fact.blockNumber));
  const indexedNow = await indexedTrades();
  if (indexedNow.trades.length > 0) return indexedNow;
  // The index has passed the block without this trade: an RPC omitted its log, or a reorg occurred. So the block is read again.
  if (indexed) {
    // `certain`: the index now certainly has every trade of the block. If it still lacks this trade, the chain does not have it.
    const certain = await answered(recoverTrade(deps, txHash, fact.blockNumber));
    const recovered = await indexedTrades();
    if (recovered.trades.length > 0) return recovered;
    if (certain) throw unverified('NOT_FOUND');
  }
  const views = facts.filter(matches).map((one) => viewOfUnindexed(one, actor, market));
  const recorded = await recordedOrdinals(deps, txHash, actor.wallet);
  return { trades: views.map((view) => ({ ...view, hasRecord: recorded.has(view.ordinal) })), isIndexed: false };
}

/**
 * Lets the caller retry if an RPC refuses even a single block: RpcUnavailable says so, and another RPC may serve the block next
 * time.
 */
const answered = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof RangeRefused ? new RpcUnavailable(error.message) : error;
  });

const unverified = (reason: TradeReason): AppError =>
  new AppError('TRADE_UNVERIFIED', { reason, why: tradeReasons[reason] }, { details: { reason } });

type SubmittedFact = Traded & { readonly sale: boolean };

/**
 * Trades in the receipt of the transaction, which needs only one confirmation, so the index may lag behind. The call counts in its
 * rate limit only if there is a receipt.
 */
async function factsFromChain({ chain }: Deps, txHash: string, count: Ctx['count']): Promise<SubmittedFact[]> {
  const receipt = await chain.receipt(txHash);
  if (receipt === null) throw unverified('NOT_FOUND');
  await count();
  if (receipt.status !== 1) throw unverified('REVERTED');
  return factsOfReceipt(receipt, chain.contract)
    .filter((fact): fact is Traded => fact.kind === 'bought' || fact.kind === 'sold')
    .map((fact) => ({ ...fact, sale: fact.kind === 'sold' }));
}

/**
 * Makes the row of a trade that is not indexed yet from its log. The trader is an agent, so the type is AGENT_BUY or AGENT_SELL.
 */
function viewOfUnindexed(fact: SubmittedFact, actor: Actor, agent: MarketNames): TradeRow {
  return {
    ...fact,
    id: eventId(tradeKey(fact.txHash, fact.ordinal)),
    type: fact.sale ? 'AGENT_SELL' : 'AGENT_BUY',
    costBasis: null,
    realizedPnl: null,
    thesis: null,
    eligibility: null,
    confidence: null,
    givenAt: null,
    agentName: agent.name,
    agentId: agent.agentId,
    traderName: actor.name,
    traderAgentId: actor.agentId,
  };
}

/** The parts of a trade that a submission must state correctly. */
export type TradeParts = {
  readonly sale: boolean;
  readonly trader: string;
  readonly agent: string;
  readonly amount: number;
};

/** The parts of a trade in the order in which they are compared, each with the reason of a mismatch. */
const steps = [
  ['sale', 'WRONG_EVENT'],
  ['trader', 'NOT_YOURS'],
  ['agent', 'WRONG_AGENT'],
  ['amount', 'WRONG_AMOUNT'],
] as const satisfies readonly (readonly [keyof TradeParts, TradeReason])[];

/** Whether all parts of a trade agree with the submission. */
export const matchesSubmission = (trade: TradeParts, submission: TradeParts): boolean =>
  steps.every(([part]) => trade[part] === submission[part]);

/**
 * The reason why no trade of a transaction matches a submission: the first part in which the closest trade differs. Parts are
 * compared in the order of `steps`. The more of the first parts agree, the closer is a trade.
 */
export function mismatchReason(trades: readonly TradeParts[], submission: TradeParts): TradeReason {
  let closest = trades;
  for (const [part, reason] of steps) {
    closest = closest.filter((trade) => trade[part] === submission[part]);
    if (closest.length === 0) return reason;
  }
  throw new Error('a trade matches the submission');
}
