import { TradeError } from '../errors.js';
import { Connection } from './connection.js';
import { toEth } from './ether.js';
import { correctedTo, type Entry, isOpen, isPending, isReplaced, type JournalFile } from './journal.js';
import { keccak256 } from './keccak.js';
import { checkLimits, mostOf, spentToday } from './limits.js';
import { expiredOf, nextNonce, replacing } from './nonces.js';
import { afterSending, gone, isDone, LAG_POLLS, named, Outcome, POLL_MS, unfinished } from './outcome.js';
import { type Rpc, RpcError } from './rpc.js';
import type { Transaction } from './signer.js';

/** A call of the contract that is about to be signed. */
export type Call = {
  readonly data: string;
  readonly value: bigint;
  readonly gasLimit: bigint;
  /** Last block time at which the contract accepts the call, in seconds since 1970. */
  readonly deadline?: number | undefined;
};

/** A transaction that must be mined exactly once, even if several runs try it. */
export type Job = {
  readonly id?: string | undefined;
  readonly kind: Entry['kind'];
  readonly terms: string;
  /** Whether an entry with the id of the job is the same job although its terms differ, as after a corrected thesis. */
  readonly corrects?: (terms: string) => boolean;
  /** Whether to sign a transaction again that the chain has lost in a reorg. */
  readonly again?: boolean | undefined;
  /** Builds the call of the transaction. null if the chain needs no transaction. */
  readonly build: (rpc: Rpc) => Promise<Call | null>;
};

/** An earlier entry of the same job. If `nonce` is undefined, the next signature gets a new nonce. */
type Previous = { readonly entry: Entry; readonly nonce: number | undefined };

/** Maximum wait for a transaction to be mined, in milliseconds. */
const CONFIRM_MS = 120_000;
/** Depth in blocks at which a trade is final and not looked up again: a node may have pruned the receipt of so old a trade. */
const FINAL_BLOCKS = 10_000;
/** Advice if a lost trade cannot be signed again with the same nonce. */
const LOST_MORE =
  'The chain has lost earlier transactions of the wallet, too: a second signature could be mined beside the first. ' +
  'If the trade does not come back, trade with a new id.';
/** Seconds that the client waits for a transaction after its deadline, because its block may arrive late. */
const EXPIRY_SECONDS = 5;

/** Signs within the limits, writes the journal before it sends, and waits until a transaction is mined. */
export class Wallet extends Connection {
  /**
   * Prepares a transaction with all checks, up to its signature. A dry run ends after this function, so it refuses exactly what a
   * live run refuses.
   */
  async prepare(file: JournalFile, call: Call, previous?: Previous): Promise<Transaction> {
    const [rpc, { address, limits }] = [await this.rpc(), this];
    const now = this.transport.clock.now();
    const entries = await file.read();
    const mine = entries.filter(({ wallet }) => wallet === address);
    const [nonce, market, balance] = await Promise.all([
      previous?.nonce ?? expiredOf(rpc, mine.filter(isPending), now).then((expired) => nextNonce(rpc, address, expired)),
      rpc.fees(),
      rpc.balance(address),
    ]);
    // A node may still have these transactions with the same nonce: the fees must be high enough to replace them.
    const isRival = (entry: Entry) => isPending(entry) || entry.id === previous?.entry.id;
    const rivals = mine.filter((entry) => isRival(entry) && entry.nonce === nonce);
    const fees = replacing(
      rivals.flatMap(({ attempts }) => attempts),
      market,
    );
    const { chainId, contract } = limits;
    const { data, value, gasLimit } = call;
    const gas = { gas: gasLimit, gasLimit };
    const hex = (text: string) => text.toLowerCase() as `0x${string}`;
    const transaction = { chainId, nonce, to: hex(contract), data: hex(data), value, ...gas, ...fees };
    // An earlier signature of this job with the same nonce does not count as spent, because only one of the two can be mined.
    const isPrevious = (entry: Entry) => entry.id === previous?.entry.id && entry.nonce === nonce;
    const others = entries.filter((entry) => !isPrevious(entry) && entry.attempts.length > 0);
    checkLimits(limits, transaction, spentToday(others, now));
    if (balance < mostOf(transaction)) {
      throw new TradeError('INSUFFICIENT_FUNDS', `the wallet has ${toEth(balance)} ETH`, {
        hint: `The transaction can take ${toEth(mostOf(transaction))} ETH, gas included. Send ether to ${address}.`,
      });
    }
    // Throws if the contract would refuse the call now.
    await rpc.simulate({ from: address, to: contract, data, value: `0x${value.toString(16)}` });
    return transaction;
  }

