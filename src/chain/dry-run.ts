import { isCallException } from 'ethers';
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

/** The error with which the contract refuses a call. `name` is `unknown` if the node gives no error of the contract. */
export type Revert = { readonly name: string; readonly args: readonly string[] };

/** Executes a transaction on the newest state, without sending it. Null if it would succeed. */
export async function dryRun(provider: RpcProvider, transaction: DryRun): Promise<Revert | null> {
  try {
    await provider.call(transaction);
    return null;
  } catch (error) {
    if (!isCallException(error)) throw error;
    const found = error.data ? ticketMarket.parseError(error.data) : null;
    return found ? { name: found.name, args: found.args.map(String) } : { name: 'unknown', args: [] };
  }
}
