import { TradeError } from '../errors.js';
import type { Transport } from '../http/transport.js';
import { selectors } from './calldata.js';
import type { Journal } from './journal.js';
import type { SpendingLimits } from './limits.js';
import { Rpc } from './rpc.js';
import type { Signer } from './signer.js';

export type WalletOptions = {
  readonly signer?: Signer | undefined;
  /** Limits of what the signer signs. Required to sign. */
  readonly limits?: SpendingLimits | undefined;
  /** Record of everything that was signed. Required to sign. `fileJournal` of `curvet-client/node` survives a crash. */
  readonly journal?: Journal | undefined;
  /** URL of the JSON-RPC. @default the RPC that the service names */
  readonly rpcUrl?: string | undefined;
  /** Maximum wait for a transaction to be mined, in milliseconds. @default 120000 */
  readonly confirmMs?: number | undefined;
  /**
   * Number of blocks that must follow the block of a transaction before it counts as mined. Leave it at 0 on a chain that makes
   * blocks only for transactions, such as the embedded chain: there, no other block may follow. @default 0
   */
  readonly confirmations?: number | undefined;
  /**
   * Time in which a trade must be mined, in seconds from 10 to 3600: the contract refuses it later. null: trades do not
   * expire. @default 600, or null if the contract was deployed before trades could expire
   */
  readonly deadlineSeconds?: number | null | undefined;
};

export const DEFAULT_DEADLINE_SECONDS = 600;

/** A wallet, its limits, and the connection to the chain on which it signs. */
export class Connection {
  readonly signer: Signer;
  readonly limits: SpendingLimits;
  readonly journal: Journal;
  readonly address: string;
  #rpc: Promise<Rpc> | undefined;
  #overloads = true;

  constructor(
    protected readonly transport: Transport,
    protected readonly options: WalletOptions,
  ) {
    const { signer, limits, journal, deadlineSeconds } = options;
    if (!signer || !limits || !journal) {
      const missing = Object.entries({ signer, limits, journal }).flatMap(([name, value]) => (value ? [] : [name]));
      throw new TradeError('NOT_CONFIGURED', `the client has no ${missing.join(', no ')}`, {
        hint: 'Pass signer, limits and journal to new Curvet().',
      });
    }
    if (deadlineSeconds != null && !(deadlineSeconds >= 10 && deadlineSeconds <= 3600)) {
      throw new RangeError('deadlineSeconds is a number from 10 to 3600, or null');
    }
    [this.signer, this.limits, this.journal] = [signer, limits, journal];
    this.address = signer.address.toLowerCase();
  }

  /**
   * Connects to the RPC. Resolves after the service and the RPC have confirmed the chain and the contract that the
   * limits name.
   */
  rpc(): Promise<Rpc> {
    this.#rpc ??= this.#connect().catch((error: unknown) => {
      this.#rpc = undefined;
      throw error;
    });
    return this.#rpc;
  }

  /** Whether the contract accepts deadlines, and tickets in a registration. Only certain after `rpc()` has resolved. */
  get overloads(): boolean {
    return this.#overloads;
  }

  /** Seconds in which a trade must be mined. undefined if trades do not expire. Only certain after `rpc()` has resolved. */
  get deadlineSeconds(): number | undefined {
    const { deadlineSeconds = this.#overloads ? DEFAULT_DEADLINE_SECONDS : null } = this.options;
    return deadlineSeconds ?? undefined;
  }

  async #connect(): Promise<Rpc> {
    const { chainId, contractAddress, rpcUrl, overloads } = await this.transport.request('GET /api/contract', {});
    const { limits } = this;
    trust(chainId === limits.chainId, `the service is on chain ${chainId}, not ${limits.chainId}`);
    const same = contractAddress.toLowerCase() === limits.contract.toLowerCase();
    trust(same, `the service names the contract ${contractAddress}, not ${limits.contract}`);
    const url = this.options.rpcUrl ?? rpcUrl;
    if (!url) throw new TradeError('NOT_CONFIGURED', 'the service names no RPC', { hint: 'Pass rpcUrl to new Curvet().' });
    const rpc = new Rpc(url, this.transport.fetch, this.transport.clock);
    const actual = await rpc.chainId();
    trust(actual === limits.chainId, `the RPC is on chain ${actual}, not ${limits.chainId}`);
    if (!overloads) await this.#checkEarlierContract(rpc);
    this.#overloads = overloads;
    return rpc;
  }

  /** Throws unless the code of the contract confirms what the service says: that the contract has no deadlines. */
  async #checkEarlierContract(rpc: Rpc): Promise<void> {
    const code = await rpc.code(this.limits.contract);
    const hasDeadlines = code.includes(selectors.buyTickets.withDeadline.slice(2));
    trust(!hasDeadlines, 'the service says that the contract has no deadlines, but it has');
    if (this.options.deadlineSeconds == null) return;
    throw new TradeError('NOT_CONFIGURED', 'the contract has no deadlines', {
      hint: 'It was deployed before trades could expire. Omit deadlineSeconds to trade without.',
    });
  }
}

/** Throws UNTRUSTED_ANSWER unless the condition holds. */
export function trust(holds: boolean, message: string): void {
  if (!holds) throw untrusted(message);
}

export const untrusted = (message: string): TradeError =>
  new TradeError('UNTRUSTED_ANSWER', message, { hint: 'Nothing was signed. Check the service, or the limits.' });
