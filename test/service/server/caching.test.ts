import { expect } from 'chai';
import { execute, type GraphQLObjectType, type GraphQLSchema, isObjectType, parse, validate } from 'graphql';
import { endpoints } from '../../../src/features/features.js';
import { graphqlSchema } from '../../../src/features/graphql.js';
import { pnlCaches } from '../../../src/features/trading/pnl.js';
import { contextOf } from '../../../src/server/graphql/engine.js';
import { isPublic } from '../../../src/server/operation.js';
import { askAs, freshIp } from '../../support/market/agents.js';
import { type Market, populate } from '../../support/market/market.js';
import { addListedAgent } from '../../support/market/rows.js';
import { wholeOf } from '../../support/market/selection.js';
import { counting } from '../../support/parts.js';
import { data, type Json, query } from '../../support/service/graphql.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

const schema = graphqlSchema();
const graphqlUrl = (text: string) => `/graphql?${new URLSearchParams({ query: text })}`;
/** Lets GraphQL answer a GET. Without such a header, a foreign page could send the request without a preflight. */
const PREFLIGHT = { 'apollo-require-preflight': 'true' };

/**
 * For each API: a `request` that takes one SQL statement, the path of an agent, and the expected headers of its answers. `ofErrors`
 * is the Cache-Control header of an error, and `limit` matches the RateLimit header.
 */
const apis = {
  REST: {
    request: ['GET', '/api/seasons', undefined],
    agent: (id: string) => `/api/agents/${id}`,
    vary: 'Origin',
    ofErrors: null,
    limit: /^"global";r=19;/,
  },
  GraphQL: {
    request: ['POST', '/graphql', { query: '{ trades(first: 2) { nodes { id } } }' }],
    agent: (id: string) => graphqlUrl(`{ agent(agentId: "${id}") { bio } }`),
    vary: 'Origin, X-Api-Key, Accept, GraphQL-Cost',
    ofErrors: 'no-store',
    limit: /^"graphql";r=/,
  },
} as const;

/** All uncacheable fields, as `Type.field`. */
const uncacheableFields = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter(({ extensions }) => extensions.cache === 'never')
        .map(({ name }) => `${type.name}.${name}`),
    );

