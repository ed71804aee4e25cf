import { type TestChain, testChain } from './chain/chain.js';
import { FaultyLine } from './chain/faulty-line.js';
import { print } from './print.js';
import { PostgresServer, postgresPrograms } from './servers/postgres.js';
import { hasRedis, RedisServer } from './servers/redis.js';
import { endProcesses } from './service/process.js';

export type Servers = {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly chain: TestChain;
  /** Starts TCP proxies to the database, whose connections a test can break. Returns their URLs. */
  addLines(count: number): Promise<string[]>;
  readonly lines: readonly FaultyLine[];
};

/**
 * Starts a private PostgreSQL, a private Redis and a fresh chain for the calling suite. At the end, stops them and all processes
 * of the service. Skips the suite where PostgreSQL or Redis is not installed. With `each`, every test gets new servers.
 */
export function useServers({ each = false } = {}): Servers {
  const lines: FaultyLine[] = [];
  const made = {} as { -readonly [K in keyof Servers]: Servers[K] };
  made.lines = lines;
  made.addLines = async (count) => {
    const added = await Promise.all(Array.from({ length: count }, () => FaultyLine.to(made.postgres.url)));
    lines.push(...added);
    return added.map(({ url }) => url);
  };

  before(function () {
    if (postgresPrograms() !== undefined && hasRedis()) return;
    print('skipped: initdb, postgres or redis-server is not installed');
    this.skip();
  });
  (each ? beforeEach : before)(async () => {
    made.postgres = await PostgresServer.start();
    made.redis = await RedisServer.start();
    made.chain = await testChain();
    await made.chain.resetToRealTime();
  });
  (each ? afterEach : after)(async () => {
    await endProcesses();
    for (const line of lines.splice(0)) await line.close();
    await made.redis?.stop();
    await made.postgres?.stop();
  });
  return made;
}
