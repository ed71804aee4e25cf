import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DevChain, startDevChain } from '../../../src/chain/embedded-chain.js';
import { RpcProvider } from '../../../src/chain/rpc.js';
import { testTimes } from '../times.js';

export const CHAIN_ID = 84532;

export type TestChain = DevChain & { readonly provider: RpcProvider; reset(): Promise<void> };

/** The real chain of this process. `reset` reverts it to the state right after the deployment of the contract. */
let started: Promise<TestChain> | undefined;

export function testChain(): Promise<TestChain> {
  started ??= start();
  return started;
}

async function start(): Promise<TestChain> {
  const directory = mkdtempSync(join(tmpdir(), 'curvet-chain-'));
  // Processes of parallel tests end without hooks.
  process.once('exit', () => {
    endNow(directory);
    rmSync(directory, { recursive: true, force: true });
  });
  const chain = await startDevChain({ directory, chainId: CHAIN_ID, times: testTimes });
  const provider = new RpcProvider([chain.rpcUrl], CHAIN_ID, testTimes);
  let snapshot: string = await provider.send('evm_snapshot', []);
  const reset = async () => {
    await provider.send('evm_revert', [snapshot]);
    snapshot = await provider.send('evm_snapshot', []);
  };
  return { ...chain, provider, reset };
}

/** Kills the process of the chain. The pid file exists until the process has ended. */
function endNow(directory: string): void {
  try {
    process.kill(Number(readFileSync(join(directory, 'pid'), 'utf8')), 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

export async function stopTestChain(): Promise<void> {
  if (!started) return;
  const chain = await started;
  chain.provider.destroy();
  await chain.stop();
}
