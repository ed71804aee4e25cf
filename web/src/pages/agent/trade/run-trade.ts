import type { Wei } from '../../../../../src/values/money.js';
import { faultOf, readQuote, type Side, type Transaction, tradeTransaction } from '../../../contract/calls.js';
import { revertSentence } from '../../../contract/reverts.js';
import { plainText, type Sentence } from '../../../format/sentence.js';
import type { Connection } from '../../../graphql/connection.js';
import { RequestError } from '../../../graphql/problem.js';
import { texts } from '../../../texts.js';
import { walletProblem } from '../../../ui/wallet/connect-panel.js';
import { hex, type Provider, revertData } from '../../../wallet/provider.js';
import type { ConnectedWallet } from '../../../wallet/wallets.js';
import type { Figures } from '../queries.js';
import { type IndexedTrade, indexedQuery, orderQuery } from './queries.js';

const words = texts.trade.problems;

/** Steps of a trade, in order. */
export const STEPS = ['check', 'sign', 'include', 'index'] as const;
export type StepName = (typeof STEPS)[number];

export type Order = {
  readonly side: Side;
  /** Wallet address of the agent whose tickets are traded. */
  readonly agent: string;
  readonly tickets: number;
  /** Slippage tolerance in percent. */
  readonly slippage: number;
  /** Address of the contract that the user has seen. */
  readonly contract: string;
  /** Maximum cost or minimum payout that the user has seen. */
  readonly bound: Wei;
};

export type Progress = {
  readonly step: StepName | 'done';
  readonly hash?: string;
  readonly blockNumber?: number;
  /** What the trade cost or paid in the end, in wei. */
  readonly total?: Wei;
  /** Only for a sale: its profit in wei, negative for a loss. */
  readonly profit?: Wei;
  /** Figures of the agent after the trade. */
  readonly figures?: Partial<Figures>;
};

/**
 * The reason why a trade ended early, as a sentence. `supply` is set if the price has moved, because the form must then show the
 * new price.
 */
export class TradeFailure extends Error {
  constructor(
    readonly reason: Sentence,
    readonly supply?: number,
  ) {
    super(plainText(reason));
  }
}

type Parts = {
  readonly connection: Connection;
  readonly wallet: ConnectedWallet;
  readonly report: (progress: Progress) => void;
  readonly signal: AbortSignal;
};

/** Seconds until the deadline of a transaction, in block time. The contract refuses the transaction in a later block. */
const LIFETIME = 600;
/** Pause between two requests for the receipt, and between two requests for the indexed trade, in milliseconds. */
const POLL_MS = 1000;

/** Checks, sends and follows one trade until the service has indexed it. Throws TradeFailure. */
export async function runTrade(order: Order, parts: Parts): Promise<void> {
  const { wallet, report, signal } = parts;
  report({ step: 'check' });
  const transaction = await prepared(order, parts);
  await simulate(wallet.provider, transaction);
  if (signal.aborted) return;
  report({ step: 'sign' });
  const hash = await signed(wallet.provider, transaction);
  report({ step: 'include', hash });
  const blockNumber = await included(wallet.provider, hash, transaction, signal);
  if (blockNumber === undefined) return;
  report({ step: 'index', hash, blockNumber });
  const trade = await indexed(order, hash, parts);
  if (!trade) return;
  const { total, realizedPnlWei, agent } = trade;
  const profit = realizedPnlWei === null ? {} : { profit: BigInt(realizedPnlWei) };
  report({ step: 'done', hash, blockNumber, total: BigInt(total), ...profit, figures: agent ?? {} });
}

/** Builds the transaction from the present price, and checks everything about it before the wallet sees it. */
async function prepared(order: Order, { connection, wallet }: Parts): Promise<Transaction> {
  const { side, agent, tickets, slippage, bound } = order;
  const type = side === 'buy' ? 'BUY' : 'SELL';
  const answer = await connection.query(orderQuery, { agent, tickets, type, slippage }).catch((error: unknown) => {
    const problem = error instanceof RequestError ? error.problem : undefined;
    throw new TradeFailure(problem ? [problem.message, problem.hint].filter(Boolean).join('. ') : words.noAnswer);
  });
  const { price, contract } = answer;
  if (!price) throw new TradeFailure(words.noAnswer);
  const now = BigInt((side === 'buy' ? price.maxTotalCost : price.minPayout) ?? '0');
  // The user agreed to the bound that the page showed. A worse bound needs another click.
  const isWorse = side === 'buy' ? now > bound : now < bound;
  // The contract refuses a bound of 0.
  if (isWorse || now === 0n) throw new TradeFailure(words.moved(BigInt(price.priceAfterFee)), price.totalSupply);
  if (contract.address !== order.contract) throw new TradeFailure(words.contractChanged);
  if (wallet.chainId !== contract.chainId) throw new TradeFailure(words.wrongChain);
  const call = { side, agent, tickets, bound: now, deadline: await deadlineOf(wallet.provider) };
  const transaction = tradeTransaction(wallet.account, contract.address, call);
  const fault = faultOf(transaction, contract, call);
  if (fault !== undefined) throw new TradeFailure(words.faults[fault]);
  await compareQuote(wallet.provider, transaction.to, order, now);
  return transaction;
}

