import { Transaction, toBeHex } from 'ethers';
import { callData } from '../../../chain/contract-interface.js';
import type { RpcProvider } from '../../../chain/rpc.js';
import { walletOf } from '../wallets.js';
import { cast } from './cast.js';

const FUNDS = 5n * 10n ** 18n;
/** Gas limit of every transaction. It is more than any call of the demo needs. */
const GAS = 300_000n;
const MAX_FEE = 10n ** 10n;

/**
 * Sends the demo's transactions: signed by the agents' wallets, each in its own block with the planned time. Automining is
 * off; each call mines its block.
 */
export class Ledger {
  readonly #provider: RpcProvider;
  readonly #contract: string;
  readonly #chainId: number;
  readonly #wallets = cast.map((_, agent) => walletOf(agent));
  readonly #nonces = cast.map(() => 0);
  #lastBlock = 0;

  private constructor(provider: RpcProvider, contract: string, chainId: number) {
    this.#provider = provider;
    this.#contract = contract;
    this.#chainId = chainId;
  }

  static async open(provider: RpcProvider, contract: string, chainId: number): Promise<Ledger> {
    const ledger = new Ledger(provider, contract, chainId);
    await ledger.#ask('evm_setAutomine', [false]);
    ledger.#lastBlock = (await provider.getBlock('latest'))?.timestamp ?? 0;
    return ledger;
  }

  wallet(agent: number): string {
    return (this.#wallets[agent]?.address ?? '').toLowerCase();
  }

  async fund(agent: number): Promise<void> {
    await this.#ask('anvil_setBalance', [this.wallet(agent), toBeHex(FUNDS)]);
  }

  /** Sends a contract call in a block with the given time. Returns the transaction hash. */
  async call(
    agent: number,
    at: Date,
    {
      method,
      args,
      value = 0n,
    }: { readonly method: string; readonly args: readonly unknown[]; readonly value?: bigint },
  ): Promise<string> {
    const signer = this.#wallets[agent];
    if (signer === undefined) throw new Error(`there is no agent ${agent}`);
    const nonce = this.#nonces[agent] ?? 0;
    const transaction = Transaction.from({
      type: 2,
      chainId: this.#chainId,
      nonce,
      to: this.#contract,
      data: callData(method, args),
      value,
      gasLimit: GAS,
      maxFeePerGas: MAX_FEE,
      maxPriorityFeePerGas: 1n,
    });
    const hash = await this.#ask('eth_sendRawTransaction', [await signer.signTransaction(transaction)]);
    this.#nonces[agent] = nonce + 1;
    // Block times must increase by at least one second.
    this.#lastBlock = Math.max(this.#lastBlock + 1, Math.floor(at.getTime() / 1000));
    await this.#ask('evm_mine', [{ timestamp: this.#lastBlock }]);
    return String(hash);
  }

  /** Bypasses the provider's batching, which delays each call. */
  async #ask(method: string, params: unknown[]): Promise<unknown> {
    const [reply] = await this.#provider._send({ method, params, id: 1, jsonrpc: '2.0' });
    if (reply === undefined || 'error' in reply) throw new Error(`${method}: ${reply?.error.message ?? 'no answer'}`);
    return reply.result;
  }
}
