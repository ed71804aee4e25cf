import { setTimeout as sleep } from 'node:timers/promises';
import { type TestChain, testChain } from '../support/chain/chain.js';
import { FaultyLine } from '../support/chain/faulty-line.js';
import { endProcesses } from '../support/service/process.js';
import { Crowd } from './support/crowd.js';
import { PostgresServer, postgresPrograms } from './support/postgres.js';
import { hasRedis, RedisServer } from './support/redis.js';
import { expectRecovery, print, startReplicas } from './support/replicas.js';
import { seed } from './support/seed.js';

const REPLICAS = 2;
const WRITERS = 24;
/** The time between the failure of the primary server and the promotion, as a supervisor needs it. */
const NOTICED_MS = 1000;

describe(`replicas and ${REPLICAS * WRITERS} writers on a primary PostgreSQL with a streaming replica (seed ${seed})`, function () {
  this.timeout(180_000);
  let primary: PostgresServer;
  let standby: PostgresServer | undefined;
  let redis: RedisServer;
  let chain: TestChain;
  const lines: FaultyLine[] = [];

  before(async function () {
    if (postgresPrograms() === undefined || !hasRedis()) {
      print('skipped: initdb, postgres or redis-server is not installed');
      this.skip();
    }
    [primary, redis, chain] = [await PostgresServer.start(), await RedisServer.start(), await testChain()];
    await chain.reset();
  });
  after(async () => {
    await endProcesses();
    for (const line of lines) await line.close();
    await redis?.stop();
    await standby?.stop();
    await primary?.stop();
  });

  it('lose no confirmed write when the primary dies and the replica is promoted', async () => {
    for (let i = 0; i < REPLICAS; i++) lines.push(await FaultyLine.to(primary.url));
    const replicas = await startReplicas(
      lines.map(({ url }) => url),
      { redis, chain },
    );
    const urls = replicas.map(({ url }) => url);
    const crowd = await Crowd.gather(chain, urls[0] as string, REPLICAS * WRITERS, seed);
    standby = await primary.standby();
    crowd.start(urls);
    await sleep(4000);
    await primary.kill();
    await sleep(NOTICED_MS);
    await standby.promote();
    for (const line of lines) line.redirect(standby.url);
    await expectRecovery(urls, { crowd, postgres: standby, chain });
  });
});
