// Nightly: only the timeouts of the service find a frozen connection, and the drivers run some of them in real time.
import { expect } from 'chai';
import { readCursor } from '../../../src/index/cursor.js';
import { startIndexer } from '../../../src/index/indexer.js';
import { leadership } from '../../../src/store/leader.js';
import { TIMES } from '../../../src/times.js';
import { useFaultyLine } from '../../support/chain/faulty-line.js';
import { serverUrl } from '../../support/database.js';
import { newAgent, type TestAgent } from '../../support/market/agents.js';
import { withParts } from '../../support/parts.js';
import { overSocket } from '../../support/service/live.js';
import { eventually } from '../../support/service/process.js';
import { useWorld, type World } from '../../support/world.js';

const POSTS = 'subscription { feedEvent { sequence event { agent { name } ... on StatusEvent { text } } } }';

if (serverUrl === undefined) {
  describe('frozen connections to PostgreSQL', () => {
    it('are not tested: DATABASE_URL is not set');
  });
} else {
  describe('frozen connections to PostgreSQL', () => {
    const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off', DATABASE_URL: String(serverUrl) });
    // Only these timeouts find out that a connection is frozen, and then the work is repeated.
    const over = useFaultyLine(TIMES);
    let agent: TestAgent;

    before(async () => {
      agent = await newAgent(world);
    });

    /** Freezes all connections once one has a statement that waits for its answer. New connections work. */
    const freezeOnce = async () => {
      await over.line.at(/./s, 'freeze');
      over.line.freeze();
      over.line.thaw();
    };
    const post = (replica: World, text: string) => replica.ask('POST', '/api/feed', { key: agent.key, body: { text } });

    it('cause answers 503 with Retry-After, while /health and /ready report the state', () =>
      withParts(world, over.parts, async (replica) => {
        await post(replica, 'Before');
        over.line.freeze();
        const asked = [
          post(replica, 'During'),
          ...Array.from({ length: 40 }, (_, i) => replica.ask('GET', `/api/agents?page=${i + 1}`)),
        ];
        expect((await replica.ask('GET', '/health')).status).to.equal(200);
        const ready = await replica.ask('GET', '/ready');
        expect([ready.status, ready.body.database]).to.deep.equal([503, { state: 'down' }]);
        for (const { status, headers, body } of await Promise.all(asked)) {
          expect(status, JSON.stringify(body)).to.equal(503);
          expect(body.error).not.to.equal('Request timed out');
          expect(headers.get('retry-after')).to.match(/^[1-9]/);
        }
        over.line.thaw();
        await eventually(async () => {
          // /ready shows the same state for a second.
          world.clock.advance(1000);
          return (await replica.ask('GET', '/ready')).status === 200;
        }, '/ready does not recover');
        await eventually(async () => (await post(replica, 'After')).status === 201, 'no post is accepted');
      }));

    it('do not stop the index', async () => {
      const deps = { ...world.deps, ...over.parts };
      const election = leadership({ url: over.line.url }, 4800 + process.pid, TIMES);
      const indexer = startIndexer(deps, { leadership: election, pollMs: 50 });
      const reachesHead = async () => {
        const head = await world.deps.market.blockNumber();
        await eventually(
          async () => (await readCursor(world.deps)).blockNumber >= head,
          'the index does not reach the head',
        );
      };
      try {
        await reachesHead();
        await freezeOnce();
        await agent.trader.buy(agent.wallet, 1);
        await reachesHead();
        for (const [statement, fault] of [
          [/indexer_cursor for update/, 'freeze'],
          [/commit/, 'drop'],
        ] as const) {
          void over.line.at(statement, fault);
          await agent.trader.buy(agent.wallet, 1);
          await reachesHead();
        }
      } finally {
        over.line.reset();
        await indexer.stop();
      }
    });

    it('delay live events, but lose none', () =>
      withParts(world, over.parts, async (replica) => {
        const subscriber = await overSocket(replica.url, POSTS);
        try {
          const frozen = freezeOnce();
          const texts = ['First', 'Second'];
          for (const text of texts) {
            await post(world, text);
            await frozen;
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
