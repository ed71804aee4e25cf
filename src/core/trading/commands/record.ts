import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { Traded } from '../../../chain/events.js';
import { factsIn } from '../../../chain/receipts.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Wei } from '../../../money.js';
import { TradeClaim } from '../../../store/entities/TradeClaim.js';
import { type Actor, findAgent } from '../../agents/queries.js';
import { eventId, tradeKey } from '../../notices/eventid.js';
import { checkThesis } from '../../notices/text.js';
import { type TradeView, tradeByKey, tradesIn } from '../queries/trades.js';
import { catchUp } from './ingest.js';

export type TradeSubmission = {
  readonly kind: 'bought' | 'sold';
  readonly txHash: string;
  readonly agent: string;
  readonly amount: number;
  readonly thesis?: string | undefined;
};

/** `position` is null, as are the figures of FIFO, while the trade is noted but the index has not come to it. */
export type RecordedTrade = {
  readonly trade: TradeView;
  readonly position: { readonly amount: number; readonly cost: Wei } | null;
};

/**
 * A trader brings its trade. The trade itself is a fact that is applied once, whoever brought it first; what the trader
 * adds is its claim, with the thesis. A claim stands under the trade's own key and outlives a rebuild.
 */
export async function recordTrade(deps: Deps, actor: Actor, submission: TradeSubmission): Promise<RecordedTrade> {
  const thesis = submission.thesis === undefined ? null : checkThesis(submission.thesis);
  const agent = await findAgent(deps, submission.agent);
  const known = await unclaimed(deps, actor.wallet, submission, await tradesIn(deps, submission.txHash));
  if (known) {
    await claim(deps, actor.wallet, known, thesis);
    return { trade: { ...known, thesis }, position: await positionOf(deps, known.agent, actor.wallet) };
  }
  const fact = await factFromChain(deps, actor.wallet, submission);
  const indexed = await catchUp(deps, fact.blockNumber);
  const stored = await tradeByKey(deps, fact.txHash, fact.ordinal);
  // The chain was reorganised between the receipt and the index.
  if (indexed && stored === null) throw new AppError('TRADE_UNVERIFIED');
  await claim(deps, actor.wallet, fact, thesis);
  if (stored === null) return { trade: noted(fact, actor, agent, thesis), position: null };
  return { trade: { ...stored, thesis }, position: await positionOf(deps, fact.agent, actor.wallet) };
}

type Candidate = Pick<TradeView, 'txHash' | 'ordinal' | 'agent' | 'trader' | 'amount'>;

/**
 * The trade that the submission means, among those of its transaction: of several that are alike, one that is not
 * claimed yet. null if none is like it.
 */
async function unclaimed<T extends Candidate & { readonly sale: boolean }>(
  deps: Deps,
  wallet: string,
  { txHash, kind, agent, amount }: TradeSubmission,
  trades: readonly T[],
): Promise<T | null> {
  const matching = trades.filter(
    (trade) =>
      trade.sale === (kind === 'sold') && trade.trader === wallet && trade.agent === agent && trade.amount === amount,
  );
  if (matching.length === 0) return null;
  const claims = await deps.sql<{ ordinal: number }>('select ordinal from trade_claim where tx_hash = $1', [txHash]);
  const claimed = new Set(claims.map(({ ordinal }) => ordinal));
  const free = matching.find(({ ordinal }) => !claimed.has(ordinal));
  if (free === undefined) throw new AppError('TRADE_RECORDED');
  return free;
}

/** From the receipt, at one confirmation: the index may be behind it. */
async function factFromChain(deps: Deps, wallet: string, submission: TradeSubmission): Promise<Traded> {
  const { market } = deps;
  const trades = factsIn(await market.receipt(submission.txHash), market.contract)
    .filter((fact): fact is Traded => fact.kind === 'bought' || fact.kind === 'sold')
    .map((fact) => ({ ...fact, sale: fact.kind === 'sold' }));
  const fact = await unclaimed(deps, wallet, submission, trades);
  if (fact === null) throw new AppError('TRADE_UNVERIFIED');
  return fact;
}

async function claim(
  deps: Deps,
  claimant: string,
  { txHash, ordinal }: Candidate,
  thesis: string | null,
): Promise<void> {
  try {
    await deps.em.fork().insert(TradeClaim, { txHash, ordinal, claimant, thesis, createdAt: deps.clock.now() });
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) throw new AppError('TRADE_RECORDED', {}, { cause: error });
    throw error;
  }
}

async function positionOf(deps: Deps, agent: string, holder: string): Promise<{ amount: number; cost: Wei }> {
  const [row] = await deps.sql<{ amount: number; cost: Wei }>(
    'select amount, cost from ticket_holding where agent = $1 and holder = $2',
    [agent, holder],
  );
  return row ?? { amount: 0, cost: 0n };
}

/** What the log alone says of a trade. Its maker is an agent, so it trades as one. */
function noted(fact: Traded, actor: Actor, agent: { name: string; agentId: string }, thesis: string | null): TradeView {
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