  /** Does the job, or continues it where an earlier run stopped. Returns the entry of the mined transaction. */
  async run(file: JournalFile, job: Job): Promise<Entry> {
    const found = await this.#find(file, job);
    const continued = found && (await afterSending(found, () => this.#continue(file, found, job)));
    const entry = continued ?? (await this.#start(file, job));
    if (entry.state === 'reverted') {
      throw new TradeError('TRADE_REVERTED', 'the chain reverted the transaction', {
        hint: 'Nothing was traded. Only gas was paid.',
        details: named(entry),
      });
    }
    return entry;
  }

  async #start(file: JournalFile, job: Job): Promise<Entry> {
    await this.#settleOthers(file);
    const call = await job.build(await this.rpc());
    if (!call) return (await this.#outcome(file)).store(this.#unsigned(job));
    return this.#confirm(file, await this.#sign(file, job, call), { fresh: true });
  }

  /** Continues an entry. undefined if its transaction was replaced, and the job must start again with a new entry. */
  async #continue(file: JournalFile, entry: Entry, job: Job): Promise<Entry | undefined> {
    if (entry.state === 'replaced') return this.#minedAfterAll(file, entry, job);
    // The contract registers a wallet only once, so a mined registration is not looked up again. A trade is, because of reorgs.
    if (isDone(entry)) return entry.kind === 'register' ? entry : this.#stillMined(file, entry, job);
    const outcome = await this.#outcome(file);
    // The transaction was reverted. A reorg may have moved it to a block in which it succeeds.
    if (!isPending(entry)) return (await outcome.mined(entry)) ?? entry;
    return (await outcome.isExpired(entry)) ? this.#renew(file, entry, job) : this.#confirm(file, entry, { job });
  }

  async #outcome(file: JournalFile): Promise<Outcome> {
    const { confirmations = 0, confirmMs = CONFIRM_MS } = this.options;
    const contract = this.limits.contract.toLowerCase();
    const facts = { clock: this.transport.clock, address: this.address, contract, confirmations, confirmMs };
    return new Outcome(facts, file, await this.rpc());
  }

  /** The entry of a job: that of its id. Without an id, an open entry with the same terms, or else the newest replaced one. */
  async #find(file: JournalFile, { id, kind, terms, corrects }: Job): Promise<Entry | undefined> {
    const entries = (await file.read()).filter(({ wallet }) => wallet === this.address);
    const now = this.transport.clock.now();
    const same = (entry: Entry) => entry.kind === kind && [entry.terms, ...(entry.corrections ?? [])].includes(terms);
    if (id === undefined) {
      const open = entries.find((entry) => isOpen(entry, now) && same(entry));
      return open ?? entries.findLast((entry) => isReplaced(entry, now) && same(entry));
    }
    const entry = entries.find((candidate) => candidate.id === id);
    if (entry && !same(entry) && !(entry.kind === kind && corrects?.(entry.terms))) {
      throw new TradeError('TRADE_ID_REUSED', `the id ${id} belongs to another trade`, { hint: 'Use a new id.' });
    }
    return entry;
  }

