import { isCallException } from 'ethers';
import { AppError } from '../errors/errors.js';
import { ticketMarket } from './contract-interface.js';
import type { RpcProvider } from './rpc.js';

export type DryRun = {
  readonly to: string;
  readonly from: string;
  readonly data: string;
  /** Ether that the transaction sends, in wei. */
  readonly value: bigint;
  readonly gasLimit: bigint;
};

/** The error with which the contract refuses a call. `name` is `unknown` if the node's answer has no error of the contract. */
export type Revert = { readonly name: string; readonly args: readonly string[] };

/** Error code and texts with which nodes report that the call itself failed. Other errors without data are faults of the node. */
const REVERTED = 3;
const SAYS_REVERTED = /revert|out of gas|insufficient funds/i;

/** Executes a transaction on the newest state, without sending it. Returns its error, or null if it would succeed. */
export async function dryRun(provider: RpcProvider, transaction: DryRun): Promise<Revert | null> {
  try {
    await provider.call(transaction);
    return null;
  } catch (error) {
    if (!isCallException(error)) throw error;
    const { code, message = '' } = (error.info?.error ?? {}) as { readonly code?: number; readonly message?: string };
    if (!error.data && code !== REVERTED && !SAYS_REVERTED.test(message)) {
      throw new AppError('CHAIN_UNAVAILABLE', {}, { cause: error });
    }
    const found = error.data ? ticketMarket.parseError(error.data) : null;
    return found ? { name: found.name, args: found.args.map(String) } : { name: 'unknown', args: [] };
  }
}
