import type { Traded } from '../../../chain/logs/facts.js';
import { factsOfReceipt } from '../../../chain/logs/receipts.js';
import type { Deps } from '../../../deps.js';
import { AppError, type TradeReason, tradeReasons } from '../../../errors.js';
import type { Spend } from '../../../limits/limits.js';
import type { Wei } from '../../../money.js';
import type { Actor } from '../../agents/queries.js';
import { eventId, tradeKey } from '../../events/event-id.js';
import { checkThesis } from '../../text/rules.js';
import { type MarketNames, tradedMarket } from '../queries/markets.js';
import { type TradeView, tradesIn } from '../queries/trades.js';
import { isMeant, reasonAgainst, type TradeParts } from '../reasons.js';
import { catchUp } from './ingest.js';
import { recallTrade } from './recall.js';

export type TradeSubmission = {
  readonly kind: 'bought' | 'sold';
  readonly txHash: string;
  readonly agent: string;
  readonly amount: number;
  readonly thesis?: string | undefined;
};

/** `position` and the FIFO figures are null while the index has not reached the trade's block. */
export type RecordedTrade = {
  readonly trade: TradeView;
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
  const { kind, agent: inAgent, amount } = submission;
  const wanted: TradeParts = { sale: kind === 'sold', trader: actor.wallet, agent: inAgent, amount };
  const meant = (trade: TradeParts) => isMeant(trade, wanted);
  const recorded = async (trades: readonly TradeView[]): Promise<RecordedTrade | null> => {
    const known = await claim(deps, actor.wallet, trades, thesis, spend);
    return known && { trade: { ...known.trade, thesis }, position: known.position };
  };
  const stored = (await tradesIn(deps, submission.txHash)).filter(meant);
  const selling = submission.kind === 'sold';
  // An indexed sale proves that its market exists, and an agent with a profile is known. Both skip the lookup.
  const atOnce = selling || stored[0]?.agentName ? await recorded(stored) : null;
  if (atOnce) return atOnce;
  const agent = await tradedMarket(deps, selling ? 'sell' : 'buy', submission.agent);
  const facts = await factsFromChain(deps, submission.txHash, spend);
  const fact = facts.find(meant);
  if (fact === undefined) throw unverified(reasonAgainst(facts, wanted));
  const indexed = await catchUp(deps, fact.blockNumber);
  const caughtUp = await recorded((await tradesIn(deps, submission.txHash)).filter(meant));
  if (caughtUp) return caughtUp;
  // The index has passed the block without the trade: an RPC omitted its log, or a reorg occurred.
  if (indexed) {
    const certain = await recallTrade(deps, submission.txHash, fact.blockNumber);
    const recalled = await recorded((await tradesIn(deps, submission.txHash)).filter(meant));
    if (recalled) return recalled;
    if (certain) throw unverified('NOT_FOUND');
  }
  const claimed = await claim(deps, actor.wallet, facts.filter(meant), thesis, spend);
  return { trade: noted(claimed?.trade ?? fact, actor, agent, thesis), position: null };
}

type Candidate = TradeParts & Pick<TradeView, 'txHash' | 'ordinal'>;

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

type Claimed<T> = { readonly trade: T; readonly position: { readonly amount: number; readonly cost: Wei } };

/**
 * Stores a thesis record for the first of the matching trades that has none, and reads the trader's position. A record by
 * another wallet is replaced: it belongs to a trade that a reorg removed. null if there is no matching trade.
 */
async function claim<T extends Candidate>(
  deps: Deps,
  claimant: string,
  trades: readonly T[],
  thesis: string | null,
  spend: Spend,
): Promise<Claimed<T> | null> {
  if (await areClaimed(deps, claimant, trades)) throw new AppError('TRADE_RECORDED');
  if (trades.length > 0) await spend();
  for (const trade of trades) {
    const [position] = await deps.sql<Claimed<T>['position']>(
      `with claimed as (
         insert into trade_claim (tx_hash, ordinal, claimant, thesis, created_at) values ($1, $2, $3, $4, $5)
         on conflict (tx_hash, ordinal) do update
           set claimant = excluded.claimant, thesis = excluded.thesis, created_at = excluded.created_at
           where trade_claim.claimant <> excluded.claimant
         returning claimant
       )
       select coalesce(held.amount, 0) as amount, coalesce(held.cost, 0) as cost
       from claimed left join ticket_holding held on held.agent = $6 and held.holder = claimed.claimant`,
      [trade.txHash, trade.ordinal, claimant, thesis, deps.clock.now(), trade.agent],
    );
    if (position) return { trade, position };
  }
  if (trades.length > 0) throw new AppError('TRADE_RECORDED');
  return null;
}

/** True if the trader has records for all of the trades. False for an empty list. Such a repeat consumes no rate limit. */
async function areClaimed(deps: Deps, claimant: string, trades: readonly Candidate[]): Promise<boolean> {
  const [first] = trades;
  if (first === undefined) return false;
  const claims = await deps.sql<{ ordinal: number }>(
    'select ordinal from trade_claim where tx_hash = $1 and claimant = $2',
    [first.txHash, claimant],
  );
  return trades.every((trade) => claims.some(({ ordinal }) => ordinal === trade.ordinal));
}

/** View of a trade that is not indexed yet, from its log. The trader is an agent, so the type is AGENT_BUY or AGENT_SELL. */
function noted(fact: Traded, actor: Actor, agent: MarketNames, thesis: string | null): TradeView {
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
