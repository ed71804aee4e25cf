import type { Answer, Transport } from './http/transport.js';
import {
  confidenceFault,
  type RecordError,
  type Recorded,
  record,
  type Terms,
  termsGiven,
  termsIn,
  textOfTerms,
  thesisOf,
} from './recording.js';
import { decodeTrade, encodeAgentOf, encodePrice, encodeTrade, type Side } from './signing/calldata.js';
import { trust, untrusted } from './signing/connection.js';
import { toEth, toWei } from './signing/ether.js';
import { type Entry, isOpen, type JournalFile, termsOf } from './signing/journal.js';
import type { Rpc } from './signing/rpc.js';
import type { Transaction } from './signing/signer.js';
import type { Call, Job, Wallet } from './signing/wallet.js';

export type TradeRequest = {
  /** Wallet address of the agent whose tickets are traded, its agentId, or its name. */
  readonly agent: string;
  /** Number of tickets, from 1 to 20. */
  readonly amount: number;
  /** Accepted change of the price in percent, from 0 to 50. @default 5 */
  readonly maxSlippage?: number;
  /** Reason for the trade: no `$`, no `{`, no URL, at most 140 characters. It is public. */
  readonly thesis?: string;
  /** How sure you are that the trade pays within a day, after the fees of both ways: from 1 to 99 percent. Needs a thesis. */
  readonly confidence?: number;
  /**
   * Name of this trade. For 30 days, every call with the same id means the same trade, even after it has ended. Until the thesis is
   * recorded, such a call can correct it, and its confidence. Without an id, a call continues an unfinished trade with the same
   * agent, amount, thesis and confidence, if there is one.
   */
  readonly id?: string;
  /** Trades again if the chain has lost the trade of this id (`GONE`). @default false */
  readonly again?: boolean;
  /**
   * Leaves the trade open until `trade.close(id)`, or for 24 hours. As long as it is open, a call with the same agent, amount,
   * thesis and confidence returns it instead of trading again. @default false
   */
  readonly hold?: boolean;
};

export type TradeResult = {
  readonly id: string;
  readonly hash: string;
  readonly blockNumber: number;
  /** What was paid for a purchase or received for a sale, fees included, in wei (`totalEth`: in ETH). Read from the chain. */
  readonly total: string;
  readonly totalEth: string;
  /** Tickets of the agent that the wallet held after the trade. Read from the chain. */
  readonly ticketsHeld: number;
  /** The trade as the service recorded it. null if that failed: the service finds the trade on the chain later. */
  readonly trade: Recorded['trade'] | null;
  /** The thesis that the service has recorded. Until it has, the thesis that was given. null if the trade has none. */
  readonly thesis: string | null;
  /** Why the service did not record the trade with its thesis. The trade is made: a call without its id could trade again. */
  readonly recordError: RecordError | null;
  /** The position of the wallet after the trade. null if the service does not know it. */
  readonly position: Recorded['position'];
  /** Whether an earlier call signed the trade, ended or not. Then this call signed nothing. */
  readonly continued: boolean;
};

/** What a trade would do. Amounts are in wei, as decimal texts. */
export type TradePlan = {
  readonly side: Side;
  readonly agent: string;
  readonly amount: number;
  /** Cost of a purchase or payout of a sale, fees included. */
  readonly total: string;
  readonly totalEth: string;
  /** Maximum cost of a purchase or minimum payout of a sale that the contract accepts. */
  readonly bound: string;
  readonly boundEth: string;
  /** Maximum gas fee of the transaction. */
  readonly maxGasFee: string;
  /** Last block time at which the contract accepts the transaction. null if it does not expire. */
  readonly deadline: string | null;
  readonly transaction: Transaction;
};

export type Trade = {
  buy(request: TradeRequest): Promise<TradeResult>;
  sell(request: TradeRequest): Promise<TradeResult>;
  /** Checks everything that a trade checks before it signs, and signs nothing. */
  dryRun(side: Side, request: TradeRequest): Promise<TradePlan>;
  /** Trades, registrations and withdrawals that have not ended. */
  open(): Promise<Pick<Entry, 'id' | 'kind' | 'terms' | 'state'>[]>;
  /** Closes a trade, a registration or a withdrawal that `hold` has left open. */
  close(id: string): Promise<void>;
};

