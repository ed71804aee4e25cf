import { expect } from 'chai';
import { GraphQLInterfaceType, GraphQLObjectType, getIntrospectionQuery, TypeInfo } from 'graphql';
import { dashboardQueries } from '../../../../../src/features/dashboard/dashboard.js';
import { graphqlExamples } from '../../../../../src/features/guides/graphql-examples.js';
import { documentLimits } from '../../../../../src/server/document-limits.js';
import type { Sql } from '../../../../../src/store/sql.js';
import { freshIp } from '../../../../support/market/agents.js';
import { addListedAgent, addSeason } from '../../../../support/market/rows.js';
import { replacing } from '../../../../support/parts.js';
import {
  answerOf,
  costOf,
  data,
  type GraphAnswer,
  POINTS,
  pointsLeft,
  query,
  refusalOf,
} from '../../../../support/service/graphql.js';
import { overStream } from '../../../../support/service/live.js';
import { useWorld } from '../../../../support/world.js';

const COUNTED = [
  [GraphQLObjectType.prototype, 'getFields', 'lookups'],
  [GraphQLInterfaceType.prototype, 'getFields', 'lookups'],
  [TypeInfo.prototype, 'enter', 'visits'],
] as const;

/**
 * Counts what `work` does with GraphQL documents: its reads of the fields of a type (`lookups`), and the nodes of the document that
 * a stage has visited with their types (`visits`). Each stage looks up every field once or a few times, and validation visits
 * every node, so the counts say how much work a document causes, on any machine.
 */
async function documentWork(work: () => unknown) {
  const done = { lookups: 0, visits: 0 };
  const originals = COUNTED.map(([prototype, name]) => [prototype, { [name]: Reflect.get(prototype, name) }] as const);
  for (const [prototype, name, kind] of COUNTED) {
    const original = Reflect.get(prototype, name);
    const counted = function (this: unknown, ...args: unknown[]) {
      done[kind]++;
      return original.apply(this, args);
    };
    Object.assign(prototype, { [name]: counted });
  }
  try {
    await work();
  } finally {
    for (const [prototype, methods] of originals) Object.assign(prototype, methods);
  }
  return done;
}

const nested = (levels: number, leaf: string) =>
  `{ agents { nodes { ${'followers { nodes { agent { '.repeat(levels)}${leaf}${' } } }'.repeat(levels)} } } }`;