describe('public answers', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let ada: Market['ada'];
  let bob: Market['bob'];
  let bought: string;
  before(async () => {
    ({ ada, bob, bought } = await populate(world));
  });

  const get = (path: string, key?: string) =>
    world.ask('GET', path, { headers: { ...freshIp(), ...PREFLIGHT }, ...(key && { key }) });
  /**
   * Does the work as another replica would: it is not counted in `writes`, so it does not invalidate the caches of this process.
   */
  const elsewhere = async (work: () => Promise<unknown>) => {
    const { writes } = world.deps;
    const { count } = writes;
    await work();
    writes.count = count;
  };

  for (const [api, { request, agent, vary, ofErrors, limit }] of Object.entries(apis)) {
    it(`of ${api} are read once for concurrent requests, and cached for a second unless no-cache is sent`, async () => {
      const [method, path, body] = request;
      await counting(world, async (other, count) => {
        const ask = (headers = {}) => other.ask(method, path, { body, headers: { ...freshIp(), ...headers } });
        const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
        expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
        await ask();
        expect(count()).to.equal(1);
        world.clock.advance(1000);
        await ask();
        expect(count()).to.equal(2);
        await ask({ 'cache-control': 'no-cache' });
        expect(count()).to.equal(3);
        // Forgetting the PnL of a wallet must also invalidate the cached answers, because they may contain the old PnL.
        pnlCaches.forget(other.deps, ada.wallet);
        await ask();
        expect(count()).to.equal(4);
      });
    });

    it(`of ${api} carry an ETag, which is answered with 304 until a write`, async () => {
      const first = await get(agent('bob'));
      const etag = String(first.headers.get('etag'));
      expect(etag).to.match(/^"[\w-]+"$/);
      expect(first.headers.get('cache-control')).to.equal('public, no-cache');
      expect(first.headers.get('vary')).to.equal(vary);
      const conditional = (name: string, method = 'GET') =>
        fetch(world.url + agent('bob'), { method, headers: { ...freshIp(), ...PREFLIGHT, 'if-none-match': name } });
      for (const name of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const same = await conditional(name);
        expect([same.status, await same.text()]).to.deep.equal([304, '']);
        expect(same.headers.get('etag')).to.equal(etag);
        expect(same.headers.get('cache-control')).to.equal('public, no-cache');
        expect(same.headers.get('ratelimit')).to.match(limit);
        expect(same.headers.get('x-frame-options')).to.equal('DENY');
        expect(same.headers.get('content-type')).to.equal(null);
      }
      expect((await conditional('"other"')).status).to.equal(200);
      if (api === 'REST') expect((await conditional(etag, 'HEAD')).status).to.equal(304);
      await askAs(world, bob, 'PATCH', '/api/agents/me', { bio: `Changed for ${api}` });
      // `get` sends no If-None-Match. With it, fetch would also send Cache-Control: no-cache, which bypasses the cache.
      const changed = await get(agent('bob'));
      expect(JSON.stringify(changed.body)).to.include(`Changed for ${api}`);
      expect(changed.headers.get('etag')).not.to.equal(etag);
      expect((await conditional(etag)).status).to.equal(200);
    });

    it(`of ${api} are not cached when they are errors`, async () => {
      const path = agent(`later_${api}`);
      const missing = await get(path);
      expect(JSON.stringify(missing.body)).to.include('AGENT_NOT_FOUND');
      expect(missing.headers.get('etag')).to.equal(null);
      expect(missing.headers.get('cache-control')).to.equal(ofErrors);
      await elsewhere(() => addListedAgent(world, { name: `Later ${api}` }));
      expect((await get(path)).headers.get('etag')).to.be.a('string');
    });
  }

  it('of GraphQL are cached separately for each operation of a document, and for each value of a variable', async () => {
    const body = { query: 'query A { agents { totalCount } } query B { trades { totalCount } }' };
    for (const [operationName, field] of [
      ['A', 'agents'],
      ['B', 'trades'],
    ] as const) {
      const answer = await world.ask('POST', '/graphql', { body: { ...body, operationName }, headers: freshIp() });
      expect(Object.keys(answer.body.data as object)).to.deep.equal([field]);
    }
    const text = 'query ($n: Int!) { trades(first: $n) { nodes { id } } }';
    for (const n of [1, 2, 1]) expect((await data(world, text, { variables: { n } })).trades.nodes).to.have.length(n);
  });

  it('of GraphQL have the same ETag over POST and GET, and the media type that the client accepts', async () => {
    const text = '{ leaderboard(first: 1) { nodes { rank } } }';
    const [got, post] = [await get(graphqlUrl(text)), await query(world, text)];
    expect([post.status, post.headers.get('etag')]).to.deep.equal([200, got.headers.get('etag')]);
    const accept = 'application/graphql-response+json';
    const newer = await query(world, text, { headers: { accept } });
    expect(newer.headers.get('content-type')).to.equal(`${accept}; charset=utf-8`);
  });

  it('stay cached when an agent reads its notifications', async () => {
    const before = world.deps.writes.count;
    await askAs(world, ada, 'GET', '/api/notifications');
    expect(world.deps.writes.count).to.equal(before);
  });

  it('of REST are cached only for callers without a key, who see shortened transaction hashes', async () => {
    const hashes = async (key?: string) => {
      const answer = await get(`/api/feed?type=BOUGHT&agent=${ada.wallet}`, key);
      const { txHash } = (answer.body.feed as { txHash: string }[]).at(-1) ?? {};
      return { txHash, cache: answer.headers.get('cache-control'), vary: answer.headers.get('vary') };
    };
    const short = { txHash: `${bought.slice(0, 10)}…`, cache: 'public, no-cache', vary: 'Origin, X-Api-Key' };
    expect(await hashes(bob.key)).to.deep.equal({ ...short, txHash: bought, cache: 'no-store' });
    expect(await hashes()).to.deep.equal(short);
    expect(await hashes(ada.key)).to.include({ txHash: bought, cache: 'no-store' });
    expect(await hashes()).to.deep.equal(short);
  });

  it('of GraphQL are read anew for requests with a key, which see writes of other replicas immediately', async () => {
    const text = '{ agent(agentId: "ada") { bio } }';
    expect((await data(world, text)).agent.bio).to.equal(null);
    await elsewhere(() => runSql(world.deps, `update agent set bio = 'Elsewhere' where wallet = $1`, [ada.wallet]));
    expect((await data(world, text)).agent.bio).to.equal(null);
    const keyed = await query(world, text, { key: ada.key });
    expect(keyed.data.agent.bio).to.equal('Elsewhere');
    expect([keyed.headers.get('cache-control'), keyed.headers.get('etag')]).to.deep.equal(['no-store', null]);
    world.clock.advance(1000);
    expect((await data(world, text)).agent.bio).to.equal('Elsewhere');
  });

  it('exclude endpoints that require a key, change data or read the chain', () => {
    const declared = endpoints(world.deps.config);
    const cached = declared.filter(isPublic);
    expect(cached.filter(({ auth, method }) => auth === 'required' || method !== 'GET')).to.deep.equal([]);
    // The endpoints that read the chain.
    const live = 'agents/availability agents/claim-info price tickets/quote'.split(' ').map((path) => `/api/${path}`);
    expect(declared.map(({ path }) => path)).to.include.members(live);
    expect(cached.filter(({ path }) => path === '/ready' || live.includes(path))).to.deep.equal([]);
    expect(cached.length).to.be.greaterThan(10);
  });

  it('differ from those of endpoints that require a key, which send no-store and only a declared ETag', async () => {
    const reads = endpoints(world.deps.config).filter((declared) => declared.method === 'GET');
    const keyed = reads.filter(({ auth }) => auth === 'required');
    for (const { path, etagText } of keyed.filter(({ query }) => query === undefined)) {
      const { status, headers } = await get(path, ada.key);
      expect([status, headers.get('cache-control')], path).to.deep.equal([200, 'no-store']);
      expect(headers.has('etag'), path).to.equal(etagText !== undefined);
      // Frees the rate limits of the key for the next endpoint.
      world.clock.advance(61_000);
    }
  });

  it('exclude fields that depend on the caller, count against a limit or read the chain', async () => {
    // These are only examples. The next test walks over all other fields, and fails if one of them must be excluded.
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
      // `node` and `nodes` are skipped, because the other fields already lead to every type that these two can find.
      if (marked.has(`Query.${field.name}`) || /^nodes?$/.test(field.name)) continue;
      const document = parse(
        `{ ${wholeOf(field, { without: marked, depth: 4, samples: { agent: `"${bob.wallet}"`, kind: 'POST' } })} }`,
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
