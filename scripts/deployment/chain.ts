import { isError } from 'ethers';
import { RpcProvider, RpcUnavailable } from '../../src/chain/rpc.js';
import type { Streams } from '../../src/cli/program.js';
import { TIMES } from '../../src/config/timeouts.js';
import { Refusal } from './settings.js';

/**
 * Timeout of an RPC call. It is longer than in the service, because no request waits for a script, and a script has only one URL.
 */
const CALL_MS = 15_000;
const times = {
  ...TIMES,
  rpcCall: CALL_MS,
  rpcHedge: CALL_MS,
  rpcLogs: CALL_MS,
  rpcLogsHedge: CALL_MS,
  rpcCooldown: 0,
};

type Chain = { readonly url: string; readonly chainId: number };

/** Calls `act` with a provider of the chain. Refuses an RPC that serves another chain or does not answer. */
export async function onChain<T>({ url, chainId }: Chain, act: (provider: RpcProvider) => Promise<T>): Promise<T> {
  const provider = new RpcProvider([url], chainId, times);
  try {
    const actualId = Number(await provider.send('eth_chainId', []));
    if (actualId !== chainId) throw new Refusal(`CHAIN_ID is ${chainId}; RPC_URL answers for chain ${actualId}`);
    return await act(provider);
  } catch (error) {
    if (error instanceof RpcUnavailable) throw new Refusal('RPC_URL: no chain answers there');
    throw error;
  } finally {
    provider.destroy();
  }
}

/** Runs a script. Returns its exit code: 0, or 1 after an error, which becomes one line on stderr. */
export async function runScript({ stderr }: Streams, script: () => Promise<void>): Promise<number> {
  try {
    await script();
    return 0;
  } catch (error) {
    stderr.write(`${oneLine(error)}\n`);
    return 1;
  }
}

/** An error in one line, without the URL that ethers may add. */
export function oneLine(error: unknown): string {
  if (error instanceof RpcUnavailable) return 'the RPC did not answer';
  if (isError(error, 'CALL_EXCEPTION') && error.receipt) return 'it failed on the chain';
  const { message, shortMessage } = error as Error & { shortMessage?: string };
  return (shortMessage ?? message).split('\n')[0] ?? '';
}
