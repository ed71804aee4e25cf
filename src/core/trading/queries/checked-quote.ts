import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { formatEth } from '../../../money.js';
import type { Actor } from '../../agents/queries/lookup.js';
import { revertReason } from '../reasons.js';
import { type QuoteRequest, type TradeQuote, tradeQuote, type UnsignedTransaction } from './quote.js';

/** A quote whose transaction was tried by `eth_call`: it succeeds on the present state of the chain. */
export async function checkedQuote(deps: Deps, actor: Actor, request: QuoteRequest): Promise<TradeQuote> {
  const quote = await tradeQuote(deps, actor, request);
  await tryTransaction(deps, quote.transaction);
  return quote;
}

/** Throws if the wallet has too little ether, or if the contract refuses the transaction. */
async function tryTransaction({ market }: Deps, transaction: UnsignedTransaction): Promise<void> {
  const { from, value } = transaction;
  const [balance, revert] = await Promise.all([
    value === 0n ? value : market.etherBalance(from),
    market.dryRun(transaction),
  ]);
  if (balance < value) throw new AppError('INSUFFICIENT_ETHER', { held: formatEth(balance), needed: formatEth(value) });
  if (revert === null) return;
  throw new AppError('TRADE_REVERTS', { why: revertReason(revert) }, { details: { revert: revert.name } });
}