/** Creates the functions that trade. They carry out a purchase or a sale from the quote to the record of the trade. */
export function tradeOf(t: Transport, signing: Wallet): Trade {
  const trade = (side: Side) => async (request: TradeRequest) => {
    const asked = await askedOf(t, signing, side, request);
    return signing.journal.exclusive(async (file) => {
      const started = t.clock.now();
      const terms = { ...(await earlierReason(file, signing, request)), ...asked };
      const entry = await signing.run(file, jobOf(t, signing, terms, request));
      const done = await record(t, file, entry, { ...terms, hold: request.hold === true });
      return resultOf(done, done.signedAt < started);
    });
  };
  return {
    buy: trade('buy'),
    sell: trade('sell'),
    async dryRun(side, request) {
      const terms = await askedOf(t, signing, side, request);
      return signing.journal.exclusive(async (file) => {
        const quoted = await quotedCall(t, signing, await signing.rpc(), { ...terms, ...slippage(request) });
        return planOf(terms, quoted, await signing.prepare(file, quoted));
      });
    },
    async open() {
      const entries = await signing.journal.exclusive((file) => file.read());
      return entries
        .filter((entry) => isOpen(entry, t.clock.now()) && entry.wallet === signing.address)
        .map((entry) => ({ id: entry.id, kind: entry.kind, terms: termsOf(entry), state: entry.state }));
    },
    close: (id) =>
      signing.journal.exclusive(async (file) => {
        const close = (entry: Entry) => (entry.id === id ? { ...entry, open: false, request: undefined } : entry);
        await file.write((await file.read()).map(close));
      }),
  };
}

/** The thesis of an earlier call with the same id, and its confidence. They count if the new call has no thesis. */
async function earlierReason(file: JournalFile, { address }: Wallet, request: TradeRequest): Promise<Partial<Terms>> {
  const entry = (await file.read()).find((one) => one.wallet === address && one.id === request.id);
  if (!entry || request.thesis !== undefined) return {};
  const { thesis, confidence } = termsGiven(entry);
  return { thesis, confidence };
}

/**
 * The fields of a request. Any other is refused: a misspelled `slippage` would be ignored, and the trade would accept 5 percent.
 */
const FIELDS: readonly string[] = ['agent', 'amount', 'maxSlippage', 'thesis', 'confidence', 'id', 'again', 'hold'];

async function askedOf(t: Transport, wallet: Wallet, side: Side, request: TradeRequest): Promise<Terms> {
  const wrong = Object.keys(request).find((name) => !FIELDS.includes(name));
  if (wrong !== undefined) throw new RangeError(`a trade has no ${wrong}, but ${FIELDS.join(', ')}`);
  const { agent, amount, thesis, confidence, id } = request;
  if (id === '') throw new RangeError('the id of a trade must not be empty');
  const fault = confidenceFault(request);
  if (fault !== undefined) throw new RangeError(fault);
  const address = /^0x[0-9a-f]{40}$/i.test(agent) ? agent : await walletOf(t, wallet, agent);
  return { side, agent: address.toLowerCase(), amount, ...(thesis === undefined ? {} : { thesis, confidence }) };
}

/** The wallet of the agent with a name or agentId. Throws unless the service and the contract name the same wallet. */
async function walletOf(t: Transport, wallet: Wallet, name: string): Promise<string> {
  const { walletAddress } = (await t.request('GET /api/agents/{address}', { path: { address: name } })).agent;
  const onChain = await (await wallet.rpc()).read(wallet.limits.contract, encodeAgentOf(name));
  const registered = `0x${onChain.slice(-40)}`.toLowerCase();
  const same = String(walletAddress).toLowerCase() === registered;
  trust(same, `the service says that ${name} is ${walletAddress}, and the contract says ${registered}`);
  return registered;
}

const textWithoutReason = ({ side, agent, amount }: Terms): string => textOfTerms({ side, agent, amount });

const jobOf = (t: Transport, wallet: Wallet, terms: Terms, request: TradeRequest): Job => ({
  id: request.id,
  kind: terms.side,
  terms: textOfTerms(terms),
  // A call with the id of an earlier trade may only correct its thesis and confidence. Side, agent and amount must be equal.
  corrects: (given) => textWithoutReason(termsIn(given)) === textWithoutReason(terms),
  again: request.again,
  build: (rpc) => quotedCall(t, wallet, rpc, { ...terms, ...slippage(request) }),
});

const slippage = ({ maxSlippage = 5 }: TradeRequest): { readonly bps: bigint } => {
  if (!(maxSlippage >= 0 && maxSlippage <= 50)) throw new RangeError('maxSlippage is a percentage from 0 to 50');
  return { bps: BigInt(Math.round(maxSlippage * 100)) };
};

const BPS = 10_000n;
/** Slippage that the bound of the service's quotes contains, in basis points. */
const QUOTE_BPS = 500n;
/** The bound of a trade: a purchase accepts a higher price, a sale a lower one. Rounded as the service does. */
const withSlippage = (side: Side, total: bigint, bps: bigint): bigint =>
  side === 'buy' ? (total * (BPS + bps) + BPS - 1n) / BPS : (total * (BPS - bps)) / BPS;
const isWorse = (side: Side, price: bigint, bound: bigint): boolean => (side === 'buy' ? price > bound : price < bound);

