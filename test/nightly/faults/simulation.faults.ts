import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { startTraffic } from '../../support/market/traffic.js';
import { print } from '../../support/print.js';
import { seed, seeded } from '../../support/seed.js';
import { postgresPrograms } from '../../support/servers/postgres.js';
import { hasRedis } from '../../support/servers/redis.js';
import { endProcesses, run } from '../../support/service/process.js';
import { compareApis } from './support/apis.js';
import { type Trouble, troubleChain, troubles } from './support/chaos.js';
import { Crowd } from './support/crowd.js';
import { expectStored, replicaEnv, untilReady } from './support/replicas.js';
import { expectScores } from './support/scores.js';
import { System } from './support/system.js';
import { newestSequence, Watcher } from './support/watcher.js';
import { expectSameRebuild, expectWholeIndex } from './support/whole-index.js';

/** Duration of the simulation. FAULT_SECONDS can shorten it for a quick run. The checks of the project run all of it. */
const SECONDS = Number(process.env.FAULT_SECONDS ?? 300);
const WRITERS = 24;
const READY_MS = 10_000;

describe(`three replicas under random faults for ${SECONDS} s (seed ${seed})`, function () {
  this.timeout((SECONDS + 600) * 1000);
  let system: System;

  before(async function () {
    if (postgresPrograms() === undefined || !hasRedis()) {
      print('skipped: initdb, postgres or redis-server is not installed');
      this.skip();
    }
    system = await System.start(seed);
  });
  after(async () => {
    await endProcesses();
    await system?.stop();
  });

  it('keep every confirmed write, equal a rebuild, and deliver every event once and in order', async () => {
    const { chain, replicas } = system;
    const urls = replicas.map(({ url }) => url);
    const crowd = await Crowd.gather(chain, urls[0] as string, WRITERS, seed);
    const from = await newestSequence(system.postgres);
    // The watchers of the first three lists stay at one replica each. The others move to the next replica after each break.
    const lists = [...urls.map((url) => [url]), urls, [...urls].reverse()];
    const watchers = lists.flatMap((list) => [new Watcher('trade', list, from), new Watcher('feedEvent', list, from)]);
    for (const watcher of watchers) watcher.start();
    crowd.start(urls);
    const counts = await torment();
    await system.heal();
    const since = performance.now();
    const readyAfter = await Promise.all(
      replicas.map(({ url, service }) =>
        untilReady(url, since).catch((error: Error) => {
          throw new Error(`${error.message}; log: ${JSON.stringify(service.log.slice(-10))}`);
        }),
      ),
    );
    await sleep(1000);
    await crowd.stop();
    const kinds = [...counts].map(([name, count]) => `${count} x ${name}`);
    print(`faults: ${kinds.join(', ')}`);
    print(`ready after ${readyAfter.map(Math.round).join(', ')} ms`);
    expect(system.faults).to.deep.equal([]);
    expect(Math.max(...readyAfter)).to.be.lessThan(READY_MS);
    await expectPromises(crowd);
    await expectStreams(watchers);
    await expectSameApis(urls);
    await expectRebuild();
  });

  /** Makes parts of the system fail until the time is over. Returns how often each kind of fault happened. */
  async function torment(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
    const end = performance.now() + SECONDS * 1000;
    const failover: Trouble = ['failover of PostgreSQL', (one) => one.failOver()];
    const processes = async () => {
      const random = seeded(seed);
      let failed = false;
      while (performance.now() < end) {
        // The first fault of the second half is the failover, which happens once.
        const isDue: boolean = !failed && end - performance.now() < SECONDS * 500;
        const [name, act] = isDue ? failover : (troubles[Math.floor(random() * troubles.length)] as Trouble);
        failed ||= isDue;
        await act(system, random);
        count(name);
        await sleep(500 + random() * 2000);
      }
    };
    const calls = async () => {
      const random = seeded(seed + 1);
      while (performance.now() < end) {
        count(`RPC: ${await troubleChain(system, random)}`);
        await sleep(random() * 2000);
      }
    };
    const traders = async () => {
      const traffic = await startTraffic(system.chain, seed + 2);
      while (performance.now() < end) {
        await traffic.act(1).catch(() => {});
        await sleep(200);
      }
    };
    await Promise.all([processes(), calls(), traders()]);
    return counts;
  }

  /** Checks that every confirmed write is stored, and that the service never answered 5xx other than 503. */
  async function expectPromises(crowd: Crowd): Promise<void> {
    const { replies, promised } = crowd;
    const statuses = new Map<number, number>();
    for (const { status } of replies) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    print(`${replies.length} writes: ${[...statuses].map(([status, times]) => `${times} x ${status}`).join(', ')}`);
    const unknown = replies.filter(({ status }) => status >= 500 && status !== 503);
    expect(unknown.slice(0, 3)).to.deep.equal([]);
    await expectStored(system.postgres, promised);
    const { agents, posts, trades } = promised;
    print(`stored: ${agents.length} confirmed agents, ${posts.length} posts and ${trades.length} trades`);
    expect(posts.length).to.be.greaterThan(SECONDS);
  }

  async function expectStreams(watchers: readonly Watcher[]): Promise<void> {
    const delivered: number[] = [];
    for (const watcher of watchers) delivered.push(await watcher.expectAll(system.postgres));
    const connections = watchers.map((watcher) => watcher.connections);
    print(`${Math.max(...delivered)} events at ${watchers.length} subscribers, over ${connections.join(', ')} connections`);
  }

  async function expectSameApis(urls: readonly string[]): Promise<void> {
    for (const url of urls) {
      const { agents, values } = await compareApis(url);
      if (url === urls[0]) print(`REST equals GraphQL in ${values} values of ${agents} agents, at each replica`);
    }
  }

  async function expectRebuild(): Promise<void> {
    const { chain, postgres } = system;
    print(await expectWholeIndex(chain, postgres));
    const env = { ...replicaEnv(chain), DATABASE_URL: postgres.url };
    const scoring = run({ env, program: ['cli/season.js', 'score'] });
    expect(await scoring.exited, scoring.stderr).to.include({ code: 0 });
    const { agents } = await expectScores(postgres);
    print(`the points of ${agents} agents equal the oracle's`);
    await expectSameRebuild(postgres, env);
  }
});
