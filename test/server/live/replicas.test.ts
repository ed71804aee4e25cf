// Server: it behaves differently on PostgreSQL or Redis.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createApp } from '../../../src/app.js';
import { readConfig } from '../../../src/config.js';
import type { Deps } from '../../../src/deps.js';
import { catchUp } from '../../../src/index/ingest.js';
import type { Live } from '../../../src/live/live.js';
import { processLive } from '../../../src/live/process.js';
import { redisLive } from '../../../src/live/redis.js';
import { type Database, openDatabase } from '../../../src/store/database.js';
import { FaultyLine } from '../../support/chain/faulty-line.js';
import { serverUrl, testDatabase } from '../../support/database.js';
import { freshName, newAgent, success, type TestAgent } from '../../support/market/agents.js';
import { signReplacement } from '../../support/market/key-replacements.js';
import { newTrader, type Trader } from '../../support/market/traders.js';
import { overSocket, type Subscriber } from '../../support/service/live.js';
import { eventually } from '../../support/service/process.js';
import { storeOf } from '../../support/store.js';
import { type ManualTimes, manualTimes, testTimes } from '../../support/times.js';
import { ask, useWorld } from '../../support/world.js';

/** Interval at which a replica polls. */
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

    /** A replica within this process: it has its own database connections and its own channel for wake-ups. */
    async function replica(live: Live): Promise<{ url: string; deps: Deps }> {
      const { url } = await testDatabase();
      const orm: Database = await openDatabase({ url: String(url) }, { times: testTimes });
      stops.push(() => orm.close(true));
      const config = readConfig({ KEY_REPLACEMENT: 'on', TRUST_PROXY: '1', DATABASE_URL: String(url) });
      const deps = { ...world.deps, config, ...(await storeOf(orm)), live, times };
      const app = createApp(deps);
      const server = createServer(app.callback()).on('upgrade', app.upgrade);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      stops.push(async () => {
        await app.close();
        server.closeAllConnections();
        server.close();
        await live.close();
      });
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, deps };
    }
    async function watch(url: string, after?: string): Promise<Subscriber> {
      const made = await overSocket(url, TRADES, after === undefined ? {} : { variables: { after } });
      stops.push(() => made.cut());
      return made;
    }
    const trade = async (by: Deps): Promise<string> => {
      const { hash } = await trader.buy(agent.wallet, 1);
      expect(await catchUp(by, await by.market.blockNumber())).to.equal(true);
      return hash;
    };
    /** Checks that both replicas deliver all trades in one order, and that a client can switch replicas. */
    async function expectTogether(a: { url: string; deps: Deps }, b: { url: string; deps: Deps }, pollMs: number) {
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
      await expectTogether(await replica(processLive()), await replica(processLive()), POLL_MS);
    });

    it('end on all replicas when the key of their agent is replaced on one', async () => {
      const replicas = [await replica(processLive()), await replica(processLive())];
      const NOTICES = 'subscription { notification { sequence notification { type } } }';
      const { key, wallet, trader: owner } = await newAgent(world);
      const subscribers = await Promise.all(replicas.map(({ url }) => overSocket(url, NOTICES, { key })));
      for (const subscriber of subscribers) stops.push(() => subscriber.cut());
      const body = await signReplacement(world, owner.signer, wallet);
      const { apiKey } = success(await ask(String(replicas[0]?.url), 'POST', '/api/agents/key', { body }));
      times.advance(POLL_MS);
      for (const [i, subscriber] of subscribers.entries()) {
        await eventually(() => subscriber.errors.length > 0, `the subscription at replica ${i} did not end`);
        expect(subscriber.errors[0].extensions.code).to.equal('INVALID_KEY');
        expect(subscriber.got).to.deep.equal([]);
      }
      for (const { url } of replicas) {
        const statuses = [key, String(apiKey)].map((each) => ask(url, 'GET', '/api/agents/me', { key: each }));
        expect((await Promise.all(statuses)).map(({ status }) => status)).to.deep.equal([401, 200]);
      }
    });

    const redis = process.env.REDIS_URL;
    if (redis !== undefined) {
      const connected = (url: string): Live =>
        redisLive({ url, prefix: `test${process.pid}:`, outages: world.deps.outages, times: testTimes });

      /** Waits until one replica hears the other. */
      async function untilHeard(from: Live, to: Live): Promise<void> {
        const caller = freshName();
        let heard = false;
        to.onWriter((name) => {
          heard ||= name === caller;
        });
        await eventually(async () => {
          await from.tellWriter(caller);
          return heard;
        }, 'the replicas are not connected');
      }

      it('arrive over Redis without polling, and still arrive when Redis is unreachable', async () => {
        const line = await FaultyLine.to(redis);
        stops.push(() => line.close());
        const lives = [connected(line.url), connected(line.url)] as const;
        const [a, b] = [await replica(lives[0]), await replica(lives[1])];
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
        await eventually(
          () => world.logged.some(({ msg, part }) => part === 'redis' && msg === 'a part is away'),
          'the log has no line about Redis',
        );
      });
    }
  });
}