/**
 * The deadline of the transaction. The contract compares it with block times, which may be ahead of the browser's clock. The last
 * block of a quiet chain may be old, so the later of both times counts.
 */
async function deadlineOf(provider: Provider): Promise<number> {
  const block = await asked(provider, 'eth_getBlockByNumber', ['latest', false]);
  const { timestamp = '0x0' } = (block ?? {}) as { readonly timestamp?: string };
  return Math.max(Number(timestamp), Math.floor(Date.now() / 1000)) + LIFETIME;
}

/**
 * Compares the bound with the quote that the contract gives through the wallet's node. A worse quote means that the wallet sees
 * another contract than this market's.
 */
async function compareQuote(provider: Provider, contract: string, order: Order, bound: Wei): Promise<void> {
  const { side, agent, tickets } = order;
  const quote = await readQuote(provider, contract, side, agent, tickets).catch((error: unknown) => {
    const data = revertData(error);
    throw new TradeFailure(data ? revertSentence(data) : words.otherContract);
  });
  const isWithin = side === 'buy' ? quote <= bound : quote >= bound;
  if (!isWithin) throw new TradeFailure(words.otherContract);
}

/** Runs the transaction without sending it, so that a transaction that is sure to revert costs no network fee. */
async function simulate(provider: Provider, { from, to, data, value }: Transaction): Promise<void> {
  const balance = BigInt((await asked(provider, 'eth_getBalance', [from, 'latest'])) as string);
  if (balance < BigInt(value)) throw new TradeFailure(words.tooPoor(balance, BigInt(value)));
  await provider.request({ method: 'eth_call', params: [{ from, to, data, value }, 'latest'] }).catch(failed);
}

const asked = (provider: Provider, method: string, params: readonly unknown[]): Promise<unknown> =>
  provider.request({ method, params }).catch((error: unknown) => {
    throw new TradeFailure(walletProblem(error));
  });

function failed(error: unknown): never {
  const data = revertData(error);
  throw new TradeFailure(data ? revertSentence(data) : walletProblem(error));
}

async function signed(provider: Provider, transaction: Transaction): Promise<string> {
  const hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] }).catch(failed);
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash)) throw new TradeFailure(words.noHash);
  return hash.toLowerCase();
}

type Receipt = { readonly status: string; readonly blockNumber: string } | null;

/** Waits for the receipt. Returns the number of the block, or undefined if the signal aborts the wait. */
async function included(
  provider: Provider,
  hash: string,
  transaction: Transaction,
  signal: AbortSignal,
): Promise<number | undefined> {
  while (!signal.aborted) {
    // A failed request for the receipt says nothing about the transaction, so the loop goes on.
    const receipt = (await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] }).catch(() => null)) as Receipt;
    if (receipt) {
      if (BigInt(receipt.status) === 0n) throw await reasonOf(provider, transaction, receipt.blockNumber);
      return Number(receipt.blockNumber);
    }
    await pause(signal);
  }
  return undefined;
}

/** Finds out why a transaction reverted. The receipt does not say it, so this repeats the call in the state of the block. */
async function reasonOf(provider: Provider, { from, to, data, value }: Transaction, block: string): Promise<Error> {
  const call = { from, to, data, value };
  const reason = await provider.request({ method: 'eth_call', params: [call, hex(BigInt(block))] }).then(
    () => undefined,
    (error: unknown) => revertData(error),
  );
  return new TradeFailure(words.reverted(reason ? revertSentence(reason) : words.noReason));
}

/** Waits until the service has indexed the trade. Failed requests are repeated, because the trade is on the chain in any case. */
async function indexed({ agent }: Order, hash: string, parts: Parts): Promise<IndexedTrade | undefined> {
  const { connection, wallet, signal } = parts;
  while (!signal.aborted) {
    const answer = await connection.query(indexedQuery, { trader: wallet.account, agent }).catch(() => undefined);
    const trade = answer?.trades.nodes.find(({ txHash }) => txHash.toLowerCase() === hash);
    if (trade) return trade;
    await pause(signal);
  }
  return undefined;
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, POLL_MS);
    signal.addEventListener('abort', end, { once: true });
  });
