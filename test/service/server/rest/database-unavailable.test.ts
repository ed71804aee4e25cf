import { expect } from 'chai';
import { updateSeasons } from '../../../../src/features/seasons/score.js';
import { useFaultyLine } from '../../../support/chain/faulty-line.js';
import { serverUrl } from '../../../support/database.js';
import { newAgent, type TestAgent } from '../../../support/market/agents.js';
import { withParts } from '../../../support/parts.js';
import { thrownBy } from '../../../support/refused.js';
import { unscored } from '../../../support/scoring/seasons.js';
import { query, refusalOf } from '../../../support/service/graphql.js';
import { eventually } from '../../../support/service/process.js';
import { manualTimes, testTimes } from '../../../support/times.js';
import { type Answer, useWorld, type World } from '../../../support/world.js';

const POST = 'mutation ($text: String!) { post(text: $text) { id } }';

if (serverUrl !== undefined) {
  describe('the service while its connections to PostgreSQL break', () => {
    const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off', DATABASE_URL: String(serverUrl) });
    const over = useFaultyLine(testTimes);
    let agent: TestAgent;
    let other: TestAgent;

    before(async () => {
      [agent, other] = [await newAgent(world), await newAgent(world)];
    });

    let texts = 0;
    const post = (replica: World) => replica.ask('POST', '/api/feed', { key: agent.key, body: { text: `Line ${++texts}` } });
    const writesOf = (replica: World): Promise<Answer>[] => [
      post(replica),
      replica.ask('POST', '/api/agents/follow', { key: agent.key, body: { targetAddress: other.wallet } }),
      replica.ask('PATCH', '/api/agents/me', { key: agent.key, body: { bio: 'Away' } }),
    ];

    it('answers 503 instead of 500 after resets, and loses no confirmed post', () =>
      withParts(world, over.parts, async (replica) => {
        let on = true;
        const answers: Answer[] = [];
        const write = async () => {
          while (on) answers.push(...(await Promise.all(writesOf(replica))));
        };
        const loops = Array.from({ length: 8 }, write);
        const isRefused = () => answers.some(({ status }) => status === 503);
        // Resets at least 12 times, and until a reset has hit a write.
        for (let resets = 0; resets < 12 || !isRefused(); resets++) {
          const before = answers.length;
          await eventually(() => answers.length > before, 'no write is answered');
          over.line.reset();
        }
        on = false;
        await Promise.all(loops);
        const refused = answers.filter(({ status }) => status >= 400 && status !== 503);
        expect(refused.map(({ body }) => body)).to.deep.equal([]);
        // Each post whose id a client got must be stored.
        const promised = answers.flatMap(({ body }) => (body.post as { id: string } | undefined)?.id ?? []);
        const stored = await world.deps.sql<{ id: string }>('select id from agent_activity');
        const ids = new Set(stored.map(({ id }) => id));
        expect(promised.filter((id) => !ids.has(id))).to.deep.equal([]);
        expect((await post(replica)).status).to.equal(201);
      }));

    it('reports an unknown outcome in REST and GraphQL if a commit gets no reply', () =>
      withParts(world, over.parts, async (replica) => {
        // The server commits, and the connection ends before its reply.
        void over.line.at(/commit/, 'lose');
        const { status, body, headers } = await post(replica);
        expect([status, body.error]).to.deep.equal([503, 'Outcome unknown']);
        expect(headers.get('retry-after')).to.equal('5');
        void over.line.at(/commit/, 'lose');
        const answer = await query(replica, POST, { key: agent.key, variables: { text: 'A lost one' } });
        expect(answer.errors[0]?.extensions).to.deep.include({ code: 'OUTCOME_UNKNOWN', retryAfter: 5 });
        // The commit succeeded on the server, so a read finds the post.
        const rows = await world.deps.sql("select text from agent_activity where text = 'A lost one'");
        expect(rows).to.have.length(1);
      }));

    it('returns an error in the form of GraphQL when a read is cut', () =>
      withParts(world, over.parts, async (replica) => {
        const read = '{ agents(first: 1) { nodes { name } } }';
        void over.line.at(/select/i, 'drop');
        expect(refusalOf(await query(replica, read))).to.equal('200 DATABASE_UNAVAILABLE');
        // This statement looks up the API key before the operation begins. So the whole request fails, and not only a field.
        void over.line.at(/api_key_hash/, 'drop');
        const refused = await query(replica, read, { key: agent.key });
        expect(refusalOf(refused)).to.equal('503 DATABASE_UNAVAILABLE');
        expect(refused.headers.get('retry-after')).to.equal('5');
      }));

    it('answers 503 within 15 seconds when a dependency hangs', async () => {
      const times = manualTimes();
      const asked = Promise.withResolvers<void>();
      const ethUsd = () => {
        asked.resolve();
        return new Promise<never>(() => {});
      };
      await withParts(world, { ...over.parts, times, ethUsd }, async (replica) => {
        const answer = replica.ask('GET', '/api/agents/me/balance', { key: agent.key });
        await asked.promise;
        times.advance(times.request);
        const { status, body } = await answer;
        expect([status, body.error]).to.deep.equal([503, 'Request timed out']);
        // Every request must be answered within 15 s.
        expect(times.request).to.be.below(15_000);
      });
    });

    it('rolls back a scoring that is cut, and completes it in the next run', async () => {
      const deps = { ...world.deps, ...over.parts };
      const { scored, points } = await unscored(world.deps);
      void over.line.at(/insert into agent_season_points/i, 'drop');
      expect(await thrownBy(updateSeasons(deps))).to.be.instanceOf(Error);
      expect(await points()).to.deep.equal([]);
      await updateSeasons(deps);
      expect(await points()).to.deep.equal(scored);
    });
  });
}