const many = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: __typename`).join(' ');
const fragments = (count: number, body: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `fragment F${i} on Agent { ${body(i)} }`).join(' ');
/**
 * A document with a chain of 19 fragments. `next` makes the content of each fragment from the spread of the one after it, and
 * `last` is the content of the last fragment.
 */
const spreading = (next: (spread: string) => string, last: string) =>
  `{ agents { nodes { ...F0 } } } ${fragments(19, (i) => (i < 18 ? next(`...F${i + 1}`) : last))}`;
const thrice = (text: string) => `${text} ${text} ${text}`;

/** Requests that would cause much work, each under a name: the text of a document, or a whole body. */
const bombs: Readonly<Record<string, unknown>> = {
  'many aliases': `{ ${many(900)} }`,
  'expensive aliases': `{ ${Array.from({ length: 25 }, (_, i) => `a${i}: agents(first: 100) { nodes { name } }`).join(' ')} }`,
  'a deep query': nested(5, 'name'),
  'a query of braces only': `{${'a{'.repeat(6000)}`,
  'an unclosed list of 9,000 brackets': `{ a(b: ${'['.repeat(9000)}`,
  'circular fragments': `{ agents { nodes { ...F0 } } } fragment F0 on Agent { ...F1 } fragment F1 on Agent { ...F0 }`,
  'fragments that each spread the next one several times': spreading(
    (next) => `a: holders { nodes { agent { ${next} } } } b: holders { nodes { agent { ${next} } } } ${next}`,
    'name',
  ),
  'fragments that each spread the next one at the same level': spreading(thrice, 'name'),
  'fragments without fields that each spread the next one': spreading(thrice, '__typename'),
  'too many fragments': `{ agents { nodes { ...F0 } } } ${fragments(60, () => 'name')}`,
  '140 directives with arguments': `{ __typename ${'@skip(if: false) '.repeat(140)} }`,
  '1,000 directives of one letter': `{ __typename ${'@a '.repeat(1000)} }`,
  'a list of a million': '{ agents(first: 1000000) { nodes { name } } }',
  'a list of a million by a variable': {
    query: 'query ($n: Int!) { agents(first: $n) { nodes { name } } }',
    variables: { n: 1_000_000 },
  },
  'a list of a million by a default value': 'query ($n: Int = 1000000) { agents(first: $n) { nodes { name } } }',
  'an endless list without fields': `{ a: agents { nodes(first: ${'9'.repeat(400)}) } agents(first: 100) { nodes { trades(first: 100) { nodes { id } } } } }`,
  'nested lists of 100 without fields': '{ agents(first: 100) { nodes { trades(first: 100) { nodes { __typename } } } } }',
  'aliased __typename in a list': `{ agents(first: 100) { nodes { ${many(30)} } } }`,
  '300 aliases of __typename in nested lists': `{ agents(first: 10) { nodes { trades(first: 10) { nodes { ${many(300)} } } } } }`,
  '__typename 900 times': `{ agents { nodes { ${'__typename '.repeat(900)} } } }`,
  'nested lists of 100': '{ agents(first: 100) { nodes { trades(first: 100) { nodes { id } } } } }',
  'recursive introspection': `{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }`,
  'recursive introspection through fragments': `{ __schema { types { ...A } } } fragment A on __Type { fields { type { ...B } } } fragment B on __Type { fields { type { name } } }`,
  'a batch': [{ query: '{ __typename }' }, { query: '{ __typename }' }],
  'the same field 990 times': `{ agents { nodes { ${'name '.repeat(990)} } } }`,
  'the same object 240 times': `{ ${'agents { totalCount } '.repeat(240)} }`,
  'an oversized body': `{ __typename } # ${'x'.repeat(21_000)}`,
  'deeply nested variables': { query: '{ __typename }', variables: { a: [[[[[[[[]]]]]]]] } },
};

describe('GraphQL under its limits', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  before(async () => {
    for (let i = 0; i < 30; i++) await addListedAgent(world);
    await addSeason(world, 1, 0, 0);
    await data(world, '{ __typename }');
  });

  for (const [name, bomb] of Object.entries(bombs)) {
    const body = typeof bomb === 'string' ? { query: bomb } : bomb;
    it(`refuses ${name} before validation, without a statement to the database`, async () => {
      const { sql } = world.deps;
      let statements = 0;
      const counting: Sql = (...args) => {
        statements += 1;
        return sql(...args);
      };
      let answer = {} as GraphAnswer;
      const ask = async () => {
        answer = answerOf(await world.ask('POST', '/graphql', { body, headers: freshIp() }));
      };
      const { lookups, visits } = await replacing(world, { sql: counting }, () => documentWork(ask));
      const { status, errors } = answer;
      expect(status, JSON.stringify(errors)).to.equal(400);
      const codes = ['QUERY_LIMIT', 'CIRCULAR_FRAGMENT', 'BODY_TOO_LARGE', 'BODY_TOO_DEEP', 'INVALID_JSON'];
      expect(errors[0]?.extensions.code).to.be.oneOf(codes);
      expect(errors[0]?.extensions.hint).to.be.a('string').and.not.equal('');
      expect(statements).to.equal(0);
      // The checks before validation look up each field once, and must refuse all of these documents. Validation would visit each
      // node, and compare fields in pairs.
      expect(visits).to.equal(0);
      expect(lookups).to.be.at.most(documentLimits.tokens);
    });
  }

  it('parses and validates a document once while it is cached, and again after eviction', async () => {
    const visits = async (n: number, comment = '') => {
      const text = `query Q${n} { contract { address } }${comment}`;
      const headers = { 'cache-control': 'no-cache' };
      return (await documentWork(() => data(world, text, { headers }))).visits;
    };
    const first = await visits(0);
    expect(first).to.be.above(0);
    // The second request computes the query cost of the document that Apollo Server stored in the first one. Then all is cached.
    await visits(0);
    expect(await visits(0)).to.equal(0);
    // The cache holds documents of 300,000 characters in total, so these 16 documents evict the first one.
    for (let n = 1; n <= 16; n++) await visits(n, ` # ${'x'.repeat(19_000)}`);
    expect(await visits(0)).to.equal(first);
  });

  it('answers the introspection query of clients', async () => {
    const { __schema } = await data(world, getIntrospectionQuery());
    expect(__schema.types.length).to.be.above(50);
  });

  it('answers every example, and charges at most 250 points for the first one, a dashboard', async () => {
    for (const { title, query: text } of graphqlExamples) {
      if (text.startsWith('subscription')) {
        const stream = await overStream(world.url, text);
        expect(stream.reason, title).to.match(/^200 text\/event-stream/);
        stream.cut();
        continue;
      }
      const { status, errors } = await query(world, text);
      expect(status, title).to.equal(200);
      expect(
        errors.map(({ extensions }) => extensions.code).filter((code) => code !== 'MISSING_KEY'),
        title,
      ).to.deep.equal([]);
    }
    expect(await costOf(world, graphqlExamples[0]?.query ?? '')).to.be.within(50, 250);
  });

  it('charges and limits the documents of the dashboard like any others', async () => {
    const own = (name: string) => dashboardQueries().find((text) => text.includes(`query ${name}`)) as string;
    // A leading space makes another document, with the same cost.
    for (const text of [own('Market '), ` ${own('Market ')}`]) expect(await costOf(world, text)).to.equal(681);
    const live = dashboardQueries().find((text) => text.startsWith('subscription LiveFeed(')) as string;
    for (const text of [live, ` ${live}`]) {
      const headers = freshIp();
      (await overStream(world.url, text, { headers })).cut();
      // 31 points for the start of the subscription, and one for this query.
      expect(POINTS - pointsLeft(await query(world, '{ __typename }', { headers }))).to.equal(31 + 1);
    }
    const { errors } = await query(world, own('MarketFigures'), {
      variables: { isList: true, rows: 1000 },
      headers: freshIp(),
    });
    expect(errors[0]?.extensions.code).to.equal('QUERY_LIMIT');
  });

  it('charges one point for a request that is refused for its form, whatever its query would cost', async () => {
    const text = '{ agents(first: 100) { nodes { id name bio } } }';
    const headers = freshIp();
    const preflight = { 'apollo-require-preflight': 'true' };
    const named = (version: number, sha256Hash: string) => ({
      extensions: { persistedQuery: { version, sha256Hash } },
    });
    const get = `/graphql?${new URLSearchParams({ query: text })}`;
    const refused = [
      [400, 'GET', get, {}],
      [405, 'HEAD', get, { headers: preflight }],
      [415, 'GET', get, { headers: { ...preflight, 'content-type': 'application/xml' } }],
      [406, 'GET', get, { headers: { ...preflight, accept: 'image/png' } }],
      [406, 'POST', '/graphql', { headers: { accept: 'image/png' }, body: { query: text } }],
      [400, 'POST', '/graphql', { body: { query: text, ...named(2, '') } }],
      [400, 'POST', '/graphql', { body: { query: text, ...named(1, 'another') } }],
    ] as const;
    for (const [i, [status, method, path, options]] of refused.entries()) {
      // A cached answer to the same query must not make the refused request free.
      expect((await world.ask('GET', get, { headers: { ...freshIp(), ...preflight } })).status).to.equal(200);
      const own = 'headers' in options ? options.headers : {};
      const answer = await world.ask(method, path, { ...options, headers: { ...headers, ...own } });
      expect([answer.status, pointsLeft(answer)]).to.deep.equal([status, POINTS - 1 - i]);
    }
  });

  it('allows a maximum of query cost per IP address and minute, and twice as much per key', async () => {
    const agent = await addListedAgent(world);
    const text = '{ agents(first: 100) { nodes { id name agentId bio description status } } }';
    // The query costs 602 points: `agents`, `nodes`, and 100 times six fields. 60,000 points pay for 99 queries, 120,000 for 199.
    for (const [key, times] of [
      [undefined, 99],
      [agent.key, 199],
    ] as const) {
      const headers = freshIp();
      for (let i = 0; i < times; i++) expect((await query(world, text, { headers, key })).status).to.equal(200);
      const refused = await query(world, text, { headers, key });
      expect(refusalOf(refused)).to.equal('429 RATE_LIMITED');
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).to.be.within(1, 60);
      const { retryAfter, windows, hint } = refused.errors[0]?.extensions ?? {};
      expect([retryAfter, windows]).to.deep.equal([seconds, ['graphql']]);
      expect(hint).to.match(/^The limit of \d+ points of query cost per minute per (IP is reached\. Send a key|key)/);
      // Refused requests cost nothing, so there are points left for a smaller query.
      expect((await query(world, '{ agents(first: 9) { nodes { id } } }', { headers, key })).status).to.equal(200);
    }
  });

  it('refuses forbidden characters like REST', async () => {
    const text = 'query ($q: String!) { search(q: $q) { totalCount } }';
    for (const answer of [
      await query(world, '{ search(q: "a{b") { totalCount } }'),
      await query(world, text, { variables: { q: 'a$b' } }),
      await query(world, text, { variables: { q: 'a\0b' } }),
    ]) {
      expect(refusalOf(answer)).to.equal('400 INVALID_CHARACTERS');
      expect(answer.errors[0]?.message).to.equal('q contains invalid characters');
    }
    expect((await query(world, text, { variables: { q: 'ab', other: 'a$b' } })).status).to.equal(200);
  });
});
