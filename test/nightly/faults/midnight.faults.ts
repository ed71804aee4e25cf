// Runs beside the simulation: it waits for midnight.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { print } from '../../support/print.js';
import { seed } from '../../support/seed.js';
import { useServers } from '../../support/servers.js';
import { eventually, type Running } from '../../support/service/process.js';
import { ClockFile } from './support/clock-file.js';
import { Crowd } from './support/crowd.js';
import { startReplicas } from './support/replicas.js';
import { expectScores } from './support/scores.js';

const DAY_MS = 86_400_000;
/** The clocks start this long before midnight. The time is enough for the start of the replicas and for some activity. */
const BEFORE_MS = 35_000;
const AGENTS = 12;
/** Delay of the first statement of the scoring on its way to the database. The replica is killed in this time. */
const DELAY_MS = 3000;

describe(`two replicas at midnight, of which the scoring one is killed (seed ${seed})`, function () {
  this.timeout(120_000);
  const servers = useServers();

  /** The log lines about a scoring, at level `info`, that the replicas have written since a time. */
  const scorings = (replicas: readonly Running[], since: Date) =>
    replicas.flatMap(({ log }) => log.filter(({ msg, at }) => msg === 'season scored' && new Date(String(at)) >= since));

  it('score once, with the points of the oracle', async () => {
    const midnight = new Date((Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS);
    const offset = midnight.getTime() - BEFORE_MS - Date.now();
    const clock = new ClockFile(offset);
    const { postgres, redis, chain, lines } = servers;
    const env = { ...clock.env, LOG_LEVEL: 'info' };
    const replicas = await startReplicas(await servers.addLines(2), { redis, chain, env });
    const urls = replicas.map(({ url }) => url);
    const crowd = await Crowd.gather(chain, urls[0] as string, AGENTS, seed);
    crowd.start(urls);
    await sleep(4000);
    await crowd.stop();
    expect(new Date(Date.now() + offset), 'the time when everything is prepared').to.be.lessThan(midnight);
    expect(scorings(replicas, midnight)).to.deep.equal([]);

    const reached = lines.map((line, i) => line.at(/create temp table/, { delayMs: DELAY_MS }).then(() => i));
    const first = await Promise.race(reached);
    replicas[first]?.kill('SIGKILL');
    await replicas[first]?.exited;
    const died = performance.now();
    await eventually(() => scorings(replicas, midnight).length > 0, 'nobody scored the season');
    const took = performance.now() - died;
    // Jobs that run in the next two seconds must find nothing to do.
    await sleep(2000);
    expect(scorings(replicas, midnight)).to.have.length(1);
    expect(scorings([replicas[first] as Running], midnight)).to.deep.equal([]);
    const { scoredAt, agents } = await expectScores(postgres);
    expect(scoredAt).to.be.greaterThan(midnight);
    const posts = crowd.promised.posts.length;
    print(
      `replica ${first} was killed in the scoring; the other scored ${agents} agents and ${posts} posts ${Math.round(took)} ms later`,
    );
  });
});
