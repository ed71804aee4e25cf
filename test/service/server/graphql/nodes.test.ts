import { expect } from 'chai';
import { execute, type GraphQLObjectType, getNamedType, isObjectType, parse } from 'graphql';
import { graphqlSchema } from '../../../../src/features/graphql.js';
import { contextOf } from '../../../../src/server/graphql/engine.js';
import { type Market, populate } from '../../../support/market/market.js';
import { addAgent, addHolding, addListedAgent, addTrade, randomTxHash } from '../../../support/market/rows.js';
import { wholeOf } from '../../../support/market/selection.js';
import { counting } from '../../../support/parts.js';
import { data, type Json, query, refusalOf } from '../../../support/service/graphql.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

/** Object types without an id. The caches of clients store such an object inside the object or the answer that contains it. */
const WITHOUT_ID = [
  // Lists with their edges and page information.
  /(Connection|Edge|PageInfo)$/,
  // Results of mutations. Their fields lead to the objects that changed, which have ids.
  /^(FollowState|LikeState|RepostState|Registration|KeyReplacement|RecordedTrade|Deletion)$/,
  // Answers that are computed for given arguments, and the parts of such answers.
  /^(Price|Quote|UnsignedTransaction|Refusal|NameAvailability|PnlLeaderboard|PnlStanding|LinkSign|StandingWithoutLinks)$/,
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
    // Calls graphql-js directly, because the limits of the API would refuse such large documents.
    const contextValue = contextOf(world.deps, bob as unknown as Parameters<typeof contextOf>[1], '192.0.2.1');
    const samples = { agent: `"${bob.wallet}"`, code: `"${bob.code}"`, kind: 'POST' };
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

  it('are unique over all types, and begin with their type unless they are a wallet or a REST event id', () => {
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

  /** Ids and types of the objects that `node` can find: those whose type implements Node. */
  const nodeIds = (): [string, string][] => {
    const isNode = (name: string) => (schema.getType(name) as GraphQLObjectType).getInterfaces().some((one) => one.name === 'Node');
    return [...new Map(identities)].filter(([, type]) => isNode(type));
  };

  it('lead to their objects in the field node, and in the given order in nodes', async () => {
    const { key } = market.bob;
    const expected = nodeIds();
    expect([...new Set(expected.map(([, type]) => type))]).to.have.members([
      'Agent',
      'Trade',
      'Season',
      'Notification',
      'Me',
      'RegisteredEvent',
      'BoughtEvent',
      'SoldEvent',
      'StatusEvent',
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

  it('lead to objects with the same fields as in the lists', async () => {
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

  it('lead to null if no object has them, or if the caller may not see the object', async () => {
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

  it('are limited to 100 per request, and each adds to the query cost', async () => {
    const text = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    const ids = Array.from({ length: 101 }, (_, i) => `Season:${i}`);
    expect(refusalOf(await query(world, text, { variables: { ids } }))).to.equal('200 INVALID_FIELD');
    // 11 fields of 100 nodes exceed the maximum cost of 1,000 points.
    const names = Array.from('abcdefghijk', (alias) => `${alias}: name`).join(' ');
    const wide = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Agent { ${names} } } }`;
    expect(refusalOf(await query(world, wide, { variables: { ids: ids.slice(0, 100) } }))).to.equal('400 QUERY_LIMIT');
    expect((await data(world, wide, { variables: { ids: ids.slice(0, 50) } })).nodes).to.have.length(50);
    const literal = wide.replace('query ($ids: [ID!]!)', '').replace('$ids', JSON.stringify(ids.slice(0, 100)));
    expect(refusalOf(await query(world, literal))).to.equal('400 QUERY_LIMIT');
  });
});

/** Lists, and the selection that identifies a node of each. ARGS stands for arguments; `agent.` marks a list of one agent. */
const lists = [
  ['agents(ARGS)', 'id'],
  ['leaderboard(ARGS)', 'agent { id }'],
  ['trades(ARGS)', 'id'],
  ['feed(ARGS)', 'id'],
  ['agent.holders(ARGS)', 'address'],
  ['agent.holdings(ARGS)', 'agentAddress'],
  ['agent.trades(side: RECEIVED, ARGS)', 'id'],
  ['agent.feed(ARGS)', 'id'],
  ['agent.followers(ARGS)', 'walletAddress'],
  ['agent.following(ARGS)', 'walletAddress'],
  ['agent.referrals(ARGS)', 'id'],
] as const;
const sorted = ['agents(sort: VOLUME, ARGS)', 'agents(sort: PRICE_CHANGE_24H, ARGS)', 'feed(sort: LIKES, ARGS)'];

describe('GraphQL cursors', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let target: { wallet: string };
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
  let minute = 0;
  const documentOf = (list: string, args: string, selection: string) => {
    const inner = `${list.replace('agent.', '').replace('ARGS', args)} { ${selection} }`;
    return list.startsWith('agent.') ? `{ agent(address: "${target.wallet}") { ${inner} } }` : `{ ${inner} }`;
  };

  /** Adds one row to every list, at its start or in its middle. */
  async function grow(): Promise<void> {
    minute++;
    const { wallet } = await addListedAgent(world, { createdAt: at(minute) }, { registeredAt: at(minute), supply: 3 });
    await addHolding(world, { agent: target.wallet, holder: wallet, amount: 5 });
    await addHolding(world, { agent: wallet, holder: target.wallet, amount: 5 });
    await addTrade(world, { agent: target.wallet, trader: wallet, blockTime: at(minute) });
    await runSql(world.deps, 'insert into agent_follow (follower, followed, created_at) values ($1, $2, $3), ($2, $1, $3)', [
      wallet,
      target.wallet,
      at(minute),
    ]);
    await addAgent(world, { referredBy: target.wallet, referredAt: at(minute), createdAt: at(minute) });
  }

  before(async () => {
    target = await addListedAgent(world, { createdAt: at(0) }, { registeredAt: at(0), supply: 9 });
    for (let i = 0; i < 6; i++) await grow();
  });

  it('belong to lists that page forward only, as the schema says', () => {
    const lists = objectTypes
      .flatMap((type) => Object.values(type.getFields()))
      .filter(({ type }) => getNamedType(type).name.endsWith('Connection'));
    const paging = ['first', 'last', 'after', 'before'];
    const directions = lists.map(({ args }) => args.map(({ name }) => name).filter((name) => paging.includes(name)));
    expect(lists.length).to.be.above(10);
    expect([...new Set(directions.map((names) => names.sort().join()))]).to.deep.equal(['after,first']);
    const { hasPreviousPage } = (schema.getType('PageInfo') as GraphQLObjectType).getFields();
    expect(hasPreviousPage?.description).to.include('Lists page forward only, without last and before');
  });

  it('cause no error other than INVALID_FIELD when they are forged', async () => {
    await runSql(world.deps, 'insert into agent_activity (id, agent, text, created_at) values ($1, $2, $3, $4)', [
      randomTxHash().slice(2, 24),
      target.wallet,
      'Hello',
      at(1),
    ]);
    // Parts of a cursor. Most of them are no values of their column.
    const odd = ['-1', '1.5', '2147483648', 'a\0b', '2026-02-30T00:00:00.000Z', '0000-01-01T00:00:00.000Z'];
    let refused = 0;
    for (const list of [...lists.map(([name]) => name), ...sorted]) {
      const ask = (after: string | null) =>
        query(world, `query ($after: String) ${documentOf(list, 'first: 1, after: $after', 'pageInfo { endCursor }')}`, {
          variables: { after },
        });
      const cursor = /"endCursor":"([^"]+)"/.exec(JSON.stringify((await ask(null)).data))?.[1] ?? '';
      const key: string[] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
      for (const [place] of key.entries()) {
        for (const part of odd) {
          const { errors } = await ask(Buffer.from(JSON.stringify(key.with(place, part))).toString('base64url'));
          if (errors.length === 0) continue;
          expect(errors[0]?.extensions.code, `${list} ${key.with(place, part)}`).to.equal('INVALID_FIELD');
          refused++;
        }
      }
    }
    expect(refused).to.be.above(50);
  });

  for (const [list, of] of lists) {
    it(`neither repeat nor skip rows of ${list.replace('ARGS', '…')} while rows are added`, async () => {
      const read = async (args: string) => {
        const text = documentOf(list, args, `edges { cursor node { ${of} } } pageInfo { hasNextPage endCursor }`);
        const answer = await data(world, text);
        return (answer.agent ?? answer)[/(\w+)\(/.exec(list)?.[1] ?? ''];
      };
      const nodes = ({ edges }: Json) => edges.map(({ node }: Json) => node);
      const before = nodes(await read('first: 50'));
      expect(before.length).to.be.at.least(6);
      const seen = [];
      const size = Math.ceil(before.length / 3);
      let args = `first: ${size}`;
      for (let more = true; more; ) {
        const page = await read(args);
        seen.push(...nodes(page));
        more = page.pageInfo.hasNextPage;
        args = `first: ${size}, after: "${page.pageInfo.endCursor}"`;
        await grow();
      }
      const old = new Set(before.map((node: Json) => JSON.stringify(node)));
      expect(seen.filter((node: Json) => old.has(JSON.stringify(node)))).to.deep.equal(before);
      expect(new Set(seen.map((node: Json) => JSON.stringify(node))).size).to.equal(seen.length);
    });
  }
});
