// Nightly: it depends on real time.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { updateSeasons } from '../../../src/core/seasons/commands/score.js';
import { readCursor } from '../../../src/core/trading/commands/cursor.js';
import type { Deps } from '../../../src/deps.js';
import { startIndexer } from '../../../src/jobs/indexer.js';
import { openDatabase } from '../../../src/store/database.js';
import { leadership } from '../../../src/store/leader.js';
import { TIMES } from '../../../src/times.js';
import { FaultyLine } from '../../support/chain/faulty-line.js';
import { serverUrl, testDatabase } from '../../support/database.js';
import { newAgent, type TestAgent } from '../../support/market/agents.js';
import { seeded } from '../../support/market/traffic.js';
import { withParts } from '../../support/parts.js';
import { seed } from '../../support/seed.js';
import { overSocket } from '../../support/service/live.js';
import { eventually } from '../../support/service/process.js';
import { runSql, storeOf } from '../../support/store.js';
import { type Answer, useWorld, type World } from '../../support/world.js';

const POST = 'mutation ($text: String!) { post(text: $text) { id } }';
const POSTS = 'subscription { feedEvent { sequence event { agent { name } ... on StatusEvent { text } } } }';

if (serverUrl === undefined) {
  describe('requests while PostgreSQL is unreachable', () => {
    it('are not tested: DATABASE_URL is not set');
  });
} else {
  describe('requests while PostgreSQL is unreachable', () => {
    const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off', DATABASE_URL: String(serverUrl) });
    let line: FaultyLine;
    let agent: TestAgent;
    let other: TestAgent;
    let parts: Pick<Deps, 'sql' | 'write' | 'writes'>;
    let close: () => Promise<void>;

    before(async () => {
      [agent, other] = [await newAgent(world), await newAgent(world)];
      line = await FaultyLine.to(String((await testDatabase()).url));
    });
    beforeEach(async () => {
      const orm = await openDatabase({ url: line.url });
      parts = await storeOf(orm);
      close = () => orm.close(true);
    });
    afterEach(async () => {
      line.thaw();
      line.slow(0);
      line.reset();
      await close();
    });
    after(() => line.close());

    const timed = async (asked: Promise<Answer>): Promise<Answer & { ms: number }> => {
      const begun = performance.now();
      return { ...(await asked), ms: performance.now() - begun };
    };
    let texts = 0;
    const post = (replica: World) =>
      replica.ask('POST', '/api/feed', { key: agent.key, body: { text: `Line ${++texts}` } });
    const writesOf = (replica: World): Promise<Answer>[] => [
      post(replica),
      replica.ask('POST', '/api/agents/follow', { key: agent.key, body: { targetAddress: other.wallet } }),
      replica.ask('PATCH', '/api/agents/me', { key: agent.key, body: { bio: 'Away' } }),
    ];

    it('answer 503 with Retry-After while the connection is frozen; /health and /ready report the state', () =>
      withParts(world, parts, async (replica) => {
        await Promise.all(writesOf(replica));
        line.freeze();
        const asked = [
          ...writesOf(replica),
          ...Array.from({ length: 40 }, (_, i) => replica.ask('GET', `/api/agents?page=${i + 1}`)),
        ].map(timed);
        const health = await timed(replica.ask('GET', '/health'));
        expect([health.status, health.ms < 1900]).to.deep.equal([200, true]);
        const ready = await timed(replica.ask('GET', '/ready'));
        expect(ready.status).to.equal(503);
        expect(ready.body.database).to.deep.equal({ state: 'down' });
        expect(ready.ms).to.be.lessThan(2600);
        for (const { status, headers, body, ms } of await Promise.all(asked)) {
          expect(status, JSON.stringify(body)).to.equal(503);
          expect(headers.get('retry-after')).to.match(/^[1-9]/);
          expect(ms).to.be.lessThan(8000);
        }
        line.thaw();
        const thawed = performance.now();
        await eventually(async () => (await replica.ask('GET', '/ready')).status === 200, '/ready does not recover');
        expect(performance.now() - thawed).to.be.lessThan(10_000);
        expect((await post(replica)).status).to.equal(201);
      }));

    it('answer 503 instead of 500 when connections are reset at random times', () =>
      withParts(world, parts, async (replica) => {
        const random = seeded(seed);
        let on = true;
        const answers: Answer[] = [];
        const write = async () => {
          while (on) answers.push(...(await Promise.all(writesOf(replica))));
        };
        const loops = Array.from({ length: 8 }, write);
        for (let i = 0; i < 12; i++) {
          await sleep(random() * 150);
          line.reset();
        }
        on = false;
        await Promise.all(loops);
        const statuses = [...new Set(answers.map(({ status }) => status))].sort();
        expect(statuses).to.include(503);
        const refused = answers.filter(({ status }) => status >= 400 && status !== 503);
        expect(refused.map(({ body }) => body)).to.deep.equal([]);
        const promised = answers.flatMap(({ body }) => (body.post as { id: string } | undefined)?.id ?? []);
        const stored = await world.deps.sql<{ id: string }>('select id from agent_activity');
        const ids = new Set(stored.map(({ id }) => id));
        expect(promised.filter((id) => !ids.has(id))).to.deep.equal([]);
        expect((await post(replica)).status).to.equal(201);
      }));

    it('report an unknown outcome over REST and GraphQL when the reply to a commit is lost', () =>
      withParts(world, parts, async (replica) => {
        void line.at(/commit/, 'lose');
        const { status, body, headers } = await post(replica);
        expect([status, body.error]).to.deep.equal([503, 'Outcome unknown']);
        expect(headers.get('retry-after')).to.equal('5');
        void line.at(/commit/, 'lose');
        const request = { query: POST, variables: { text: 'A lost one' } };
        const answer = await replica.ask('POST', '/graphql', { key: agent.key, body: request });
        const [error] = answer.body.errors as { extensions: Record<string, unknown> }[];
        expect(error?.extensions).to.deep.include({ code: 'OUTCOME_UNKNOWN', retryAfter: 5 });
        // The commit succeeded on the server, so a read finds the post.
        const rows = await world.deps.sql("select text from agent_activity where text = 'A lost one'");
        expect(rows).to.have.length(1);
      }));

    it('answer in the form of GraphQL when the connection is cut before a write', () =>
      withParts(world, parts, async (replica) => {
        const read = { query: '{ agents(first: 1) { nodes { name } } }' };
        void line.at(/select/i, 'drop');
        const { body } = await replica.ask('POST', '/graphql', { body: read });
        const [error] = body.errors as { extensions: Record<string, unknown> }[];
        expect(error?.extensions.code).to.equal('DATABASE_UNAVAILABLE');
        void line.at(/api_key_hash/, 'drop');
        const refused = await replica.ask('POST', '/graphql', { key: agent.key, body: read });
        expect(refused.status).to.equal(503);
        expect(refused.headers.get('retry-after')).to.equal('5');
        expect(JSON.stringify(refused.body)).to.include('DATABASE_UNAVAILABLE');
      }));

    it('time out within 15 s when a dependency hangs', () =>
      withParts(
        world,
        { ...parts, posts: { textOf: () => new Promise(() => {}) } as never, ethUsd: () => new Promise(() => {}) },
        async (replica) => {
          const { status, body, ms } = await timed(replica.ask('GET', '/api/agents/me/balance', { key: agent.key }));
          expect([status, body.error]).to.deep.equal([503, 'Request timed out']);
          expect(ms).to.be.within(10_000, 14_000);
        },
      ));

    it('let the index continue after the connection was frozen and cut', async () => {
      const deps = { ...world.deps, ...parts };
      const indexer = startIndexer(deps, {
        leadership: leadership({ url: line.url }, 4800 + process.pid, TIMES),
        pollMs: 50,
      });
      const reachesHead = async () => {
        const head = await world.deps.market.blockNumber();
        await eventually(
          async () => (await readCursor(world.deps)).blockNumber >= head,
          'the index does not reach the head',
        );
      };
      try {
        await reachesHead();
        line.freeze();
        await agent.trader.buy(agent.wallet, 1);
        await sleep(1000);
        line.thaw();
        const thawed = performance.now();
        await reachesHead();
        expect(performance.now() - thawed).to.be.lessThan(10_000);
        void line.at(/indexer_cursor for update/, 'freeze');
        await agent.trader.buy(agent.wallet, 1);
        await reachesHead();
        void line.at(/commit/, 'drop');
        await agent.trader.buy(agent.wallet, 1);
        await reachesHead();
      } finally {
        line.thaw();
        line.reset();
        await indexer.stop();
      }
    });

    it('roll back scoring that is cut, and the next run completes it', async () => {
      const deps = { ...world.deps, ...parts };
      const points = () => world.deps.sql('select * from agent_season_points order by 1, 2');
      await updateSeasons(world.deps);
      await runSql(world.deps, 'delete from agent_season_points');
      await runSql(world.deps, 'update season set scored_at = null');
      void line.at(/insert into agent_season_points/i, 'drop');
      const failed = await updateSeasons(deps).then(
        () => 'done',
        () => 'failed',
      );
      expect(failed).to.equal('failed');
      expect(await points()).to.deep.equal([]);
      void line.at(/insert into agent_season_points/i, { delayMs: 500 });
      await updateSeasons(deps);
      expect(await points()).to.have.length.above(1);
    });

    it('roll back scoring that freezes: the replica and the server time out within 20 s', async () => {
      const deps = { ...world.deps, ...parts };
      await updateSeasons(world.deps);
      await runSql(world.deps, 'delete from agent_season_points');
      await runSql(world.deps, 'update season set scored_at = null');
      const frozen = line.at(/insert into agent_season_points/i, 'freeze');
      const begun = performance.now();
      const run = updateSeasons(deps).then(
        () => 'done',
        () => 'failed',
      );
      await frozen;
      line.freeze();
      // The other replica waits for the season lock until the server ends the frozen session.
      await updateSeasons(world.deps);
      expect(performance.now() - begun).to.be.within(2000, 20_000);
      expect(await world.deps.sql('select * from agent_season_points')).to.have.length.above(1);
      expect(await run).to.equal('failed');
      expect(performance.now() - begun).to.be.lessThan(20_000);
    });

    it('deliver every live event after the connection recovers', () =>
      withParts(world, parts, async (replica) => {
        const subscriber = await overSocket(replica.url, POSTS);
        try {
          await sleep(300);
          const texts: string[] = [];
          for (const fault of ['none', 'reset', 'freeze', 'none'] as const) {
            if (fault === 'reset') line.reset();
            if (fault === 'freeze') {
              line.freeze();
              setTimeout(() => line.thaw(), 1500);
            }
            const text = `News ${fault} ${texts.length}`;
            texts.push(text);
            await world.ask('POST', '/api/feed', { key: agent.key, body: { text } });
            await sleep(400);
          }
          await subscriber.until(texts.length);
          expect(subscriber.errors).to.deep.equal([]);
          expect(subscriber.got.map(({ event }) => event.text)).to.deep.equal(texts);
        } finally {
          subscriber.cut();
        }
      }));
  });
}
