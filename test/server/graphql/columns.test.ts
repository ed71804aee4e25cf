// CI: it selects each field alone, which takes seconds.

import { expect } from 'chai';
import { type GraphQLField, type GraphQLObjectType, getNamedType, isCompositeType } from 'graphql';
import { graphqlSchema } from '../../../src/graphql.js';
import type { Sql } from '../../../src/store/sql.js';
import { populate } from '../../support/market/market.js';
import { replacing } from '../../support/parts.js';
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

  /** The columns that each SQL statement of a query returns, without the keys of cursors. */
  async function columnsOf(text: string): Promise<string[][]> {
    const all: string[][] = [];
    const { sql } = world.deps;
    const collecting: Sql = async (statement, values) => {
      const rows = await sql<never>(statement, values);
      all.push(Object.keys(rows[0] ?? {}).filter((name) => !/^(key\d|parent)$/.test(name)));
      return rows;
    };
    await replacing(world, { sql: collecting }, () => data(world, text, { headers: { 'cache-control': 'no-cache' } }));
    return all;
  }

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
    const event = ['type', 'id', 'agentAddress', 'createdAt', 'traderAddress', 'block', 'ordinal'];
    for (const [text, ...expected] of [
      ['agents { nodes { name } }', ['wallet', 'name']],
      ['agents { nodes { id } }', ['wallet']],
      ['agents { edges { node { ticketPriceEth status } } }', ['wallet', 'isClaimed', 'supply']],
      ['leaderboard { nodes { rank agent { bio } } }', ['wallet', 'bio']],
      ['trades { nodes { amount } }', ['id', 'amount']],
      [
        'trades { nodes { total trader { bio } } }',
        ['id', 'agentFee', 'price', 'protocolFee', 'sale', 'trader', 'trader.wallet', 'trader.bio'],
      ],
      ['agents { nodes { trades { nodes { txHash } } } }', ['wallet'], ['id', 'txHash']],
      ['agents { edges { node { trades { nodes { txHash } } } } }', ['wallet'], ['id', 'txHash']],
      ['trades { nodes { ...T } }', ['id', 'thesis']],
      ['feed { nodes { createdAt } }', event],
      ['feed { nodes { ... on StatusEvent { isLiked } } }', [...event, 'isLiked']],
    ]) {
      const fragment = text?.includes('...T') ? ' fragment T on Trade { thesis }' : '';
      expect(await columnsOf(`{ ${text} }${fragment}`), String(text)).to.deep.equal(expected);
    }
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
