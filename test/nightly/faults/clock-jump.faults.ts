import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { freshIp } from '../../support/market/agents.js';
import { newTrader, type Trader } from '../../support/market/traders.js';
import { print } from '../../support/print.js';
import { seed } from '../../support/seed.js';
import { useServers } from '../../support/servers.js';
import { eventually, getJson, type Running, run } from '../../support/service/process.js';
import { ask } from '../../support/world.js';
import { ClockFile } from './support/clock-file.js';
import { replicaEnv } from './support/replicas.js';
import { newestSequence, storedSequences, Watcher } from './support/watcher.js';
import { expectWholeIndex } from './support/whole-index.js';

const HOUR_MS = 3_600_000;
/** Maximum number of requests to GET /api/price per address and minute. */
const PRICE_LIMIT = 10;
const WINDOW_SECONDS = 60;
const TRADES = 4;
const NEWEST = '{ trades(first: 5) { nodes { txHash } } }';
/** Maximum time until a trade is visible at each replica. */
const VISIBLE_MS = 3000;

describe(`a replica whose clock jumps by an hour (seed ${seed})`, function () {
  this.timeout(180_000);
  const servers = useServers();
  let clock: ClockFile;
  let moved: Running;
  let other: Running;
  let trader: Trader;
  let agent: string;

  before(async () => {
    const { postgres, chain } = servers;
    clock = new ClockFile();
    const env = { ...replicaEnv(chain), DATABASE_URL: postgres.url, RATE_LIMITS: 'on', TRUST_PROXY: '1' };
    // The replica that starts first becomes the leader, so its clock determines what the jobs write. The pause gives it time to
    // become the leader.
    moved = run({ env: { ...env, ...clock.env } });
    await moved.ready();
    await sleep(2500);
    other = run({ env });
    await other.ready();
    trader = await newTrader(chain);
    await trader.register('Punctual');
    agent = trader.wallet;
    await trader.buy(agent, 1);
  });

  const price = (headers: Record<string, string>) => fetch(`${moved.url}/api/price?agent=${agent}`, { headers });

  /** Uses up the limit of an address, with one request more. Returns the statuses. */
  async function useUp(headers: Record<string, string>): Promise<number[]> {
    const statuses: number[] = [];
    for (let i = 0; i <= PRICE_LIMIT; i++) statuses.push((await price(headers)).status);
    return statuses;
  }

  async function newestTrades({ url }: Running): Promise<string[]> {
    const { body } = await ask(url, 'POST', '/graphql', { headers: freshIp(), body: { query: NEWEST } });
    const { trades } = body.data as { trades: { nodes: { txHash: string }[] } };
    return trades.nodes.map(({ txHash }) => txHash);
  }

  /** Trades once, and returns the milliseconds until both replicas show the trade. */
  async function visibleAfter(): Promise<number> {
    const { hash } = await trader.buy(agent, 1);
    const begun = performance.now();
    for (const service of [moved, other]) {
      await eventually(async () => (await newestTrades(service)).includes(hash), 'the trade does not become visible');
    }
    return performance.now() - begun;
  }

  it('keeps limits, freshness and live events', async () => {
    const { postgres, chain } = servers;
    await eventually(async () => (await newestSequence(postgres)) > 0, 'there is no event');
    const from = await newestSequence(postgres);
    const watchers = [moved, other].map(({ url }) => new Watcher('trade', [url], from));
    for (const watcher of watchers) watcher.start();
    // An address that has used up its limit before the jump. After it, the limit must not last longer than a window.
    let limited = freshIp();
    expect((await useUp(limited)).at(-1)).to.equal(429);
    for (const [name, offset] of [
      ['an hour ahead', HOUR_MS],
      ['back', 0],
      ['an hour behind', -HOUR_MS],
      ['forward again', 0],
    ] as const) {
      const traded = await newestSequence(postgres);
      await clock.jump(moved, offset);
      const answer = await price(limited);
      const wait = Number(answer.headers.get('retry-after') ?? 0);
      expect(wait, `Retry-After, clock ${name}`).to.be.at.most(WINDOW_SECONDS);
      limited = freshIp();
      const statuses = await useUp(limited);
      expect(statuses, `limits, clock ${name}`).to.deep.equal([...Array(PRICE_LIMIT).fill(200), 429]);
      const seen: number[] = [];
      for (let i = 0; i < TRADES; i++) seen.push(await visibleAfter());
      expect(Math.max(...seen), `visible, clock ${name}`).to.be.lessThan(VISIBLE_MS);
      const events = await storedSequences(postgres, 'trade', traded);
      expect(events.length, `events, clock ${name}`).to.equal(TRADES);
      for (const { sequences } of watchers) {
        const arrived = () => sequences.slice(-TRADES).join() === events.join();
        await eventually(arrived, `the events ${events} do not arrive, clock ${name}`);
      }
      const ready = await getJson(`${moved.url}/ready`);
      expect(ready.status, JSON.stringify(ready.body)).to.equal(200);
      print(`${name}: trades visible after ${Math.round(Math.max(...seen))} ms, Retry-After ${wait} s, ${events.length} events`);
    }
    for (const watcher of watchers) await watcher.expectAll(postgres);
    print(await expectWholeIndex(chain, postgres));
  });
});
