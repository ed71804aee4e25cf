import { expect } from 'chai';
import { execute, type GraphQLObjectType, type GraphQLSchema, isObjectType, parse, validate } from 'graphql';
import { graphqlSchema } from '../../../src/graphql.js';
import { contextOf } from '../../../src/server/graphql/engine.js';
import { freshIp } from '../../support/market/agents.js';
import { type Market, populate } from '../../support/market/market.js';
import { wholeOf } from '../../support/market/selection.js';
import { counting } from '../../support/parts.js';
import { data, type Json, query } from '../../support/service/graphql.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

const schema = graphqlSchema();

/** All uncacheable fields, as `Type.field`. */
const uncacheableFields = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter(({ extensions }) => extensions.cache === 'never')
        .map(({ name }) => `${type.name}.${name}`),
    );

describe('cached GraphQL answers', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let ada: Market['ada'];
  let bob: Market['bob'];
  before(async () => {
    ({ ada, bob } = await populate(world));
  });

  const get = (text: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${world.url}/graphql?${new URLSearchParams({ query: text })}`, {
      method,
      headers: { ...freshIp(), 'x-apollo-operation-name': 'a', ...headers },
    });

  it('are executed once for concurrent requests and cached for one second', async () => {
    await counting(world, async (other, count) => {
      const text = 'query ($n: Int!) { trades(first: $n) { nodes { id } } }';
      const ask = (n: number) => query(other, text, { variables: { n } });
      const answers = await Promise.all(Array.from({ length: 10 }, () => ask(2)));
      expect(count()).to.equal(1);
      expect(new Set(answers.map((answer) => JSON.stringify(answer.data))).size).to.equal(1);
      expect((await ask(1)).data.trades.nodes).to.have.length(1);
      expect(count()).to.equal(2);
      expect((await ask(2)).data.trades.nodes).to.have.length(2);
      expect(count()).to.equal(2);
      world.clock.advance(1000);
      await ask(2);
      expect(count()).to.equal(3);
      await query(other, text, { variables: { n: 2 }, headers: { 'cache-control': 'no-cache' } });
      expect(count()).to.equal(4);
    });
  });

  it('are cached separately for each operation of a document', async () => {
    const body = { query: 'query A { agents { totalCount } } query B { trades { totalCount } }' };
    for (const [operationName, field] of [
      ['A', 'agents'],
      ['B', 'trades'],
    ] as const) {
      const answer = await world.ask('POST', '/graphql', { body: { ...body, operationName }, headers: freshIp() });
      expect(Object.keys(answer.body.data as object)).to.deep.equal([field]);
    }
  });

  it('are invalidated by a write', async () => {
    const bio = async () => (await data(world, '{ agent(agentId: "bob") { bio } }')).agent.bio;
    expect(await bio()).to.equal(null);
    await data(world, 'mutation { updateMe(input: { bio: "New" }) { id } }', { key: bob.key });
    expect(await bio()).to.equal('New');
  });

  it('are not used for requests with a key, which see writes of other replicas immediately', async () => {
    const text = '{ agent(agentId: "ada") { bio } }';
    expect((await data(world, text)).agent.bio).to.equal(null);
    // The row is written as by another replica: this process does not count the write.
    const { writes } = world.deps;
    const { count } = writes;
    await runSql(world.deps, `update agent set bio = 'Elsewhere' where wallet = $1`, [ada.wallet]);
    writes.count = count;
    expect((await data(world, text)).agent.bio).to.equal(null);
    const keyed = await query(world, text, { key: ada.key });
    expect(keyed.data.agent.bio).to.equal('Elsewhere');
    expect([keyed.headers.get('cache-control'), keyed.headers.get('etag')]).to.deep.equal(['no-store', null]);
    world.clock.advance(1000);
    expect((await data(world, text)).agent.bio).to.equal('Elsewhere');
  });

  it('carry an ETag, and answer 304 to a GET request with that ETag', async () => {
    const text = '{ leaderboard(first: 1) { nodes { rank } } }';
    const first = await get(text);
    const etag = String(first.headers.get('etag'));
    expect(etag).to.match(/^"[\w-]+"$/);
    expect(first.headers.get('cache-control')).to.equal('public, no-cache');
    expect(first.headers.get('vary')?.toLowerCase()).to.include('x-api-key').and.include('accept');
    const again = await get(text, { 'if-none-match': etag });
    expect([again.status, await again.text()]).to.deep.equal([304, '']);
    expect((await get('{ leaderboard(first: 2) { nodes { rank } } }', { 'if-none-match': etag })).status).to.equal(200);
    const post = await query(world, text);
    expect([post.status, post.headers.get('etag')]).to.deep.equal([200, etag]);
    const newer = await get(text, { accept: 'application/graphql-response+json' });
    expect(newer.headers.get('content-type')).to.equal('application/graphql-response+json; charset=utf-8');
  });

  it('are not cached when they contain errors', async () => {
    await counting(world, async (other, count) => {
      const text = '{ agent(agentId: "nobody") { id } }';
      const one = await query(other, text);
      expect(one.errors[0]?.extensions.code).to.equal('AGENT_NOT_FOUND');
      expect([one.headers.get('cache-control'), one.headers.get('etag')]).to.deep.equal(['no-store', null]);
      const once = count();
      await query(other, text);
      expect(count()).to.equal(2 * once);
    });
  });

  it('exclude fields that depend on the caller, count against a limit or read the chain', async () => {
    // The walk below finds the other fields that must be excluded.
    expect(uncacheableFields(schema)).to.include.members(['Query.agentWallet', 'Query.price', 'Query.quote']);
    for (const text of [
      '{ feed { nodes { ... on StatusEvent { isLiked } } } }',
      '{ feed { nodes { ...S } } } fragment S on StatusEvent { isReposted }',
      '{ agents { nodes { name } } agentWallet(agentId: "ada") { walletAddress } }',
      'query A { agents { nodes { name } } } query B { me { totalHoldings } }',
    ]) {
      const body = { query: text, ...(text.startsWith('query A') ? { operationName: 'A' } : {}) };
      const answer = await world.ask('POST', '/graphql', { body, headers: freshIp() });
      expect([answer.status, answer.headers.get('cache-control')], text).to.deep.equal([200, 'no-store']);
    }
  });

  it('are equal for all callers in every field that is not excluded', async () => {
    let counted = 0;
    const limits: typeof world.deps.limits = {
      ...world.deps.limits,
      take: (...call) => {
        counted++;
        return world.deps.limits.take(...call);
      },
    };
    const deps = { ...world.deps, limits };
    const actors = [ada, bob] as unknown as Parameters<typeof contextOf>[1][];
    const marked = new Set(uncacheableFields(schema));
    let walked = 0;
    for (const field of Object.values((schema.getQueryType() as GraphQLObjectType).getFields())) {
      // The other fields walk over the types that node and nodes find.
      if (marked.has(`Query.${field.name}`) || /^nodes?$/.test(field.name)) continue;
      const document = parse(
        `{ ${wholeOf(field, { without: marked, depth: 4, samples: { agent: `"${bob.wallet}"` } })} }`,
      );
      expect(validate(schema, document), field.name).to.deep.equal([]);
      const answers: Json[] = [];
      for (const actor of actors) {
        const contextValue = contextOf(deps, actor, '192.0.2.1');
        answers.push(JSON.parse(JSON.stringify(await execute({ schema, document, contextValue }))));
      }
      expect(answers[1], field.name).to.deep.equal(answers[0]);
      expect(JSON.stringify(answers[0]).includes('"message":"Internal'), field.name).to.equal(false);
      walked++;
    }
    expect(walked).to.be.above(14);
    expect(counted, 'a field that counts against a limit must be excluded').to.equal(0);
  });
});