  /**
   * Checks an entry with the state `replaced` again: the RPC had reported that its nonce is used, but no receipt. If its
   * transaction is mined after all, the job is done. Otherwise a job without an id starts again, and a job with an id fails.
   */
  async #minedAfterAll(file: JournalFile, entry: Entry, { id }: Job): Promise<Entry | undefined> {
    const outcome = await this.#outcome(file);
    const mined = await outcome.mined(entry);
    return mined ?? (id === undefined ? undefined : outcome.replaced(entry));
  }

  /**
   * Checks that a mined trade is still on the chain: a reorg removes it, and a development chain may be reset. If the trade waits
   * in a node's pool, this waits for it. If the chain has lost it, it is traded again only if the caller says so (`again`).
   */
  async #stillMined(file: JournalFile, entry: Entry, job: Job): Promise<Entry> {
    const { blockNumber = 0, traded, result } = entry;
    const hasTotal = traded ?? result?.trade;
    if (hasTotal && (await (await this.rpc()).height()) - blockNumber > FINAL_BLOCKS) return entry;
    return this.#renew(file, entry, job);
  }

  /** An entry without a transaction, for a job that needs none: it counts as mined. `#sign` adds the transaction to it. */
  #unsigned = ({ id = crypto.randomUUID(), kind, terms }: Job): Entry => ({
    id,
    kind,
    terms,
    wallet: this.address,
    nonce: -1,
    attempts: [],
    atMost: '0',
    open: true,
    signedAt: this.transport.clock.now(),
    state: 'mined',
  });

  /** Signs the call of a job. The signature leaves this function only after it is in the journal, so that no crash can lose it. */
  async #sign(file: JournalFile, job: Job, call: Call, previous?: Previous): Promise<Entry> {
    const transaction = await this.prepare(file, call, previous);
    const raw = await this.signer.signTransaction(transaction);
    const { id = job.id, attempts = [], atMost: earlier = 0, nonce } = previous?.entry ?? {};
    const [most, before] = [mostOf(transaction), BigInt(earlier)];
    // With the same nonce, only one signature can be mined, so the larger amount counts. With another nonce, both count.
    const atMost = nonce !== transaction.nonce ? before + most : most > before ? most : before;
    const { maxFeePerGas, maxPriorityFeePerGas } = transaction;
    const fees = { maxFeePerGas: String(maxFeePerGas), maxPriorityFeePerGas: String(maxPriorityFeePerGas) };
    return (await this.#outcome(file)).store({
      ...this.#unsigned({ ...job, id }),
      ...(previous && correctedTo(job.terms, previous.entry)),
      nonce: transaction.nonce,
      attempts: [...attempts, { raw, hash: keccak256(raw), fees }],
      atMost: String(atMost),
      deadline: call.deadline,
      state: 'signed',
    });
  }

  /**
   * Waits for earlier transactions, because they may still use the next nonce. It does not wait for an expired one,
   * which the next signature replaces.
   */
  async #settleOthers(file: JournalFile): Promise<void> {
    const outcome = await this.#outcome(file);
    const waiting = (await file.read()).filter((entry) => entry.wallet === this.address && isPending(entry));
    for (const entry of waiting) {
      try {
        if (!(await outcome.isExpired(entry))) await this.#confirm(file, entry, {});
        else if ((await outcome.fate(entry)) === 'used') await outcome.close(entry);
      } catch (error) {
        if (!(error instanceof TradeError)) throw error;
        // A replaced transaction has ended, so nothing waits for it. The next call of its own trade reports it.
        if (error.code === 'TRADE_REPLACED') continue;
        throw new TradeError(error.code, `an earlier transaction of the wallet has not ended: ${error.message}`, {
          hint: `Nothing was signed for this trade. Run it again later, or first that of the id ${entry.id}.`,
        });
      }
    }
  }

  /** Repeats a job whose transaction has expired or has disappeared. The entry changes only when the next signature is stored. */
  async #renew(file: JournalFile, entry: Entry, job: Job): Promise<Entry> {
    const outcome = await this.#outcome(file);
    const fate = await outcome.fate(entry);
    if (typeof fate === 'object') return fate;
    if (fate === 'waits') return this.#confirm(file, entry, {});
    if (fate === 'used' && !(await outcome.isSuperseded(entry))) return outcome.replaced(entry);
    if (isDone(entry) && !job.again) throw gone(entry);
    const nonce = fate === 'free' ? await this.#freeNonce(entry) : undefined;
    // If the lost transactions came back, both signatures would be mined. Only a withdrawal is safe: the contract pays the fees
    // once.
    if (isDone(entry) && entry.kind !== 'withdraw' && nonce !== undefined && nonce < entry.nonce) throw gone(entry, LOST_MORE);
    return (await this.#signAgain(file, job, { entry, nonce })) ?? outcome.replaced(entry);
  }

  /**
   * The nonce for another signature of an entry: the same nonce, or the next one of the chain if that is lower. Never a higher one:
   * a node that lags may hide the earlier signature, and both would be mined.
   */
  async #freeNonce({ nonce }: Entry): Promise<number> {
    return Math.min(await (await this.rpc()).count(this.address, 'pending'), nonce);
  }

  /** Signs the call of a job again, sends it, waits until it is mined. undefined if the chain needs no transaction any more. */
  async #signAgain(file: JournalFile, job: Job, previous: Previous): Promise<Entry | undefined> {
    const call = await job.build(await this.rpc());
    return call ? this.#confirm(file, await this.#sign(file, job, call, previous), { fresh: true }) : undefined;
  }

  /**
   * Sends a signed transaction and waits until it is mined. With a job, a transaction that the RPC refuses is signed again with the
   * same nonce, so that only one of them can be mined. `fresh`: it was signed just now, so it is sent before its receipt is sought.
   */
  #confirm = (file: JournalFile, entry: Entry, how: { job?: Job; fresh?: boolean }): Promise<Entry> =>
    afterSending(entry, () => this.#untilMined(file, entry, how));

  async #untilMined(file: JournalFile, entry: Entry, { job, fresh }: { job?: Job; fresh?: boolean }): Promise<Entry> {
    const [rpc, outcome, { clock }] = [await this.rpc(), await this.#outcome(file), this.transport];
    const expiry = ((entry.deadline ?? Number.POSITIVE_INFINITY) + EXPIRY_SECONDS) * 1000;
    const until = Math.min(clock.now() + (this.options.confirmMs ?? CONFIRM_MS), expiry);
    let used = 0;
    for (let poll = 0; ; poll++) {
      const mined = poll > 0 || !fresh ? await outcome.mined(entry) : undefined;
      if (mined) return mined;
      const refused = poll === 0 ? await this.#send(rpc, entry) : undefined;
      if (poll === 0 && !refused) continue;
      if (await outcome.isNonceUsed(entry)) {
        if (++used > LAG_POLLS) return outcome.replaced(entry);
      } else if (refused) {
        const again = job && (await this.#signAgain(file, job, { entry, nonce: entry.nonce }));
        if (again) return again;
        throw unfinished(refused.code, refused.message, entry, refused);
      }
      if (clock.now() > until) throw unfinished('TRADE_PENDING', 'the transaction is not mined yet', entry);
      await clock.sleep(poll < 10 || used > 0 ? POLL_MS : 2000);
    }
  }

  /**
   * Sends the newest signed transaction. Returns the error if the RPC refuses it. An RPC that already has the transaction may
   * answer with an error, too, but that is no refusal.
   */
  async #send(rpc: Rpc, { attempts }: Entry): Promise<RpcError | undefined> {
    const { raw = '', hash = '' } = attempts.at(-1) ?? {};
    try {
      await rpc.send(raw);
      return undefined;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return (await rpc.call('eth_getTransactionByHash', hash)) ? undefined : error;
    }
  }
}
