import { setTimeout as sleep } from 'node:timers/promises';
import { seed, seeded } from '../../support/seed.js';
import { useServers } from '../../support/servers.js';
import { Crowd } from './support/crowd.js';
import { expectRecovery, startReplicas } from './support/replicas.js';

const REPLICAS = 3;
const WRITERS = 24;
const ROUNDS = 3;

describe(`replicas and ${REPLICAS * WRITERS} writers (seed ${seed})`, function () {
  this.timeout(400_000);
  const servers = useServers({ each: true });

  /** Starts a replica for each database URL, and a crowd that has written to all of them for 3 s. */
  async function gather(databases: readonly string[]): Promise<{ urls: string[]; crowd: Crowd }> {
    const { redis, chain } = servers;
    const replicas = await startReplicas(databases, { redis, chain });
    const urls = replicas.map(({ url }) => url);
    const crowd = await Crowd.gather(chain, urls[0] as string, REPLICAS * WRITERS, seed);
    crowd.start(urls);
    await sleep(3000);
    return { urls, crowd };
  }

  it('recover after three kills of PostgreSQL and three cuts of its connections', async () => {
    const random = seeded(seed);
    const { postgres, chain } = servers;
    const { urls, crowd } = await gather(Array.from({ length: REPLICAS }, () => postgres.url));
    for (let round = 0; round < ROUNDS; round++) {
      await postgres.kill();
      await sleep(random() * 1500);
      await postgres.run();
      await sleep(1000 + random() * 2000);
      await postgres.cut();
      await sleep(500 + random() * 1500);
    }
    await expectRecovery(urls, { crowd, postgres, chain });
  });

  it('recover after connections to PostgreSQL freeze, reset and slow down during statements', async () => {
    const random = seeded(seed + 1);
    const { postgres, chain, lines } = servers;
    const { urls, crowd } = await gather(await servers.addLines(REPLICAS));
    for (let round = 0; round < 2 * ROUNDS; round++) {
      for (const line of lines) {
        const dice = random();
        if (dice < 0.3) line.freeze();
        else if (dice < 0.5) line.reset();
        else if (dice < 0.7) line.slow(50 + random() * 200);
        // Does not wait for the fault, because a matching statement may never come.
        else void line.at(/commit|insert|begin/, dice < 0.8 ? 'freeze' : dice < 0.9 ? 'lose' : 'drop');
      }
      await sleep(500 + random() * 2500);
      for (const line of lines) {
        line.thaw();
        line.slow(0);
      }
      await sleep(random() * 1500);
    }
    await expectRecovery(urls, { crowd, postgres, chain });
  });
});
