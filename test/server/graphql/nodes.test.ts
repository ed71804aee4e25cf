import { expect } from 'chai';
import { execute, type GraphQLObjectType, isObjectType, parse } from 'graphql';
import { graphqlSchema } from '../../../src/graphql.js';
import { contextOf } from '../../../src/server/graphql/engine.js';
import { type Market, populate } from '../../support/market/market.js';
import { wholeOf } from '../../support/market/selection.js';
import { counting } from '../../support/parts.js';
import { data, type Json, query, refusalOf } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';

/** Object types without an id: caches store them inside the object or the answer that has them. */
const WITHOUT_ID = [
  // Lists.
  /(Connection|Edge|PageInfo)$/,
  // Results of mutations, which lead to the objects that changed.
  /^(FollowState|LikeState|RepostState|Registration|KeyReplacement|RecordedTrade|Deletion)$/,
  // Answers to a question with arguments, and their parts.
  /^(Price|Quote|UnsignedTransaction|Refusal|NameAvailability)$/,
  // Entries of a list that a cache replaces as a whole.
  /^WalletTickets$/,
  /^(Query|Mutation|Subscription|__.*)$/,
];

const schema = graphqlSchema();
const objectTypes = Object.values(schema.getTypeMap()).filter(isObjectType);

/** The pairs of id and type in an answer. */
function identitiesIn(value: Json, found: [id: string, type: string][] = []): [string, string][] {
  if (typeof value !== 'object' || value === null) return found;
  if (typeof value.id === 'string') found.push([value.id, value.__typename]);
  for (const part of Object.values(value)) identitiesIn(part, found);
  return found;
}

