import { Worker } from 'node:worker_threads';
import { HANG_MS } from '../hang.js';

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
 * Makes JSON-RPC calls while the whole process waits. So a plain function can change the chain, and nothing else happens
 * in between. The answers are ignored.
 */
export function blockingCalls(url: string): (method: string, params: readonly unknown[]) => void {
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
