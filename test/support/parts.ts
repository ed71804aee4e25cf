import { createServer } from 'node:http';
import { createApp } from '../../src/app.js';
import { openCaches } from '../../src/cache/caches.js';
import { ethersChain } from '../../src/chain/chain.js';
import { RpcProvider } from '../../src/chain/rpc.js';
import type { Deps } from '../../src/deps.js';
import { openDatabase } from '../../src/service/orm.js';
import type { Sql } from '../../src/store/sql.js';
import { openQueues } from '../../src/tasks.js';
import { CHAIN_ID } from './chain/chain.js';
import { testDatabase } from './database.js';
import { listen } from './service/listen.js';
import { storeOf } from './store.js';
import { testTimes } from './times.js';
import { ask, type World } from './world.js';

/** Calls `use` with another app of the same world that has the given parts in place of the world's, and empty caches. */
export async function withParts(world: World, parts: Partial<Deps>, use: (other: World) => Promise<void>) {
  const { clock, writes } = { ...world.deps, ...parts };
  const caches = openCaches(() => clock.now().getTime(), writes);
  const deps = { ...world.deps, caches, queues: openQueues(), ...parts };
  const app = createApp(deps);
  const server = createServer(app.callback()).on('upgrade', app.upgrade);
  const url = await listen(server);
  try {
    await use({ ...world, url, deps, ask: (method, path, options) => ask(url, method, path, options) });
  } finally {
    await app.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/**
 * Calls `use` with a replica of the world: another app with separate connections to the PostgreSQL server. Closes the given
 * `limits` and `live` at the end.
 */
export async function withReplica(world: World, parts: Partial<Deps>, use: (other: World) => Promise<void>): Promise<void> {
  const { url } = await testDatabase();
  const orm = await openDatabase({ url: String(url) }, { times: testTimes });
  try {
    await withParts(world, { ...(await storeOf(orm)), ...parts }, use);
  } finally {
    await parts.limits?.close();
    await parts.live?.close();
    await orm.close(true);
  }
}

/** Calls `use` with another app of the same world. `count` returns the number of SQL statements that it has sent. */
export function counting(world: World, use: (other: World, count: () => number) => Promise<void>): Promise<void> {
  let statements = 0;
  const sql: Sql = (...call) => {
    statements++;
    return world.deps.sql(...call);
  };
  return withParts(world, { sql }, (other) => use(other, () => statements));
}

/** Calls `work` while the app of the world itself uses these parts, and restores the original parts afterwards. */
export async function replacing<T>({ deps }: World, parts: Partial<Deps>, work: () => Promise<T>): Promise<T> {
  const own = Object.fromEntries(Object.keys(parts).map((name) => [name, deps[name as keyof Deps]]));
  Object.assign(deps, parts);
  try {
    return await work();
  } finally {
    Object.assign(deps, own);
  }
}

/** Calls `work` while the app of the world cannot reach any RPC URL. */
export async function withoutChain<T>(world: World, work: () => Promise<T>): Promise<T> {
  // Nothing listens on port 9, so every call is refused.
  const away = new RpcProvider(['http://127.0.0.1:9'], CHAIN_ID, testTimes);
  try {
    return await replacing(world, { chain: ethersChain(away, { ...world.deps.chain }) }, work);
  } finally {
    away.destroy();
  }
}
