import { expect } from 'chai';
import { readConfig } from '../../../../src/config/config.js';
import type { Deps } from '../../../../src/deps.js';
import { catchUp } from '../../../../src/index/ingest.js';
import type { Live } from '../../../../src/live/live.js';
import { processLive } from '../../../../src/live/process.js';
import { redisLive } from '../../../../src/live/redis.js';
import { FaultyLine } from '../../../support/chain/faulty-line.js';
import { serverUrl } from '../../../support/database.js';
import { newAgent, success, type TestAgent } from '../../../support/market/agents.js';
import { signReplacement } from '../../../support/market/key-replacements.js';
import { newTrader, type Trader } from '../../../support/market/traders.js';
import { withReplica } from '../../../support/parts.js';
import { overSocket, type Subscriber } from '../../../support/service/live.js';
import { eventually } from '../../../support/service/process.js';
import { type ManualTimes, manualTimes, testTimes } from '../../../support/times.js';
import { useWorld, type World } from '../../../support/world.js';

/** Interval at which the hub of a replica polls. */
const POLL_MS = 1000;
const TRADES = 'subscription ($after: ID) { trade(after: $after) { sequence trade { txHash } } }';

// Replicas share one database, which requires a PostgreSQL server.
if (serverUrl !== undefined) {
  describe('live events across replicas', () => {
    const world = useWorld({ TRUST_PROXY: '1' });
    const stops: (() => Promise<unknown> | unknown)[] = [];
    let times: ManualTimes;
    let agent: TestAgent;
    let trader: Trader;

    before(async () => {
      agent = await newAgent(world);
      trader = await newTrader(world.chain);
    });
    beforeEach(() => {
      times = manualTimes(testTimes);
    });
    afterEach(async () => {
      for (const stop of stops.splice(0).reverse()) await stop();
    });

    /** Calls `use` with two replicas within this process. Each has its own channel for wake-ups. */
    async function withReplicas(lives: readonly [Live, Live], use: (a: World, b: World) => Promise<void>) {
      const config = readConfig({ KEY_REPLACEMENT: 'on', TRUST_PROXY: '1', DATABASE_URL: String(serverUrl) });
      const partsOf = (live: Live): Partial<Deps> => ({ config, live, times });
      await withReplica(world, partsOf(lives[0]), (a) => withReplica(world, partsOf(lives[1]), (b) => use(a, b)));
    }
    async function watch(url: string, after?: string): Promise<Subscriber> {
      const made = await overSocket(url, TRADES, after === undefined ? {} : { variables: { after } });
      stops.push(() => made.cut());
      return made;
    }
    const trade = async (by: Deps): Promise<string> => {
      const { hash } = await trader.buy(agent.wallet, 1);
      expect(await catchUp(by, await by.chain.blockNumber())).to.equal(true);
      return hash;
    };
    /** Checks that both replicas deliver all trades in one order, and that a client can switch replicas. */
    async function expectTogether(a: World, b: World, pollMs: number) {
      const [one, two] = [await watch(a.url), await watch(b.url)];
      const made: string[] = [];
      for (let i = 0; i < 6; i++) {
        made.push(await trade((i % 2 ? a : b).deps));
        times.advance(pollMs);
        await (i % 2 ? two : one).until(i + 1);
      }
      await one.until(6);
      await two.until(6);
      expect(one.got.map((each) => each.trade.txHash)).to.deep.equal(made);
      expect(two.got).to.deep.equal(one.got);
      const other = await watch(b.url, one.got[2].sequence);
      await other.until(3);
      expect(other.got).to.deep.equal(one.got.slice(3));
    }

    it('reach all replicas without Redis, because each replica polls', async () => {
      await withReplicas([processLive(), processLive()], (a, b) => expectTogether(a, b, POLL_MS));
    });

    it('stop on all replicas for a key that is replaced on one replica', () =>
      withReplicas([processLive(), processLive()], async (...replicas) => {
        const NOTICES = 'subscription { notification { sequence notification { type } } }';
        const { key, wallet, trader: owner } = await newAgent(world);
        const subscribers = await Promise.all(replicas.map(({ url }) => overSocket(url, NOTICES, { key })));
        for (const subscriber of subscribers) stops.push(() => subscriber.cut());
        const body = await signReplacement(world, owner.signer, wallet);
        const { apiKey } = success(await replicas[0].ask('POST', '/api/agents/key', { body }));
        times.advance(POLL_MS);
        for (const [i, subscriber] of subscribers.entries()) {
          await eventually(() => subscriber.errors.length > 0, `the subscription at replica ${i} did not end`);
          expect(subscriber.errors[0].extensions.code).to.equal('INVALID_KEY');
          expect(subscriber.got).to.deep.equal([]);
        }
        for (const { ask } of replicas) {
          const statuses = [key, String(apiKey)].map((each) => ask('GET', '/api/agents/me', { key: each }));
          expect((await Promise.all(statuses)).map(({ status }) => status)).to.deep.equal([401, 200]);
        }
      }));

    const redis = process.env.REDIS_URL;
    if (redis !== undefined) {
      const connected = (url: string): Live =>
        redisLive({ url, prefix: `test${process.pid}:`, outages: world.deps.outages, times: testTimes });

      /** Waits until `to` hears the wake-ups of `from`. */
      async function untilHeard(from: Live, to: Live): Promise<void> {
        // A replica also wakes itself once when it is connected, so only a second wake-up proves that it hears the other.
        let heard = 0;
        to.listen(() => heard++);
        await eventually(() => {
          from.wake();
          return heard > 1;
        }, 'the replicas are not connected');
      }

      it('arrive over Redis without polling, and still arrive when Redis is unreachable', async () => {
        const line = await FaultyLine.to(redis);
        stops.push(() => line.close());
        const lives = [connected(line.url), connected(line.url)] as const;
        await withReplicas(lives, async (a, b) => {
          await untilHeard(lives[0], lives[1]);
          await untilHeard(lives[1], lives[0]);
          await expectTogether(a, b, 0);
          await line.close();
          const [one, two] = [await watch(a.url), await watch(b.url)];
          const hash = await trade(a.deps);
          times.advance(POLL_MS);
          await one.until(1);
          await two.until(1);
          expect(two.got[0].trade.txHash).to.equal(hash);
        });
        await eventually(
          () => world.logged.some(({ msg, part }) => part === 'redis' && msg === 'a part is unavailable'),
          'the log has no line about Redis',
        );
      });
    }
  });
}
