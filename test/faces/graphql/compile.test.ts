// CI: it executes generated documents twice, which takes seconds.
import { expect } from 'chai';
import { type ExecutionResult, execute, type GraphQLObjectType, parse, validate } from 'graphql';
import { examples } from '../../../src/faces/graphql/editor/examples.js';
import { compile } from '../../../src/faces/graphql/engine/compile.js';
import { contextOf } from '../../../src/faces/graphql/engine/context.js';
import { formatError } from '../../../src/faces/graphql/engine/format.js';
import { graphqlSchema } from '../../../src/faces/graphql/engine/schema.js';
import { type Market, populate } from '../../support/market/market.js';
import { wholeOf } from '../../support/market/selection.js';
import { data, type Json } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';
import { documentWork } from './document-work.js';

const schema = graphqlSchema();

/** Documents that are compiled, and must be answered as graphql-js answers them. */
const documents: readonly (readonly [text: string, variables?: Json])[] = [
  ['{ agents { nodes { name trades { totalCount nodes { price type trader { name } } pageInfo { endCursor } } } } }'],
  ['query ($n: Int = 2) { agents(first: $n) { edges { cursor node { id } } } }'],
  ['query ($n: Int = 2) { agents(first: $n) { edges { cursor node { id } } } }', { n: 1 }],
  ['query ($n: Int!) { agents(first: $n) { nodes { id } } }', { n: 0 }],
  ['{ agents(first: 1, sort: VOLUME, sortOrder: ASC, verified: false) { nodes { id volume24h } } }'],
  ['query ($min: Eth) { agents(minPrice: $min) { nodes { ticketPriceEth } } }', { min: '0.00001' }],
  [
    '{ feed { nodes { id type agent { name } ... on TradeEvent { price trader { id } } ... on StatusEvent { text } } } }',
  ],
  ['{ feed { nodes { __typename ... on BoughtEvent { thesis } ... on RegisteredEvent { createdAt } } } }'],
  ['fragment A on Agent { name ...B } fragment B on Agent { id } { leaderboard { nodes { rank agent { ...A } } } }'],
  [
    '{ a: agents(first: 1) { nodes { id } } b: agents(first: 2) { nodes { id } } a: agents(first: 1) { nodes { name } } }',
  ],
  // Queries with errors: in a nullable field, in several fields, and in a non-null field below a list.
  ['{ me { totalHoldings } heartbeat { cachedAt } activeSeason { daysLeft } }'],
  ['{ agents { nodes { fullPnl { summary { totalPnlWei } } } } }'],
  ['{ agents { nodes { holders(first: 1000) { nodes { amount } } } } }'],
  ['query ($hash: Hash!) { trade(txHash: $hash) { id } }', { hash: `0x${'0'.repeat(64)}` }],
  ['{ marketStats { total { agents volumeEth } day { trades } } contract { chainId } }'],
];

