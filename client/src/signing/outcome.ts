import { TradeError } from '../errors.js';
import type { Clock } from '../http/clock.js';
import { type Entry, type JournalFile, store } from './journal.js';
import { expiredOf } from './nonces.js';
import type { Rpc } from './rpc.js';

export const POLL_MS = 300;
/**
 * Number of polls for the receipt of a transaction whose nonce is used: a node of the RPC may lag. With too few polls, a mined
 * trade counts as replaced, and its caller trades again.
 */
export const LAG_POLLS = 50;

/** What happened to the signed transactions of a wallet. */
export class Outcome {
  constructor(
    private readonly clock: Clock,
    private readonly address: string,
    private readonly file: JournalFile,
    private readonly rpc: Rpc,
  ) {}

  store = (entry: Entry): Promise<Entry> => store(this.file, entry, this.clock.now());

  /** The entry with its receipt. undefined if none of its transactions is mined. */
  async mined(entry: Entry): Promise<Entry | undefined> {
    for (const { hash } of entry.attempts) {
      const receipt = await this.rpc.receipt(hash);
      if (receipt?.transactionHash.toLowerCase() !== hash) continue;
      const succeeded = BigInt(receipt.status) === 1n;
      const outcome = { state: succeeded ? 'mined' : 'reverted', open: succeeded } as const;
      return this.store({ ...entry, ...outcome, hash, blockNumber: Number(receipt.blockNumber) });
    }
    return undefined;
  }

  isNonceUsed = async ({ nonce }: Entry): Promise<boolean> => (await this.rpc.count(this.address, 'latest')) > nonce;

  isExpired = async (entry: Entry): Promise<boolean> =>
    (await expiredOf(this.rpc, [entry], this.clock.now())).length > 0;

  /**
   * What became of an expired transaction: it is mined, its nonce is free for the next signature, or another transaction has
   * used the nonce.
   */
  async afterDeadline(entry: Entry): Promise<Entry | 'free' | 'used'> {
    for (let poll = 0; ; poll++) {
      const mined = await this.mined(entry);
      if (mined) return mined;
      if (!(await this.isNonceUsed(entry))) return 'free';
      if (poll === LAG_POLLS) return 'used';
      await this.clock.sleep(POLL_MS);
    }
  }

  /** Whether another transaction of the journal is mined with the nonce of this entry. */
  async isSuperseded({ id, nonce }: Entry): Promise<boolean> {
    const others = (await this.file.read()).filter((other) => other.wallet === this.address && other.id !== id);
    return others.some((other) => other.nonce === nonce && other.blockNumber !== undefined);
  }

  /** Closes an entry whose transaction can no longer be mined, because another one has used its nonce. */
  close = (entry: Entry): Promise<Entry> => this.store({ ...entry, state: 'replaced', open: false });

  async replaced(entry: Entry): Promise<never> {
    await this.close(entry);
    throw new TradeError('TRADE_REPLACED', 'another transaction of the wallet has used the nonce', {
      hint: 'Nothing was traded. Check the transactions of the wallet, then trade again, with a new id if it had one.',
      details: { nonce: entry.nonce, terms: entry.terms },
    });
  }
}
