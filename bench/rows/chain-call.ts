import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevChain } from '../../src/chain/embedded-chain.js';
import { RpcProvider } from '../../src/chain/rpc.js';
import { TIMES } from '../../src/config/timeouts.js';
import { median } from '../support/figures.js';
import type { Line, Options, Row } from '../support/result.js';
import { stopAll } from '../support/stops.js';

const CHAIN_ID = 84532;
/** Calls per measurement, because a single call is too short to measure. */
const CALLS = 200;
const CALL = { jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] };

export const chainCall: Row = {
  name: 'chain-call',
  title: 'one call of the chain through the provider of the service, beside a bare fetch to the same node',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const directory = mkdtempSync(join(tmpdir(), 'curvet-bench-chain-'));
    return stopAll(async (started) => {
      started({ stop: async () => rmSync(directory, { recursive: true, force: true }) });
      const chain = started(await startDevChain({ directory, chainId: CHAIN_ID, times: TIMES }));
      const provider = new RpcProvider([chain.rpcUrl], CHAIN_ID, TIMES);
      started({ stop: async () => provider.destroy() });
      const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(CALL) };
      const ways = [
        () => provider.send(CALL.method, CALL.params),
        async () => (await fetch(chain.rpcUrl, request)).json() as Promise<unknown>,
      ];
      const taken: number[][] = [[], []];
      for (let round = 0; round <= options.rounds; round++) {
        for (const [i, call] of ways.entries()) {
          const began = performance.now();
          for (let calls = 0; calls < CALLS; calls++) await call();
          if (round > 0) taken[i]?.push((performance.now() - began) / CALLS);
        }
      }
      const [through, bare] = taken.map(median) as [number, number];
      return [
        {
          work: 'One call of the chain',
          against: 'a bare fetch to the same node',
          product: `${through.toFixed(2)} ms`,
          peer: `${bare.toFixed(2)} ms`,
          value: through / bare,
          target: { at: 'most', value: 6, unit: 'times' },
          note: 'eth_gasPrice of the embedded chain, one call after the other, in process',
        },
      ];
    });
  },
};
