import { expect } from 'chai';
import { costOf as pointsOf, query } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

const aliased = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: __typename`).join(' ');

describe('the query cost', () => {
  const world = useWorld({ TRUST_PROXY: '1' });

  it('is one point for each field or selection set of __typename only, as often as its lists may repeat it', async () => {
    for (const [text, cost] of [
      // Agents + edges + 20 x (node + name).
      ['{ agents { edges { node { name } } } }', 42],
      // Agents + nodes + 3 x (name + trades + nodes + 2 x id).
      ['{ agents(first: 3) { nodes { name trades(first: 2) { nodes { id } } } } }', 17],
      ['query ($n: Int!) { agents(first: $n) { nodes { ...N } } } fragment N on Agent { name }', 7],
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
      expect(await pointsOf(world, text, { n: 5 }), text).to.equal(cost);
    }
  });

  it('stands beside the maximum in the error, as what exceeds any other limit does', async () => {
    for (const [text, message, figures] of [
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
      const [error] = (await query(world, text)).errors;
      const { code, hint, ...rest } = error?.extensions ?? {};
      expect([error?.message, code, rest]).to.deep.equal([message, 'QUERY_LIMIT', figures]);
      expect(hint).to.be.a('string').and.not.equal('');
    }
  });
});
