// CI: it selects each field alone, which takes seconds.
import { expect } from 'chai';
import { type GraphQLField, type GraphQLObjectType, getNamedType, isCompositeType } from 'graphql';
import { graphqlSchema } from '../../../src/graphql.js';
import type { Sql } from '../../../src/store/sql.js';
import { populate } from '../../support/market/market.js';
import { data, type Json } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';

const schema = graphqlSchema();

/** The scalar fields of a type that have neither a resolver nor arguments, so that they are read with the list itself. */
function plainFields(type: string): string[] {
  const fields: GraphQLField<unknown, unknown>[] = Object.values(
    (schema.getType(type) as GraphQLObjectType).getFields(),
  );
  return fields
    .filter(({ type, resolve, args }) => !isCompositeType(getNamedType(type)) && !resolve && args.length === 0)
    .map(({ name }) => name);
}

/** Lists with the type of their nodes. FIELDS stands for the selected fields. */
const lists = [
  ['agents', 'Agent', 'agents(first: 5) { nodes { FIELDS } }'],
  ['agents of the leaderboard', 'Agent', 'leaderboard(first: 5) { nodes { agent { FIELDS } } }'],
  ['agents of a search', 'Agent', 'search(q: "bo") { nodes { FIELDS } }'],
  ['top agents', 'Agent', 'topAgents { FIELDS }'],
  ['holders', 'Agent', 'agents(first: 3) { nodes { holders(first: 9) { nodes { agent { FIELDS } } } } }'],
  ['trades', 'Trade', 'trades(first: 9) { nodes { FIELDS } }'],
  ['trades of agents', 'Trade', 'agents(first: 3) { nodes { trades(first: 9) { edges { node { FIELDS } } } } }'],
  ['traders', 'Agent', 'trades(first: 9) { nodes { trader { FIELDS } agent { FIELDS } } }'],
  ['posts', 'StatusEvent', 'feed { nodes { ... on StatusEvent { FIELDS } } }'],
  ['liked posts', 'StatusEvent', 'feed(sort: LIKES) { nodes { ... on StatusEvent { FIELDS } } }'],
  ['purchases', 'BoughtEvent', 'feed { nodes { ...B } }'],
  ['events of agents', 'BoughtEvent', 'agents(first: 3) { nodes { feed(first: 9) { edges { node { ...B } } } } }'],
] as const;

