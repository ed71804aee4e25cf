import { setTimeout as sleep } from 'node:timers/promises';
import { seed } from '../support/seed.js';
import { useServers } from '../support/servers.js';
import { Crowd } from './support/crowd.js';
import type { PostgresServer } from './support/postgres.js';
import { expectRecovery, startReplicas } from './support/replicas.js';

const REPLICAS = 2;
const WRITERS = 24;
/** The time between the failure of the primary server and the promotion, as a supervisor needs it. */
const NOTICED_MS = 1000;

describe(`replicas and ${REPLICAS * WRITERS} writers on a primary PostgreSQL with a streaming replica (seed ${seed})`, function () {
  this.timeout(180_000);
  const servers = useServers();
  let standby: PostgresServer | undefined;
  after(() => standby?.stop());

  it('lose no confirmed write when the primary dies and the replica is promoted', async () => {
    const { postgres: primary, redis, chain, lines } = servers;
    const replicas = await startReplicas(await servers.addLines(REPLICAS), { redis, chain });
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
