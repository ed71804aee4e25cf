import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callData } from '../../src/chain/contract-interface.js';
import { startDevChain } from '../../src/chain/embedded-chain.js';
import { TIMES } from '../../src/config/timeouts.js';
import { CHAIN_ID } from '../dataset/fill.js';

export type LiveChain = {
  readonly url: string;
  readonly contract: string;
  /** Sends a contract call from a wallet. Returns the transaction hash. */
  call(from: string, name: string, args: readonly unknown[], value?: bigint): Promise<string>;
  /** Gives ether to a wallet and lets the chain sign for it. */
  open(wallet: string): Promise<void>;
  stop(): Promise<void>;
};

/** A new local chain that mines each transaction in its own block. */
export async function startLiveChain(): Promise<LiveChain> {
  const directory = mkdtempSync(join(tmpdir(), 'curvet-bench-'));
  const chain = await startDevChain({ directory, chainId: CHAIN_ID, times: TIMES });
  let id = 0;
  const ask = async (method: string, params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params });
    const answer = await fetch(chain.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await answer.json()) as { result?: string; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result as string;
  };
  return {
    url: chain.rpcUrl,
    contract: chain.contract,
    call: (from, name, args, value = 0n) =>
      ask('eth_sendTransaction', [
        {
          from,
          to: chain.contract,
          data: callData(name, args),
          value: `0x${value.toString(16)}`,
          // 200,000, more than any of these calls needs.
          gas: '0x30d40',
        },
      ]),
    async open(wallet) {
      // A million ETH.
      await ask('anvil_setBalance', [wallet, '0xd3c21bcecceda1000000']);
      await ask('anvil_impersonateAccount', [wallet]);
    },
    async stop() {
      await chain.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