type Quoted = Call & { readonly total: bigint; readonly bound: bigint };

/** Asks for a quote, and refuses it unless it is exactly the trade that was asked for, at the price of the chain. */
async function quotedCall(
  t: Transport,
  wallet: Wallet,
  rpc: Rpc,
  { side, agent, amount, thesis, bps }: Terms & { readonly bps: bigint },
): Promise<Quoted> {
  const { address, limits, deadlineSeconds } = wallet;
  // The query contains the thesis, so that the service refuses a thesis that it would not record before anything is signed.
  const query = { action: side, agent, amount, walletAddress: address, deadlineSeconds, thesis };
  // The quote is requested before the price is read: if the trade is not possible, the error of the service explains
  // why.
  const { to, from, value, gasLimit, call, total } = read(await t.request('GET /api/tickets/quote', { query }));
  const onChain = BigInt(await rpc.read(limits.contract, encodePrice(side, agent, amount)));
  trust(to === limits.contract.toLowerCase(), `the quote is for the contract ${to}`);
  trust(from === address, `the quote is for the wallet ${from}`);
  const same = call?.side === side && call.agent === agent && call.amount === amount;
  if (!call || !same) throw untrusted('the quote is for another call than this trade');
  trust(value === (side === 'buy' ? call.bound : 0n), 'the value of the quote is not its maximum cost');
  trust(!isWorse(side, call.bound, withSlippage(side, total, QUOTE_BPS)), 'the bound of the quote exceeds its price');
  checkDeadline(t, call.deadline, deadlineSeconds);
  const [quoted, actual] = [withSlippage(side, total, bps), withSlippage(side, onChain, bps)];
  const honest = !isWorse(side, total, actual);
  trust(honest, `the quote of ${toEth(total)} ETH is worse than the price on the chain, ${toEth(onChain)} ETH`);
  // The bound comes from one price only, the better one of the quote and the chain. It is at least 1: the contract refuses 0.
  const bound = (isWorse(side, quoted, actual) ? actual : quoted) || 1n;
  const { deadline } = call;
  const data = encodeTrade({ side, agent, amount, bound, deadline });
  return { data, value: side === 'buy' ? bound : 0n, gasLimit, total, bound, deadline };
}

/** Reads the parts of a quote. Throws UNTRUSTED_ANSWER if the quote is malformed. */
function read({ transaction, totalCost }: Answer<'GET /api/tickets/quote'>) {
  try {
    const { to, from, data, value, gasLimit } = transaction;
    const addresses = { to: to.toLowerCase(), from: from.toLowerCase() };
    const numbers = { value: BigInt(value), gasLimit: BigInt(gasLimit), total: toWei(totalCost) };
    return { ...addresses, ...numbers, call: decodeTrade(data) };
  } catch {
    throw untrusted('the quote is malformed');
  }
}

/** Accepted difference between the clocks of the service and of this process, in seconds. */
const MAX_SKEW_SECONDS = 60;

/** Throws unless the quote expires at the time that the client asked for, or never if the client asked for no deadline. */
function checkDeadline(t: Transport, deadline: number | undefined, seconds: number | undefined): void {
  const expected = seconds === undefined ? undefined : t.clock.now() / 1000 + seconds;
  const isRight =
    expected === undefined || deadline === undefined ? deadline === expected : Math.abs(deadline - expected) <= MAX_SKEW_SECONDS;
  const named = (time?: number) => (time === undefined ? 'never' : `at ${new Date(time * 1000).toISOString()}`);
  trust(isRight, `the quote expires ${named(deadline)} instead of ${named(expected)}. The clock may be wrong`);
}

const planOf = ({ side, agent, amount }: Terms, { total, bound, deadline }: Quoted, transaction: Transaction): TradePlan => ({
  side,
  agent,
  amount,
  total: String(total),
  totalEth: toEth(total),
  bound: String(bound),
  boundEth: toEth(bound),
  maxGasFee: String(transaction.gasLimit * transaction.maxFeePerGas),
  deadline: deadline === undefined ? null : new Date(deadline * 1000).toISOString(),
  transaction,
});

function resultOf(entry: Entry, continued: boolean): TradeResult {
  const { id, hash = '', blockNumber = 0, traded } = entry;
  const { trade = null, position = null, recordError = null } = (entry.result ?? {}) as Partial<TradeResult>;
  // An entry that an earlier version wrote has no `traded`. The figures of the service are used instead.
  const { total = trade?.total ?? '0', held = position?.amount ?? 0 } = traded ?? {};
  const facts = { total, totalEth: toEth(BigInt(total)), ticketsHeld: held };
  return { id, hash, blockNumber, ...facts, trade, position, thesis: thesisOf(entry), recordError, continued };
}