describe('compiled GraphQL', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let ada: Market['ada'];
  before(async () => {
    ({ ada } = await populate(world));
  });

  const context = () => contextOf(world.deps, null, '192.0.2.1');
  /**
   * The answer in the form of the API. Errors are sorted, because their order depends on which field completes first.
   */
  const shown = ({ data: answer, errors }: ExecutionResult) => ({
    data: JSON.parse(JSON.stringify(answer ?? null)),
    errors: errors?.map((error) => JSON.stringify(formatError(world.deps, error))).sort(),
  });

  it('answers as graphql-js does', async () => {
    const more = examples
      .filter(({ query }) => compile(schema, parse(query)) !== null)
      .map(({ query }) => [query, { agent: ada.agentId, id: ada.agentId }] as const);
    expect(more.length).to.be.above(0);
    for (const [text, variableValues = {}] of [...documents, ...more]) {
      const document = parse(text);
      expect(validate(schema, document), text).to.deep.equal([]);
      const run = compile(schema, document);
      if (run === null) throw new Error(`not compiled: ${text}`);
      const compiled = await run(undefined, context(), variableValues);
      const expected = await execute({ schema, document, contextValue: context(), variableValues });
      expect(shown(compiled), text).to.deep.equal(shown(expected));
    }
  });

  it('answers every field of the lists as graphql-js does', async () => {
    let compiled = 0;
    for (const field of Object.values((schema.getQueryType() as GraphQLObjectType).getFields())) {
      const without = new Set(['Agent.fullPnl', 'Agent.ticketBalance']);
      const texts = [3, 2].map((depth) => `{ ${wholeOf(field, { without, depth })} }`);
      // Queries are not compiled if they contain texts, or arguments for which `wholeOf` has no value.
      const text = texts.find((each) => !each.includes('undefined') && compile(schema, parse(each)) !== null);
      const document = parse(text ?? '{ __typename }');
      const run = text === undefined ? null : compile(schema, document);
      if (run === null) continue;
      expect(validate(schema, document), field.name).to.deep.equal([]);
      const expected = await execute({ schema, document, contextValue: context() });
      expect(shown(await run(undefined, context(), {})), field.name).to.deep.equal(shown(expected));
      compiled++;
    }
    expect(compiled).to.be.above(11);
  });

  it('gives enums the names of the schema', async () => {
    const document = parse(
      'query ($a: Address!) { quote(action: BUY, agent: $a, amount: 1, walletAddress: $a) { action } }',
    );
    const run = compile(schema, document);
    if (run === null) throw new Error('not compiled');
    const actor = { wallet: ada.wallet, agentId: ada.agentId, name: 'Ada' } as Parameters<typeof contextOf>[1];
    const answer = await run(undefined, contextOf(world.deps, actor, '192.0.2.1'), { a: ada.wallet });
    expect(shown(answer).data).to.deep.equal({ quote: { action: 'BUY' } });
  });

  it('leaves errors in variables to graphql-js', async () => {
    const query = 'query ($n: Int!) { agents(first: $n) { nodes { id } } }';
    for (let i = 0; i < 5; i++) {
      const { body } = await world.ask('POST', '/graphql', { body: { query, variables: { n: 'x' } } });
      expect((body as Json).errors[0].extensions.code).to.equal('BAD_USER_INPUT');
      expect((body as Json).errors[0].message).to.match(/^Variable "\$n" got invalid value/);
      expect((await data(world, query, { variables: { n: 1 } })).agents.nodes).to.have.length(1);
    }
  });

  it('leaves errors about null to graphql-js', async () => {
    const query = 'query ($n: Int = 1) { agents(first: 1) { nodes { trades(first: $n) { totalCount } } } }';
    for (let i = 0; i < 5; i++) {
      const { body } = await world.ask('POST', '/graphql', { body: { query, variables: { n: null } } });
      const [error] = (body as Json).errors;
      expect(error.extensions.code).to.equal('BAD_USER_INPUT');
      expect(error.message).to.equal('Argument "first" of non-null type "Int!" must not be null.');
      expect(error.path).to.deep.equal(['agents', 'nodes', 0, 'trades']);
      expect((await data(world, query)).agents.nodes).to.have.length(1);
    }
  });

  it('never executes the text of a caller as code', async () => {
    // The marker with which graphql-jit embeds dates. If a text contains the marker, the compiler would execute the
    // rest of the text.
    const evil = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.wasRun=1';
    for (const text of [
      `{ agents(search: "${evil}") { nodes { id } } }`,
      `{ agents(search: """${evil}""") { nodes { id } } }`,
      `query ($s: String = "${evil}") { agents(search: $s) { nodes { id } } }`,
      `{ feed(agent: "${ada.wallet}") { nodes { id } } }`,
    ]) {
      expect(compile(schema, parse(text)), text).to.equal(null);
      for (let i = 0; i < 5; i++) await world.ask('POST', '/graphql', { body: { query: text } });
    }
    const variable = 'query ($s: String) { agents(search: $s) { nodes { id } } }';
    for (let i = 0; i < 5; i++) {
      await world.ask('POST', '/graphql', { body: { query: variable, variables: { s: evil.slice(0, 50) } } });
    }
    expect(globalThis).to.not.have.property('wasRun');
  });

  it('refuses documents that graphql-jit would execute wrongly or that are too large', () => {
    for (const text of [
      '{ a_b: agents { c: totalCount } a: agents { b_c: totalCount } }',
      '{ __proto__: agents { totalCount } }',
      'query ($s: Boolean!) { agents @skip(if: $s) { totalCount } }',
      '{ agents { totalCount } } mutation M { post(text: "x") { id } }',
      'mutation { toggleLike(postId: 1) { liked } }',
      '{ __schema { types { name } } }',
      `{ ${Array.from({ length: 301 }, (_, i) => `a${i}: agents { nodes { id } }`).join(' ')} }`,
    ]) {
      expect(compile(schema, parse(text)), text).to.equal(null);
    }
  });

  it('compiles a document of almost the maximum size at a cost that grows with its number of fields', async () => {
    const below =
      'nodes { agent { feed(first: 1) { nodes { agent { feed(first: 1) { nodes { id type createdAt } } } } } } }';
    const cost = async (times: number): Promise<number> => {
      const text = `{ ${Array.from({ length: times }, (_, i) => `a${i}: feed(first: 1) { ${below} }`).join(' ')} }`;
      const { lookups } = await documentWork(() => expect(compile(schema, parse(text))).to.be.a('function'));
      return lookups;
    };
    expect(await cost(20)).to.equal(2 * (await cost(10)));
  });
});
