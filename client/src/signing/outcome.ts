import { type ErrorCode, TradeError } from '../errors.js';
import type { Clock } from '../http/clock.js';
import { encodeBalance, totalOf } from './calldata.js';
import { type Entry, type JournalFile, store } from './journal.js';
import { expiredOf } from './nonces.js';
import { type Receipt, type Rpc, RpcError } from './rpc.js';

export const POLL_MS = 300;
/**
 * Maximum number of polls for the receipt of a transaction that was mined, or whose nonce is used. A node of the RPC may lag: with
 * too few polls, a mined trade would count as replaced or lost, and its caller would trade again.
 */
export const LAG_POLLS = 50;

type Facts = {
  readonly clock: Clock;
  readonly address: string;
  readonly contract: string;
  /** Blocks that must follow the block of a transaction before it counts as mined. */
  readonly confirmations: number;
  /** Maximum wait for these blocks, in milliseconds. */
  readonly confirmMs: number;
};

/** Finds out what happened to the signed transactions of a wallet. */
export class Outcome {
  constructor(
    private readonly of: Facts,
    private readonly file: JournalFile,
    private readonly rpc: Rpc,
  ) {}

  store = (entry: Entry): Promise<Entry> => store(this.file, entry, this.of.clock.now());

  /**
   * Looks for a mined transaction of the entry. Returns the entry with its outcome, after storing it. undefined if none is mined.
   */
  async mined(entry: Entry): Promise<Entry | undefined> {
    for (const { hash } of entry.attempts) {
      const receipt = await this.#confirmed(entry, hash);
      if (!receipt) continue;
      const blockNumber = Number(receipt.blockNumber);
      if (BigInt(receipt.status) !== 1n) return this.store({ ...entry, state: 'reverted', open: false, hash, blockNumber });
      // If the block is still the same, the stored figures are right. A reorg may have moved the trade to another block, at another
      // price.
      if (isDone(entry) && entry.traded && entry.blockNumber === blockNumber) return entry;
      const traded = entry.kind === 'register' ? {} : { traded: await this.#traded(entry, receipt) };
      const ended = isDone(entry) ? {} : ({ state: 'mined', open: true } as const);
      return this.store({ ...entry, ...ended, ...traded, hash, blockNumber });
    }
    return undefined;
  }

  /** The receipt of a transaction, once enough blocks follow its block. undefined if the transaction is not mined. */
  async #confirmed(entry: Entry, hash: string): Promise<Receipt | undefined> {
    const { clock, confirmations, confirmMs } = this.of;
    for (const until = clock.now() + confirmMs; ; ) {
      const receipt = await this.rpc.receipt(hash);
      // Also refuses the receipt of another transaction, which a faulty RPC may return.
      if (receipt?.transactionHash.toLowerCase() !== hash) return undefined;
      const missing = confirmations && Number(receipt.blockNumber) + confirmations - (await this.rpc.height());
      if (missing <= 0) return receipt;
      if (clock.now() > until)
        throw unfinished('TRADE_PENDING', `the transaction is mined and waits for ${missing} more blocks`, entry);
      await clock.sleep(2000);
    }
  }

  /** The figures of a mined trade or withdrawal: see `Entry.traded`. Throws if its receipt lacks the event of the contract. */
  async #traded({ kind, terms }: Entry, { logs = [], blockNumber }: Receipt) {
    const own = logs.filter(({ address }) => address.toLowerCase() === this.of.contract);
    const total = own.map((log) => totalOf(kind, log)).find((found) => found !== undefined);
    if (total === undefined) throw new TradeError('RPC', `the receipt has no ${kind}`, { hint: 'Check rpcUrl and the contract.' });
    const { agent } = JSON.parse(terms) as { readonly agent?: string };
    return { total: String(total), held: agent ? await this.#held(agent, blockNumber) : 0 };
  }