describe('ids in GraphQL', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let market: Market;
  let identities: [id: string, type: string][];

  before(async () => {
    market = await populate(world);
    const { bob, eve } = market;
    const bought = await bob.trader.buy(eve.wallet, 1);
    const input = { txHash: bought.hash, agentAddress: eve.wallet, amount: 1 };
    const record = 'mutation ($input: TradeInput!) { recordBuy(input: $input) { position { id __typename } } }';
    const answers: Json[] = [await data(world, record, { key: bob.key, variables: { input } })];
    // The limits of a document do not apply within the service.
    const contextValue = contextOf(world.deps, bob as unknown as Parameters<typeof contextOf>[1], '192.0.2.1');
    const samples = { agent: `"${bob.wallet}"`, code: `"${bob.code}"` };
    for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
      const document = parse(`{ ${wholeOf(field, { without: new Set(), depth: 4, samples })} }`);
      answers.push((await execute({ schema, document, contextValue })).data);
    }
    identities = answers.flatMap((answer) => identitiesIn(answer));
  });

  it('exist in every type that a cache stores by itself', () => {
    const missing = objectTypes.filter(
      (type) => !('id' in type.getFields()) && !WITHOUT_ID.some((pattern) => pattern.test(type.name)),
    );
    expect(missing.map(({ name }) => name)).to.deep.equal([]);
  });

  it('are unique over all types, and begin with their type unless they are a wallet or an event of REST', () => {
    const types = Map.groupBy(identities, ([id]) => id);
    for (const [id, pairs] of types) expect(new Set(pairs.map(([, type]) => type)).size, id).to.equal(1);
    for (const [id, type] of identities) {
      if (type === 'Agent') expect(id).to.match(/^0x[0-9a-f]{40}$/);
      else if (/Event$/.test(type)) expect(id).to.match(/^[\w-]{22}$/);
      else expect(id === type || id.startsWith(`${type}:`), `${type} has the id ${id}`).to.equal(true);
    }
  });

  it('are read in this test for every type that has one, except the changes of subscriptions', () => {
    const seen = new Set(identities.map(([, type]) => type));
    const unseen = objectTypes.filter((type) => 'id' in type.getFields() && !seen.has(type.name));
    const changes = ['FeedEventChange', 'NotificationChange', 'PriceChange', 'TradeChange'];
    expect(unseen.map(({ name }) => name)).to.have.members(changes);
  });

  /** The objects that node finds: those whose type implements Node. */
  const nodeIds = (): [string, string][] => {
    const isNode = (name: string) =>
      (schema.getType(name) as GraphQLObjectType).getInterfaces().some((one) => one.name === 'Node');
    return [...new Map(identities)].filter(([, type]) => isNode(type));
  };

  it('lead to their objects by node, and in their order by nodes', async () => {
    const { key } = market.bob;
    const expected = nodeIds();
    expect([...new Set(expected.map(([, type]) => type))]).to.have.members([
      ...['Agent', 'Trade', 'Season', 'Notification', 'Me'],
      ...['RegisteredEvent', 'BoughtEvent', 'SoldEvent', 'StatusEvent'],
    ]);
    const ids = expected.map(([id]) => id).reverse();
    const all = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }';
    const { nodes } = await data(world, all, { key, variables: { ids } });
    expect(nodes.map(({ id, __typename }: Json) => [id, __typename])).to.deep.equal(expected.toReversed());
    for (const [id, type] of expected) {
      const text = 'query ($id: ID!) { node(id: $id) { id __typename } }';
      const { node } = await data(world, text, { key, variables: { id } });
      expect(node).to.deep.equal({ id, __typename: type });
    }
  });

  it('lead to the fields that the lists show', async () => {
    const { bob, ada } = market;
    const fragments = `
      fragment A on Agent { name ticketPriceEth volume24h holders(first: 2) { totalCount nodes { amount } } }
      fragment E on FeedEvent { type agent { name } ... on TradeEvent { amount trader { name } thesis txHash }
        ... on StatusEvent { text likeCount isLiked } }
      fragment T on Trade { amount total agent { name } trader { name } }`;
    const all = `{ agents { nodes { id ...A } } feed { nodes { id ...E } } trades { nodes { id ...T } }
      seasons { nodes { id number } } } ${fragments}`;
    const lists = await data(world, all, { key: ada.key });
    const rows: Json[] = ['agents', 'feed', 'trades', 'seasons'].flatMap((list) => lists[list].nodes);
    const text = `query ($ids: [ID!]!) { nodes(ids: $ids) { id ...A ...E ...T ... on Season { number } } } ${fragments}`;
    const { nodes } = await data(world, text, { key: ada.key, variables: { ids: rows.map(({ id }) => id) } });
    expect(nodes).to.deep.equal(rows);
    const upper = `0x${bob.wallet.slice(2).toUpperCase()}`;
    expect((await data(world, `{ node(id: "${upper}") { id } }`)).node).to.deep.equal({ id: bob.wallet });
  });

  it('lead to nothing if no object has them, or if the caller may not see it', async () => {
    const { ada, bob } = market;
    const read = async (id: string, key?: string) =>
      (await data(world, 'query ($id: ID!) { node(id: $id) { id } }', { variables: { id }, ...(key && { key }) })).node;
    const nothing = ['', 'x', 'Trade:', `Trade:${'A'.repeat(22)}`, 'Season:9', 'Season:x', 'Agent:1'];
    for (const id of [...nothing, `0x${'1'.repeat(40)}`]) expect(await read(id), id).to.equal(null);
    const mine = identities.find(([, type]) => type === 'Notification')?.[0] ?? '';
    for (const id of [mine, `Me:${bob.wallet}`]) {
      expect(await read(id), 'nobody').to.equal(null);
      expect(await read(id, ada.key), 'another agent').to.equal(null);
      expect(await read(id, bob.key), 'the agent').to.deep.equal({ id });
    }
    const both = `{ nodes(ids: ["Me:${ada.wallet}", "Me:${bob.wallet}"]) { id } }`;
    expect((await data(world, both, { key: bob.key })).nodes).to.deep.equal([null, { id: `Me:${bob.wallet}` }]);
  });

  it('are read in one batch per type', async () => {
    const statements = async (ids: readonly string[]): Promise<number> => {
      let sent = 0;
      await counting(world, async (other, count) => {
        const { nodes } = await data(other, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { variables: { ids } });
        expect(nodes.map(({ id }: Json) => id)).to.deep.equal(ids);
        sent = count();
      });
      return sent;
    };
    for (const [type, ofType] of Map.groupBy(nodeIds(), ([, type]) => type.replace(/^\w+Event$/, 'Event'))) {
      if (type === 'Me' || type === 'Notification') continue;
      const ids = ofType.map(([id]) => id);
      expect(ids.length, type).to.be.above(1);
      expect(await statements(ids), type).to.equal(await statements(ids.slice(0, 1)));
    }
  });

  it('are at most 100 in a request, and each counts in its cost', async () => {
    const text = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    const ids = Array.from({ length: 101 }, (_, i) => `Season:${i}`);
    expect(refusalOf(await query(world, text, { variables: { ids } }))).to.equal('200 INVALID_FIELD');
    const names = Array.from('abcdefghijk', (alias) => `${alias}: name`).join(' ');
    const wide = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Agent { ${names} } } }`;
    expect(refusalOf(await query(world, wide, { variables: { ids: ids.slice(0, 100) } }))).to.equal('400 QUERY_LIMIT');
    expect((await data(world, wide, { variables: { ids: ids.slice(0, 50) } })).nodes).to.have.length(50);
    const literal = wide.replace('query ($ids: [ID!]!)', '').replace('$ids', JSON.stringify(ids.slice(0, 100)));
    expect(refusalOf(await query(world, literal))).to.equal('400 QUERY_LIMIT');
  });
});