describe('the columns of GraphQL lists', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  before(async () => {
    await populate(world);
  });

  type Read = { readonly statement: string; readonly values: readonly unknown[] };

  /** Collects the SQL statements of a query with their parameters. */
  async function reads(text: string): Promise<Read[]> {
    const all: Read[] = [];
    const { sql } = world.deps;
    const collecting: Sql = (statement, values = []) => {
      all.push({ statement, values });
      return sql(statement, values);
    };
    Object.assign(world.deps, { sql: collecting });
    try {
      await data(world, text, { headers: { 'cache-control': 'no-cache' } });
    } finally {
      Object.assign(world.deps, { sql });
    }
    return all;
  }
  const statements = async (text: string): Promise<string[]> => (await reads(text)).map(({ statement }) => statement);

  const document = (text: string, fields: string) =>
    text.includes('...B')
      ? `{ ${text} } fragment B on BoughtEvent { ${fields} }`
      : `{ ${text.replaceAll('FIELDS', fields)} }`;

  for (const [name, type, text] of lists) {
    it(`return each field of ${name} alone with the same value as with all fields`, async () => {
      const names = plainFields(type);
      expect(names.length).to.be.above(5);
      const whole = await data(world, document(text, names.join(' ')));
      for (const field of names) {
        const alone = await data(world, document(text, field));
        expect(alone, field).to.deep.equal(only(whole, field, new Set(names)));
      }
    });
  }

  it('are exactly the columns that the selected fields need', async () => {
    const selected = (statement: string) =>
      [...statement.slice(0, statement.lastIndexOf(' from ')).matchAll(/ as "([\w.]+)"/g)].map(([, part]) => part);
    for (const [text, ...expected] of [
      ['agents { nodes { name } }', ['wallet', 'name']],
      ['agents { nodes { id } }', ['wallet']],
      ['agents { edges { node { ticketPriceEth status } } }', ['wallet', 'isClaimed', 'supply']],
      ['trades { nodes { amount } }', ['amount']],
      [
        'trades { nodes { total trader { bio } } }',
        ['sale', 'price', 'protocolFee', 'agentFee', 'trader.wallet', 'trader.bio'],
      ],
      ['agents { nodes { trades { nodes { txHash } } } }', ['wallet'], ['txHash']],
      ['agents { edges { node { trades { nodes { txHash } } } } }', ['wallet'], ['txHash']],
      ['trades { nodes { ...T } }', ['thesis']],
      ['feed { nodes { createdAt } }', ['agentAddress', 'createdAt', 'traderAddress']],
      ['feed { nodes { ... on StatusEvent { isLiked } } }', ['agentAddress', 'createdAt', 'traderAddress', 'isLiked']],
    ] as const) {
      const fragment = text.includes('...T') ? ' fragment T on Trade { thesis }' : '';
      const read = await statements(`{ ${text} }${fragment}`);
      expect(read.map(selected), text).to.deep.equal(expected);
    }
  });

  it('include the cursor keys only when a cursor is selected', async () => {
    // A statement reads the cursor keys either as columns of the list, or as a part of whole child rows.
    const keyed = (statement = '') =>
      /^(select \* from \()?select [^(]*?( as key0|child\.\*)/.test(statement.replace(/coalesce\([^)]*\)/g, ''));
    for (const [list, at] of [
      ['agents(first: 2) { PARTS }', 0],
      ['trades(first: 2) { PARTS }', 0],
      ['agents(first: 2) { edges { node { trades(first: 2, side: RECEIVED) { PARTS } } } }', 1],
    ] as const) {
      const text = (parts: string) => `{ ${list.replace('PARTS', parts)} }`;
      const cursorsOf = async (parts: string) => JSON.stringify(await data(world, text(parts))).match(/"[\w-]{12,}"/g);
      const each = await cursorsOf('edges { cursor }');
      expect(each?.length, list).to.be.above(1);
      expect(await cursorsOf('pageInfo { x: startCursor y: endCursor }'), list).to.deep.equal(each);
      for (const parts of ['edges { cursor }', 'pageInfo { endCursor }', '... { x: edges { y: cursor } }']) {
        expect(keyed((await statements(text(parts)))[at]), `${list}: ${parts}`).to.equal(true);
      }
      const plain = 'nodes { id } edges { node { id } }';
      expect(keyed((await statements(text(plain)))[at]), list).to.equal(false);
    }
  });

  it('come with one extra row only when the query selects a cursor or page info', async () => {
    for (const list of [
      'agents(first: 2) { PARTS }',
      'trades(first: 2) { PARTS }',
      ...['trades', 'holdings', 'referrals'].map(
        (list) => `agents(first: 4) { nodes { ${list}(first: 2) { PARTS } } }`,
      ),
    ]) {
      // The page size is the last parameter.
      const size = async (parts: string) => (await reads(`{ ${list.replace('PARTS', parts)} }`)).at(-1)?.values.at(-1);
      expect(await size('nodes { __typename } edges { node { __typename } }'), list).to.equal(2);
      expect(await size('nodes { __typename } pageInfo { hasNextPage }'), list).to.equal(3);
      expect(await size('nodes { __typename } edges { cursor }'), list).to.equal(3);
    }
  });

  it('need no join for fields that are not selected', async () => {
    const [bare = ''] = await statements('{ trades { nodes { amount price createdAt } } }');
    expect(bare).to.not.match(/join/);
    const [agents = ''] = await statements('{ agents(sort: SUPPLY) { nodes { name } } }');
    expect(agents).to.not.match(/referrer/);
    const [feed = ''] = await statements('{ feed { nodes { id } } }');
    expect(feed).to.not.match(/trade_claim|reaction/);
  });
});

/** Removes all of the given fields except one from an answer. Fields that are not in the set stay. */
function only(value: Json, field: string, fields: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map((item) => only(item, field, fields));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name === field || !fields.has(name))
      .map(([name, inner]) => [name, only(inner, field, fields)]),
  );
}
