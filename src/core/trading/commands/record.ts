import type { Traded } from '../../../chain/events.js';
import { factsIn } from '../../../chain/receipts.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Wei } from '../../../money.js';
import { type Actor, findAgent } from '../../agents/queries.js';
import { eventId, tradeKey } from '../../notices/eventid.js';
import { checkThesis } from '../../notices/text.js';
import { type TradeView, tradesIn } from '../queries/trades.js';
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
  const meant = meaning(actor.wallet, submission);
  const recorded = async (trades: readonly TradeView[]): Promise<RecordedTrade | null> => {
    const known = await claim(deps, actor.wallet, trades, thesis);
    return known && { trade: { ...known.trade, thesis }, position: known.position };
  };
  const stored = (await tradesIn(deps, submission.txHash)).filter(meant);
  // A trade in an agent of this service has its name: it need not be looked up.
  const atOnce = stored[0]?.agentName ? await recorded(stored) : null;
  if (atOnce) return atOnce;
  const agent = await findAgent(deps, submission.agent);
  const facts = await factsFromChain(deps, submission.txHash);
  const fact = facts.find(meant);
  if (fact === undefined) throw new AppError('TRADE_UNVERIFIED');
  const indexed = await catchUp(deps, fact.blockNumber);
  const caughtUp = await recorded((await tradesIn(deps, submission.txHash)).filter(meant));
  if (caughtUp) return caughtUp;
  // The chain was reorganised between the receipt and the index.
  if (indexed) throw new AppError('TRADE_UNVERIFIED');
  const claimed = await claim(deps, actor.wallet, facts.filter(meant), thesis);
  return { trade: noted(claimed?.trade ?? fact, actor, agent, thesis), position: null };
}

type Candidate = Pick<TradeView, 'txHash' | 'ordinal' | 'agent' | 'trader' | 'amount' | 'sale'>;

/** Whether a trade of the transaction is one that the submission may mean. */
const meaning =
  (wallet: string, { kind, agent, amount }: TradeSubmission) =>
  (trade: Candidate): boolean =>
    trade.sale === (kind === 'sold') && trade.trader === wallet && trade.agent === agent && trade.amount === amount;

/** From the receipt, at one confirmation: the index may be behind it. */
async function factsFromChain({ market }: Deps, txHash: string): Promise<(Traded & { readonly sale: boolean })[]> {
  return factsIn(await market.receipt(txHash), market.contract)
    .filter((fact): fact is Traded => fact.kind === 'bought' || fact.kind === 'sold')
    .map((fact) => ({ ...fact, sale: fact.kind === 'sold' }));
}

type Claimed<T> = { readonly trade: T; readonly position: { readonly amount: number; readonly cost: Wei } };

/**
 * Claims one of the trader's trades, of several that are alike the first that is not claimed yet, and reads what it holds
 * of the agent. A claim by somebody else is of a trade that a reorganisation took back, with another in its place. null if
 * there is no trade to claim.
 */
async function claim<T extends Candidate>(
  deps: Deps,
  claimant: string,
  trades: readonly T[],
  thesis: string | null,
): Promise<Claimed<T> | null> {
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