  /**
   * Number of tickets that the wallet held after a block. If the node no longer has that state, the number that the wallet holds
   * now.
   */
  async #held(agent: string, block: string): Promise<number> {
    const { clock, contract, address } = this.of;
    const data = encodeBalance(agent, address);
    for (let poll = 0; ; poll++) {
      try {
        return Number(await this.rpc.read(contract, data, block));
      } catch (error) {
        // A node that lags does not have the block yet, so this waits for it, up to a limit.
        if (poll === LAG_POLLS || !(error instanceof RpcError)) return Number(await this.rpc.read(contract, data));
        await clock.sleep(POLL_MS);
      }
    }
  }

  isNonceUsed = async ({ nonce }: Entry): Promise<boolean> => (await this.rpc.count(this.of.address, 'latest')) > nonce;

  isExpired = async (entry: Entry): Promise<boolean> => (await expiredOf(this.rpc, [entry], this.of.clock.now())).length > 0;

  /**
   * What became of an entry that has expired, or that was mined and that a reorg may have removed. Returns the entry if it is mined
   * now; `waits` if it was mined, and is back in a node's pool; `used` if its nonce is used, but the RPC has no receipt for the entry
   * (see `isSuperseded`); `free` if its nonce is unused. A node may lag, so if the nonce is used, or if the entry was mined before,
   * `used` and `free` are returned only after LAG_POLLS polls.
   */
  async fate(entry: Entry): Promise<Entry | 'waits' | 'free' | 'used'> {
    for (let poll = 0; ; poll++) {
      const mined = await this.mined(entry);
      if (mined) return mined;
      const isUsed = await this.isNonceUsed(entry);
      const isWaiting = !isUsed && isDone(entry) && (await this.rpc.isKnown(String(entry.hash)));
      if (isWaiting && !(await this.isExpired(entry))) return 'waits';
      if (poll === LAG_POLLS || !(isUsed || isDone(entry))) return isUsed ? 'used' : 'free';
      await this.of.clock.sleep(POLL_MS);
    }
  }

  /**
   * Whether another transaction of the journal is on the chain with the nonce of this entry. Then this entry cannot be mined any
   * more, and its job may be signed again with a new nonce. Otherwise the nonce may have been used by this entry, whose receipt the
   * RPC lacks.
   */
  async isSuperseded({ id, nonce }: Entry): Promise<boolean> {
    const others = (await this.file.read()).filter((other) => other.wallet === this.of.address && other.id !== id);
    const hashes = others.flatMap((other) => (other.nonce === nonce && other.hash ? [other.hash] : []));
    return (await Promise.all(hashes.map((hash) => this.rpc.receipt(hash)))).some(Boolean);
  }

  /** Closes an entry whose transaction can no longer be mined, because another one has used its nonce. */
  close = (entry: Entry): Promise<Entry> => this.store({ ...entry, state: 'replaced', open: false });

  /** Closes an entry whose nonce is used although the RPC has no receipt for it, and throws TRADE_REPLACED. */
  async replaced(entry: Entry): Promise<never> {
    await this.close(entry);
    throw new TradeError('TRADE_REPLACED', 'another transaction of the wallet has used the nonce', {
      hint: 'The RPC has no receipt. Check the transactions of the wallet, then trade again, with a new id if it had one.',
      details: { id: entry.id, nonce: entry.nonce, terms: entry.terms },
    });
  }
}

/** Whether the transaction of an entry was mined. A reorg may still undo that. */
export const isDone = ({ state }: Entry): boolean => state === 'mined' || state === 'recorded';

/** The details of an error about a signed transaction. With them, the caller can find and continue it. */
export const named = ({ id, terms, attempts }: Entry) => ({ id, hash: attempts.at(-1)?.hash, terms });

/** The error of a trade that was mined, and that a reorg has then removed from the chain. */
export const gone = (entry: Entry, next = 'To trade again under this id, say so: again: true, or --again.') =>
  new TradeError('GONE', `the trade is no longer on the chain: a reorg removed it from block ${entry.blockNumber}`, {
    hint: `Nothing was traded now. ${next}`,
    details: { ...named(entry), blockNumber: entry.blockNumber },
  });

/** The error of a transaction that may still be mined. */
export const unfinished = (code: ErrorCode, message: string, entry: Entry, cause?: unknown): TradeError =>
  new TradeError(code, message, {
    hint: `Call again with the same id, ${entry.id}, or the same terms: it continues, and does not trade twice.`,
    details: named(entry),
    cause,
  });

/** Adds the sent transaction to an error of the RPC, so that the caller continues it instead of trading again. */
export async function afterSending<T>(entry: Entry, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TradeError) || error.code !== 'RPC' || error.details.hash) throw error;
    const { blockNumber: block } = entry;
    const sent = block === undefined ? 'sent, and its outcome is unknown' : `mined in block ${block}`;
    throw unfinished('RPC', `${error.message}. The transaction was ${sent}`, entry, error);
  }
}
