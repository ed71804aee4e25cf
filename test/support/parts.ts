import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../src/app.js';
import { ethersMarket } from '../../src/chain/market.js';
import { RpcProvider } from '../../src/chain/rpc.js';
import { type Deps, openQueues } from '../../src/deps.js';
import { openCaches } from '../../src/freshness.js';
import { CHAIN_ID } from './chain/chain.js';
import { testTimes } from './times.js';
import { ask, type World } from './world.js';

/** Calls `use` with the same world, but with some parts of its dependencies replaced. */
export async function withParts(
  world: World,
  parts: Partial<Deps>,
  use: (other: World & { closeApp(): Promise<void> }) => Promise<void>,
) {
  const { clock, writes } = { ...world.deps, ...parts };
  const caches = openCaches(() => clock.now().getTime(), writes);
  const deps = { ...world.deps, caches, queues: openQueues(), ...parts };
  const app = createApp(deps);
  const server = createServer(app.callback()).on('upgrade', app.upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await use({
      ...world,
      url,
      deps,
      closeApp: () => app.close(),
      ask: (method, path, options) => ask(url, method, path, options),
    });
  } finally {
    await app.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Calls `use` with the same world and an unreachable chain: one RPC URL refuses, the other hangs. */
export async function withoutChain(world: World, use: (other: World) => Promise<void>): Promise<void> {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const hanging = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  // No call succeeds, so short timeouts change no answer.
  const times = { ...testTimes, rpcCall: 100, rpcHedge: 20, rpcLogs: 100 };
  const provider = new RpcProvider(['http://127.0.0.1:1', hanging], CHAIN_ID, times);
  const market = ethersMarket(provider, { chainId: CHAIN_ID, contract: world.chain.contract, rpcUrl: hanging });
  try {
    await withParts(world, { market }, use);
  } finally {
    provider.destroy();
    silent.closeAllConnections();
    silent.close();
  }
}
