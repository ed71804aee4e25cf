import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { freshIp } from '../../support/market/agents.js';
import { startTraffic } from '../../support/market/traffic.js';
import { print } from '../../support/print.js';
import { seed } from '../../support/seed.js';
import { useServers } from '../../support/servers.js';
import { eventually } from '../../support/service/process.js';
import { startReplicas } from './support/replicas.js';
import { newestSequence, Watcher } from './support/watcher.js';

/** Maximum time for a request while Redis is unreachable. The service gives up a command to Redis after 200 ms (`redisLimit`). */
const PASSES_MS = 300;
/** Maximum number of requests to GET /api/price per address and minute. */
const PRICE_LIMIT = 10;

describe(`two replicas whose Redis fails (seed ${seed})`, function () {
  this.timeout(180_000);
  const servers = useServers();
  let urls: string[];
  let agent: string;
  const ends: (() => Promise<void>)[] = [];

  before(async () => {
    const { postgres, redis, chain } = servers;
    const replicas = await startReplicas([postgres.url, postgres.url], {
      redis,
      chain,
      env: { RATE_LIMITS: 'on', TRUST_PROXY: '1' },
    });
    urls = replicas.map(({ url }) => url);
    const traffic = await startTraffic(chain, seed);
    agent = traffic.traders[0]?.wallet ?? '';
    let ended = false;
    const acting = (async () => {
      while (!ended) {
        await traffic.act(1).catch(() => {});
        await sleep(150);
      }
    })();
    ends.push(async () => {
      ended = true;
      await acting;
    });
  });
  after(async () => {
    for (const end of ends) await end();
  });

  /** Sends requests from unused addresses to both replicas until `over`. Returns their durations in ms and their statuses. */
  async function ask(over: () => boolean): Promise<{ times: number[]; statuses: Set<number> }> {
    const [times, statuses] = [[] as number[], new Set<number>()];
    const paths = ['/api/leaderboard', `/api/price?agent=${agent}`, '/api/feed', '/api/trending'];
    const one = async (i: number) => {
      const begun = performance.now();
      const response = await fetch(`${urls[i % 2]}${paths[(i >> 1) % paths.length]}`, { headers: freshIp() });
      await response.arrayBuffer();
      times.push(performance.now() - begun);
      statuses.add(response.status);
    };
    const running: Promise<void>[] = [];
    for (let i = 0; !over(); i++) {
      running.push(one(i));
      await sleep(25);
    }
    await Promise.all(running);
    return { times, statuses };
  }

  /** Whether both replicas count together: of requests to them in turn, only the first one above the limit is refused. */
  async function limited(): Promise<boolean> {
    const headers = freshIp();
    const statuses: number[] = [];
    for (let i = 0; i <= PRICE_LIMIT; i++) {
      const { status } = await fetch(`${urls[i % 2]}/api/price?agent=${agent}`, { headers });
      statuses.push(status);
    }
    return statuses.at(-1) === 429 && statuses.slice(0, -1).every((status) => status === 200);
  }

  /** Sends requests before, during and after a fault. Checks that none is refused, and that the limits hold again after the end. */
  async function during(fault: () => void | Promise<void>, end: () => void | Promise<void>): Promise<string> {
    let over = false;
    const asking = ask(() => over);
    await sleep(500);
    await fault();
    await sleep(2000);
    expect(await limited(), 'limits while Redis is unavailable').to.equal(false);
    await sleep(1000);
    await end();
    const since = performance.now();
    await eventually(limited, 'the limits did not return');
    const back = performance.now() - since;
    over = true;
    const { times, statuses } = await asking;
    const longest = Math.max(...times);
    expect([...statuses]).to.deep.equal([200]);
    expect(longest, 'longest time of an answer').to.be.lessThan(PASSES_MS);
    return `${times.length} requests, longest ${Math.round(longest)} ms; limits back after ${Math.round(back)} ms`;
  }

  it('answer requests within 300 ms, limit them again afterwards, and deliver every event', async () => {
    const { postgres, redis } = servers;
    await eventually(async () => (await newestSequence(postgres)) > 0, 'there is no event');
    expect(await limited(), 'limits before the first fault').to.equal(true);
    const from = await newestSequence(postgres);
    const watchers = urls.map((url) => new Watcher('trade', [url], from));
    for (const watcher of watchers) watcher.start();
    await sleep(1000);
    print(
      `stopped: ${await during(
        () => redis.kill(),
        () => redis.run(),
      )}`,
    );
    print(
      `frozen: ${await during(
        () => redis.freeze(),
        () => redis.thaw(),
      )}`,
    );
    const restart = async () => {
      await redis.kill();
      await redis.run();
    };
    print(`frozen, then restarted: ${await during(() => redis.freeze(), restart)}`);
    for (const end of ends.splice(0)) await end();
    for (const watcher of watchers) {
      const events = await watcher.expectAll(postgres);
      expect(events).to.be.greaterThan(20);
      expect(watcher.connections, 'connections of a subscriber').to.equal(1);
      print(`${events} events at a subscriber, without a gap`);
    }
  });
});
