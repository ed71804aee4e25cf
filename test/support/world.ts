import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type Logger, pino } from 'pino';
import { createApp } from '../../src/app.js';
import { readConfig } from '../../src/config/config.js';
import { assembleDeps, type Deps } from '../../src/deps.js';
import { ensureCursor } from '../../src/index/cursor.js';
import { redisLimits } from '../../src/limits/redis.js';
import { redisLive } from '../../src/live/redis.js';
import { openOutages } from '../../src/observe/outages.js';
import { openSql } from '../../src/store/sql.js';
import { type TestChain, testChain } from './chain/chain.js';
import type { TestClock } from './clock.js';
import { emptyDatabase } from './database.js';
import { holdToDeclaration } from './service/declared.js';
import { listen } from './service/listen.js';
import { readOnly } from './store.js';
import { TIMEOUT_FACTOR, testTimes } from './times.js';

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Record<string, unknown> };
export type Ask = { readonly key?: string; readonly body?: unknown; readonly headers?: Record<string, string> };

/** The real app over a real database and a real chain, both empty when the suite starts. */
export type World = {
  readonly url: string;
  readonly deps: Deps;
  /** The clock of the app. It stands still until the test moves it. The blocks of the chain get its time. */
  readonly clock: TestClock;
  readonly chain: TestChain;
  /** Ends all subscriptions, as a stop of the service does. */
  closeLive(): Promise<void>;
  /** The lines that the app has logged. */
  readonly logged: Record<string, unknown>[];
  /** Sends a request to the app. Throws if the answer differs from the declaration of its endpoint. */
  ask(method: string, path: string, options?: Ask): Promise<Answer>;
};

/** Creates a world for the calling suite. The object is filled before the first test. */
export function useWorld(environment: Record<string, string> = {}): World {
  const world = {} as { -readonly [K in keyof World]: World[K] };
  let server: Server;
  before(async () => {
    Object.assign(world, await build(environment));
    const app = createApp(world.deps);
    server = createServer(app.callback()).on('upgrade', app.upgrade);
    world.closeLive = () => app.close();
    world.url = await listen(server);
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
  // The parts start one after another, because the embedded database blocks the process at its start for longer than
  // the timeout of a chain call.
  const { orm } = await emptyDatabase();
  const chain = await testChain();
  await chain.reset();
  const logged: Record<string, unknown>[] = [];
  const log: Logger = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const { clock } = chain;
  const redis = process.env.REDIS_URL;
  const prefix = `curvet-test:${randomBytes(6).toString('hex')}:`;
  const outages = openOutages(log, testTimes.now);
  const shared = { url: redis ?? '', prefix, outages, times: testTimes };
  const deps = await assembleDeps(readConfig({ TIMEOUT_FACTOR, ...environment }), log, {
    orm,
    connected: chain,
    clock,
    outages,
    sql: readOnly(await openSql(orm)),
    ...(redis && { limits: redisLimits(shared), live: redisLive(shared) }),
    publicUrl: 'http://curvet.test',
    secretKey: 'a secret key of the tests',
  });
  // The first block that the index reads is block 1.
  await ensureCursor(deps, async () => 1);
  return { deps, clock, chain, logged };
}

/** Sends a request to any URL. A `body` that is a string is sent as it is, so that a test can send malformed JSON. */
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
