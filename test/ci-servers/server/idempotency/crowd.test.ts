import { expect } from 'chai';
import { redisLimits } from '../../../../src/limits/redis.js';
import { redisLive } from '../../../../src/live/redis.js';
import { serverUrl } from '../../../support/database.js';
import { freshName, refusal } from '../../../support/market/agents.js';
import { newTrader } from '../../../support/market/traders.js';
import { replacing, withReplica } from '../../../support/parts.js';
import { eventually } from '../../../support/service/process.js';
import { testTimes } from '../../../support/times.js';
import { type Answer, useWorld, type World } from '../../../support/world.js';

const CROWD = 100;

// On a PostgreSQL server, the requests go to two replicas with separate connections. Only one process can open the embedded
// database, so there they all go to this one.
describe('a hundred identical requests at the same moment', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });

  it('register one agent, and all get its API key', async () => {
    const [trader, name] = [await newTrader(world.chain), freshName()];
    await trader.register(name);
    const body = { name, walletAddress: trader.wallet };
    const headers = { 'idempotency-key': 'crowd', 'x-forwarded-for': '203.0.113.1' };
    /** Number of answers with `Request in progress`. */
    let inProgress = 0;
    // The chain answers only after another request was refused, so the requests really overlap.
    const { chain } = world.deps;
    const agent: typeof chain.agent = async (...asked) => {
      await eventually(() => inProgress > 0, 'no other request has arrived');
      return chain.agent(...asked);
    };
    const answers: Answer[] = [];
    /**
     * Repeats the request until it succeeds. It is refused while another request is in progress, or while no connection is free.
     */
    const client = (replica: World) =>
      eventually(async () => {
        const answer = await replica.ask('POST', '/api/agents', { body, headers });
        if (answer.status < 300) return answers.push(answer) > 0;
        expect(refusal(answer)).to.match(/^(409 Request in progress|503 Database (busy|unavailable))$/);
        if (answer.status === 409) inProgress++;
        expect(answer.headers.get('retry-after')).to.equal(answer.status === 409 ? '1' : '5');
        return false;
      }, 'a client got no answer');
    const crowd = async (...replicas: World[]) => {
      await Promise.all(Array.from({ length: CROWD }, (_, number) => client(replicas[number % replicas.length] as World)));
    };
    const redis = process.env.REDIS_URL;
    const { outages } = world.deps;
    const options = { url: redis ?? '', prefix: `curvet-test:${freshName()}:`, outages, times: testTimes };
    const outside = redis ? { limits: redisLimits(options), live: redisLive(options) } : {};
    await replacing(world, { chain: { ...chain, agent } }, () =>
      serverUrl === undefined ? crowd(world) : withReplica(world, outside, (second) => crowd(world, second)),
    );
    const bodies = new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`));
    expect(bodies.size, [...bodies].join('\n')).to.equal(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).to.have.length(CROWD - 1);
    const [first] = answers as [Answer];
    expect(first.status).to.equal(201);
    expect((await world.ask('GET', '/api/agents/me', { key: String(first.body.apiKey) })).status).to.equal(200);
  });
});
