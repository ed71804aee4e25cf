import { Transaction, toBeHex } from 'ethers';
import { ticketMarket } from '../../../chain/contract-interface.js';
import type { RpcProvider } from '../../../chain/rpc.js';
import { walletOf } from '../wallets.js';
import { cast } from './cast.js';

const FUNDS = 5n * 10n ** 18n;
/** More than the dearest call takes. */
const GAS = 300_000n;
const MAX_FEE = 10n ** 10n;

/**
 * The demo's side of the chain: real transactions, signed by the agents' wallets, each in a block of the time that is
 * asked for. The chain makes blocks only when it is told to, so that what was sent is there afterwards.
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

  /** Has an agent call the contract in a block of that time; gives the transaction's hash. */
  async call(agent: number, at: Date, method: string, args: readonly unknown[], value = 0n): Promise<string> {
    const signer = this.#wallets[agent];
    if (signer === undefined) throw new Error(`there is no agent ${agent}`);
    const nonce = this.#nonces[agent] ?? 0;
    const transaction = Transaction.from({
      type: 2,
      chainId: this.#chainId,
      nonce,
      to: this.#contract,
      data: ticketMarket.encodeFunctionData(method, args),
      value,
      gasLimit: GAS,
      maxFeePerGas: MAX_FEE,
      maxPriorityFeePerGas: 1n,
    });
    const hash = await this.#ask('eth_sendRawTransaction', [await signer.signTransaction(transaction)]);
    this.#nonces[agent] = nonce + 1;
    // Each block is later than the one before, by a second at least.
    this.#lastBlock = Math.max(this.#lastBlock + 1, Math.floor(at.getTime() / 1000));
    await this.#ask('evm_mine', [{ timestamp: this.#lastBlock }]);
    return String(hash);
  }

  /** Past the provider, which waits a moment for other calls to send along. */
  async #ask(method: string, params: unknown[]): Promise<unknown> {
    const [reply] = await this.#provider._send({ method, params, id: 1, jsonrpc: '2.0' });
    if (reply === undefined || 'error' in reply) throw new Error(`${method}: ${reply?.error.message ?? 'no answer'}`);
    return reply.result;
  }
}
