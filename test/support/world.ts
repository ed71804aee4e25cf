import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { type Logger, pino } from 'pino';
import { createApp } from '../../src/app.js';
import { chainAnswer, ethersMarket } from '../../src/chain/market.js';
import { readConfig } from '../../src/config.js';
import { ensureCursor } from '../../src/core/trading/commands/cursor.js';
import type { Deps } from '../../src/deps.js';
import { processLimits } from '../../src/limits/process.js';
import { redisLimits } from '../../src/limits/redis.js';
import { processLive } from '../../src/live/process.js';
import { redisLive } from '../../src/live/redis.js';
import { embeddedPostHost } from '../../src/posthost/embedded.js';
import { changesOf } from '../../src/store/changes.js';
import { openSql } from '../../src/store/sql.js';
import { CHAIN_ID, type TestChain, testChain } from './chain/chain.js';
import { emptyTables, testDatabase } from './database.js';
import { holdToDeclaration } from './service/declared.js';

/** A clock that the test moves. It starts at the real time, since the chain's blocks have real times. */
export class TestClock {
  #offset = 0;
  now(): Date {
    return new Date(Date.now() + this.#offset);
  }
  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }
}

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown> };
export type Ask = { readonly key?: string; readonly body?: unknown; readonly headers?: Record<string, string> };

/** The real app over a real database and a real chain. Empty when the suite begins. */
export type World = {
  readonly url: string;
  readonly deps: Deps;
  readonly clock: TestClock;
  readonly chain: TestChain;
  /** Ends the subscriptions, as a stop of the service does. */
  closeLive(): Promise<void>;
  /** The lines that the app has logged. */
  readonly logged: Record<string, unknown>[];
  ask(method: string, path: string, options?: Ask): Promise<Answer>;
};

/** Makes a world for the suite that calls it: the object is filled before its first test. */
export function useWorld(environment: Record<string, string> = {}): World {
  const world = {} as { -readonly [K in keyof World]: World[K] };
  let server: Server;
  before(async function () {
    this.timeout(60_000);
    Object.assign(world, await build(environment));
    const app = createApp(world.deps);
    server = createServer(app.callback()).on('upgrade', app.upgrade);
    world.closeLive = () => app.close();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    world.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    world.ask = async (method, path, options) => {
      const answer = await ask(world.url, method, path, options);
      holdToDeclaration(world.deps.config, method, path, answer);
      return answer;
    };
  });
  after(async () => {
    if (!server) return;
    await world.closeLive();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await world.deps.limits.close();
    await world.deps.live.close();
  });
  return world;
}

async function build(environment: Record<string, string>) {
  // One after the other: the embedded database blocks the process while it starts, longer than a call to the chain may take.
  const { orm } = await testDatabase();
  const chain = await testChain();
  await Promise.all([emptyTables(orm), chain.reset()]);
  const logged: Record<string, unknown>[] = [];
  const log: Logger = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const clock = new TestClock();
  const em = orm.em as SqlEntityManager;
  const redis = process.env.REDIS_URL;
  const prefix = `curvet-test:${randomBytes(6).toString('hex')}:`;
  const host = embeddedPostHost({ em, clock });
  const deps: Deps = {
    config: readConfig(environment),
    log,
    clock,
    em,
    sql: await openSql(orm),
    changes: changesOf(orm),
    market: ethersMarket(chain.provider, { chainId: CHAIN_ID, contract: chain.contract, rpcUrl: chain.rpcUrl }, () =>
      clock.now().getTime(),
    ),
    limits: redis === undefined ? processLimits() : redisLimits({ url: redis, prefix, log }),
    live: redis === undefined ? processLive() : redisLive({ url: redis, prefix, log }),
    posts: host,
    ethUsd: async () => 2500,
    dev: { faucet: chain.faucet, publish: host.publish, rpc: (call) => chainAnswer(chain.provider.reply(call)) },
    publicUrl: 'http://curvet.test',
    secretKey: 'a secret key of the tests',
  };
  await ensureCursor(deps, async () => 1);
  return { deps, clock, chain, logged };
}

export async function ask(url: string, method: string, path: string, options: Ask = {}): Promise<Answer> {
  const { key, body, headers } = options;
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...headers,
    },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: json && text !== '' ? JSON.parse(text) : { text },
  };
}
