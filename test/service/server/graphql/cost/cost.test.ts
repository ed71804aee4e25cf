import { expect } from 'chai';
import { freshIp } from '../../../../support/market/agents.js';
import { addListedAgent } from '../../../../support/market/rows.js';
import { withParts } from '../../../../support/parts.js';
import { costOf, POINTS, POINTS_OF_KEY, pointsLeft, query } from '../../../../support/service/graphql.js';
import { useWorld } from '../../../../support/world.js';

const asking = { 'graphql-cost': 'include' };
const text = '{ agents(first: 40) { nodes { id name } } }';
/** The query cost of `text`: `agents`, `nodes`, and 40 times `id` and `name`. */
const COST = 82;
const aliased = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: __typename`).join(' ');

describe('the query cost', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let agent: Awaited<ReturnType<typeof addListedAgent>>;
  before(async () => {
    agent = await addListedAgent(world);
  });

  const ask = async (body: object, headers: Record<string, string>, key?: string) =>
    world.ask('POST', '/graphql', { body, headers: { ...asking, ...headers }, key });
  const get = (headers: Record<string, string>, asked = text) =>
    fetch(`${world.url}/graphql?${new URLSearchParams({ query: asked })}`, {
      headers: { 'x-apollo-operation-name': 'a', ...headers },
    });
  const inSeconds = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000).toISOString();

  it('is one point for each field or each selection of only __typename, times the size of its lists', async () => {
    for (const [document, cost] of [
      // `agents` + `edges` + 20 x (`node` + `name`): without `first`, a list has 20 items.
      ['{ agents { edges { node { name } } } }', 42],
      // `agents` + `nodes` + 3 x (`name` + `trades` + `nodes` + 2 x `id`).
      ['{ agents(first: 3) { nodes { name trades(first: 2) { nodes { id } } } } }', 17],
      // `trades` + `nodes` + 2 x (`outcomes` + 3 x `paid`).
      ['{ trades(first: 2) { nodes { outcomes { paid } } } }', 10],
      ['query ($n: Int!) { agents(first: $n) { nodes { ...N } } } fragment N on Agent { name }', 7],
      // 100 for `pnlPeriods` + 5 x `trades`.
      ['{ pnlPeriods(agent: "scout", first: 5) { trades } }', 105],
      // A refused query costs one point, the minimum.
      ['{ agents(first: 1000000) { nodes { name } } }', 1],
      ['{ __typename }', 1],
      ['{ __typename agents { __typename totalCount } }', 2],
      ['{ agents { __typename } }', 2],
      ['{ agents(first: 100) { nodes { __typename } } }', 102],
      ['{ agents(first: 100) { nodes { __typename id } } }', 102],
      ['{ agents(first: 100) { nodes { __typename __typename id } } }', 202],
      ['{ agents(first: 100) { nodes { type: __typename id } } }', 202],
      ['{ agents(first: 100) { nodes { ...A ...A } } } fragment A on Agent { __typename }', 202],
    ] as const) {
      expect(await costOf(world, document, { n: 5 }), document).to.equal(cost);
    }
  });

  it('is named in the error of a query that exceeds it, like the depth and the number of aliases', async () => {
    for (const [document, message, figures] of [
      [
        '{ agents(first: 1000) { nodes { id name } } }',
        'The query exceeds the limit of cost: 2002, at most 1000',
        { cost: 2002, maximum: 1000 },
      ],
      [
        `{ agents(first: ${'9'.repeat(400)}) { nodes { id } } }`,
        'The query exceeds the limit of cost: 9007199254740991, at most 1000',
        { cost: Number.MAX_SAFE_INTEGER, maximum: 1000 },
      ],
      [
        `{ agents(first: 1) { nodes { ${'followers(first: 1) { nodes { agent { '.repeat(2)}name${' } } }'.repeat(2)} } } }`,
        'The query exceeds the limit of depth: 9, at most 8',
        {},
      ],
      [`{ ${aliased(31)} }`, 'The query exceeds the limit of aliases: 31, at most 30', {}],
      [`{ ${'a '.repeat(1000)} }`, 'The query exceeds the limit of tokens: at most 1000', {}],
    ] as const) {
      const [error] = (await query(world, document)).errors;
      const { code, hint, ...rest } = error?.extensions ?? {};
      expect([error?.message, code, rest]).to.deep.equal([message, 'QUERY_LIMIT', figures]);
      expect(hint).to.be.a('string').and.not.equal('');
    }
  });

  it('is shown with the remaining points to a client that asks for them, with and without a key', async () => {
    for (const [key, max] of [
      [undefined, POINTS],
      [agent.key, POINTS_OF_KEY],
    ] as const) {
      const headers = freshIp();
      const first = await ask({ query: text }, headers, key);
      const resetAt = inSeconds(60);
      expect(first.body.extensions).to.deep.equal({ cost: { requested: COST, remaining: max - COST, resetAt } });
      expect(pointsLeft(first)).to.equal(max - COST);
      world.clock.advance(20_000);
      const second = await ask({ query: text }, headers, key);
      const cost = { requested: COST, remaining: max - 2 * COST, resetAt: inSeconds(40) };
      expect(second.body).to.deep.equal({ ...first.body, extensions: { cost } });
      world.clock.advance(60_000);
    }
  });

  it('makes an answer with the remaining points uncacheable, and leaves the cached answer unchanged', async () => {
    const plain = await get(freshIp());
    const etag = String(plain.headers.get('etag'));
    const bytes = await plain.text();
    const shown = await get({ ...asking, ...freshIp(), 'if-none-match': etag });
    const head = [shown.status, shown.headers.get('cache-control'), shown.headers.get('etag')];
    expect(head).to.deep.equal([200, 'no-store', null]);
    expect(shown.headers.get('vary')?.toLowerCase()).to.include('graphql-cost');
    const { extensions, ...rest } = JSON.parse(await shown.text());
    const cost = { requested: COST };
    expect(JSON.stringify({ ...rest, extensions: { cost } })).to.equal(bytes);
    expect(extensions.cost).to.deep.equal({ ...cost, remaining: POINTS - COST, resetAt: inSeconds(60) });
    expect(await (await get(freshIp())).text()).to.equal(bytes);
  });

  it('is in every answer, even a cached one, without the remaining points of the caller', async () => {
    const mutation = 'mutation { updateMe(input: { bio: "Hello" }) { id } }';
    for (const [body, key, requested] of [
      [{ query: text }, undefined, COST],
      [{ query: text }, agent.key, COST],
      [{ query: mutation }, agent.key, 2],
      [{ query: '{ me { agent { id } } }' }, undefined, 3],
      [{ query: '{ nothing }' }, undefined, 1],
      [{ query: '{ agents' }, undefined, 1],
      [{ query: '{ agents(first: 1000) { nodes { id } } }' }, undefined, 1],
      [{ query: 1 }, undefined, 1],
      [{}, undefined, 1],
    ] as const) {
      const { body: answer } = await world.ask('POST', '/graphql', { body, headers: freshIp(), key });
      expect(answer.extensions, JSON.stringify(body)).to.deep.equal({ cost: { requested } });
    }
    const answers = await Promise.all([get(freshIp()), get(freshIp()), get({ ...freshIp(), 'x-api-key': agent.key })]);
    const [first, second, keyed] = await Promise.all(answers.map((answer) => answer.text()));
    const shown = `,"extensions":{"cost":{"requested":${COST}}}}`;
    expect([second, keyed?.trimEnd(), first?.slice(-shown.length)]).to.deep.equal([first, first, shown]);
  });

  it('is shown on request with errors, refusals and mutations, also with a replayed mutation', async () => {
    const mutation = 'mutation { updateMe(input: { bio: "Hi" }, idempotencyKey: "cost-1") { id } }';
    for (const [body, key, requested, others] of [
      [{ query: '{ agent(agentId: "nobody") { id } }' }, undefined, 2, ['errors', 'data']],
      [{ query: '{ nothing }' }, undefined, 1, ['errors']],
      [{ query: '{ agents(first: 1000) { nodes { id } } }' }, undefined, 1, ['errors']],
      [{ query: 1 }, undefined, 1, ['errors']],
      [{ query: mutation }, agent.key, 2, ['data']],
    ] as const) {
      const { body: answer } = await ask(body, freshIp(), key);
      const { extensions, ...rest } = answer as { extensions: { cost: { requested: number } } };
      expect([extensions.cost.requested, Object.keys(rest)], JSON.stringify(body)).to.deep.equal([requested, others]);
    }
    const replayed = await ask({ query: mutation }, freshIp(), agent.key);
    expect(replayed.body.extensions).to.deep.include({ idempotentReplayed: ['updateMe'] });
    expect(replayed.body.extensions).to.have.property('cost');
  });

  it('is shown with the remaining points of the smaller window if the caller has two windows', async () => {
    // An IPv6 address counts in the window of its /64 network, and in that of its /48 network, which has ten times the points.
    const headers = { 'x-forwarded-for': '2001:db8:77:1::1' };
    const { body } = await ask({ query: text }, headers);
    const cost = { requested: COST, remaining: POINTS - COST, resetAt: inSeconds(60) };
    expect(body.extensions).to.deep.equal({ cost });
  });

  it('is shown without remaining points when rate limits are off', async () => {
    const config = { ...world.deps.config, RATE_LIMITS: 'off' as const };
    await withParts(world, { config }, async (other) => {
      const { body } = await other.ask('POST', '/graphql', { body: { query: text }, headers: asking });
      expect(body.extensions).to.deep.equal({ cost: { requested: COST, remaining: null, resetAt: null } });
    });
  });

  it('is shown without remaining points over Server-Sent Events, whose headers have them', async () => {
    const headers = { ...freshIp(), ...asking, accept: 'text/event-stream' };
    const answer = await fetch(`${world.url}/graphql`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query: text }),
    });
    expect(pointsLeft(answer)).to.equal(POINTS - COST);
    expect(await answer.text()).to.include(`},"extensions":{"cost":{"requested":${COST}}}}\n`);
  });

  it('is also charged for a conditional request that is answered with 304', async () => {
    const etag = String((await get(freshIp())).headers.get('etag'));
    for (const [headers, status] of [
      [{ 'if-none-match': etag }, 304],
      [{ 'if-none-match': `"other", ${etag}` }, 304],
      [{ 'if-none-match': etag, 'cache-control': 'no-cache' }, 304],
      [{ 'if-none-match': '"other"' }, 200],
      [{ 'if-none-match': etag, 'x-api-key': agent.key }, 200],
    ] as const) {
      const answer = await get({ ...freshIp(), ...headers });
      const max = 'x-api-key' in headers ? POINTS_OF_KEY : POINTS;
      expect(answer.status, JSON.stringify(headers)).to.equal(status);
      expect(answer.headers.get('ratelimit-policy')).to.equal(`"graphql";q=${max};w=60`);
    }
    const headers = { ...freshIp(), 'if-none-match': etag };
    const left = [await get(headers), await get(headers)].map(pointsLeft);
    expect(left).to.deep.equal([POINTS - COST, POINTS - 2 * COST]);
    const posted = await query(world, text, { headers: { ...freshIp(), 'if-none-match': etag } });
    expect(posted.status).to.equal(200);
  });
});
