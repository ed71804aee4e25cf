import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type DevChain, startDevChain } from '../../../src/chain/embedded-chain.js';
import { RpcProvider } from '../../../src/chain/rpc.js';
import { START, secondsOf, TestClock } from '../clock.js';
import { HANG_MS } from '../hang.js';
import { testTimes } from '../times.js';

/** The default of the setting CHAIN_ID. */
export const CHAIN_ID = 84532;

export type TestChain = DevChain & {
  readonly provider: RpcProvider;
  /** The time of the next blocks. It stands still until a test moves it. */
  readonly clock: TestClock;
  /** Reverts the chain to the state right after the deployment of the contract, and the clock to its start. */
  reset(): Promise<void>;
  /** Does the same as `reset`, but new blocks get the real time, so that their time agrees with service processes. */
  resetToRealTime(): Promise<void>;
};

/** The chain that all tests of this process share. It is started at the first use. */
let started: Promise<TestChain> | undefined;

export function testChain(): Promise<TestChain> {
  started ??= start();
  return started;
}

async function start(): Promise<TestChain> {
  const directory = mkdtempSync(join(tmpdir(), 'curvet-chain-'));
  // Worker processes of parallel tests exit without their hooks, so this also stops the chain.
  process.once('exit', () => {
    endNow(directory);
    rmSync(directory, { recursive: true, force: true });
  });
  const chain = await startDevChain({ directory, chainId: CHAIN_ID, startAt: START, times: testTimes });
  const provider = new RpcProvider([chain.rpcUrl], CHAIN_ID, testTimes);
  const send = (method: string, ...params: unknown[]) => provider.send(method, params);
  await moveDeployment(send);
  const call = blockingCalls(chain.rpcUrl);
  const clock = new TestClock((seconds) => call('evm_setNextBlockTimestamp', [seconds]));
  // A snapshot can be used only once, so each reset takes another.
  let snapshot: string = await send('evm_snapshot');
  const reset = async () => {
    clock.reset();
    await send('evm_revert', snapshot);
    await send('anvil_setBlockTimestampInterval', 0);
    snapshot = await send('evm_snapshot');
  };
  const resetToRealTime = async () => {
    await reset();
    await send('anvil_removeBlockTimestampInterval');
    await send('evm_setTime', secondsOf(Date.now()));
  };
  return { ...chain, provider, clock, reset, resetToRealTime };
}

/** Mines the first block again with a fixed time, because its time depends on how long the chain took to start. */
async function moveDeployment(send: (method: string, ...params: unknown[]) => Promise<unknown>): Promise<void> {
  const { transactions } = (await send('eth_getBlockByNumber', '0x1', false)) as { transactions: [string] };
  const deployment = await send('eth_getRawTransactionByHash', transactions[0]);
  await send('evm_setTime', secondsOf(START));
  await send('anvil_setBlockTimestampInterval', 0);
  await send('anvil_reorg', 1, [[deployment, 0]]);
}

/** Kills the process of the chain without waiting. The pid file exists until that process has ended. */
function endNow(directory: string): void {
  try {
    process.kill(Number(readFileSync(join(directory, 'pid'), 'utf8')), 'SIGKILL');
  } catch {
    // There is no pid file or no such process, so the chain has already ended.
  }
}

export async function stopTestChain(): Promise<void> {
  if (!started) return;
  const chain = await started;
  chain.provider.destroy();
  await chain.stop();
}

/** The program of the worker thread of `blockingCalls`: makes a call, and wakes the thread that waits for it. */
const CALLER = `
const { parentPort, workerData } = require('node:worker_threads');
parentPort.on('message', async (body) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(workerData.url, { method: 'POST', headers, body }).catch(() => undefined);
  await answer?.text();
  Atomics.store(workerData.answered, 0, 1);
  Atomics.notify(workerData.answered, 0);
});`;

/**
 * Makes JSON-RPC calls while this thread waits, so that a synchronous function can change the chain and nothing else happens in
 * between. The answers are ignored.
 */
function blockingCalls(url: string): (method: string, params: readonly unknown[]) => void {
  const answered = new Int32Array(new SharedArrayBuffer(4));
  let worker: Worker | undefined;
  return (method, params) => {
    if (worker === undefined) {
      worker = new Worker(CALLER, { eval: true, workerData: { url, answered } });
      worker.unref();
    }
    Atomics.store(answered, 0, 0);
    worker.postMessage(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    if (Atomics.wait(answered, 0, 0, HANG_MS) === 'timed-out') throw new Error(`${method}: the chain does not answer`);
  };
}
