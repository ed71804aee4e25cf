import { expect } from 'chai';
import { type GraphQLField, type GraphQLObjectType, getNamedType, isCompositeType } from 'graphql';
import { graphqlSchema } from '../../../../src/features/graphql.js';
import type { Sql } from '../../../../src/store/sql.js';
import { populate } from '../../../support/market/market.js';
import { addHolding, addListedAgent, addSeason, addTrade } from '../../../support/market/rows.js';
import { counting, replacing } from '../../../support/parts.js';
import { data, type Json } from '../../../support/service/graphql.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

const PARENTS = 50;
const AGENT = 'name isClaimed referredBy';

/** One query per relation. N stands for the number of parents. */
const relations = {
  '24-hour figures': 'agents(first: N) { nodes { volume24h volume24hWei txCount24h priceChange24h } }',
  'referral counts': 'agents(first: N) { nodes { referralCount } }',
  holders: `agents(first: N) { nodes { holders(first: 2) { totalCount nodes { agent { ${AGENT} } } } } }`,
  holdings: `agents(first: N) { nodes { holdings(first: 2) { totalCount nodes { agent { ${AGENT} } } } } }`,
  'trades made': 'agents(first: N) { nodes { trades(first: 2) { totalCount nodes { agent { id } trader { id } } } } }',
  'trades received': 'agents(first: N) { nodes { trades(side: RECEIVED, first: 2) { totalCount nodes { trader { id } } } } }',
  'ticket balances': `agents(first: N) { nodes { ticketBalance(holderAddress: "0x${'1'.repeat(40)}") } }`,
  followers: 'agents(first: N) { nodes { followers(first: 2) { totalCount nodes { agent { id } } } } }',
  following: 'agents(first: N) { nodes { following(first: 2) { totalCount nodes { agent { id } } } } }',
  referrals: 'agents(first: N) { nodes { referrals(first: 2) { totalCount nodes { id } } } }',
  feed: 'agents(first: N) { nodes { feed(first: 2) { totalCount nodes { agent { id } ... on TradeEvent { trader { id } } } } } }',
  candles: 'agents(first: N) { nodes { candles(first: 2) { close } } }',
  points: 'agents(first: N) { nodes { points { totalPoints } earlier: points(season: 1) { totalPoints } } }',
  'profit and loss': 'agents(first: N) { nodes { pnl { totalPnlWei } } }',
  'agents of trades': 'trades(first: N) { nodes { agent { id } trader { id } } }',
  'agents of events': 'feed(first: N) { nodes { agent { id } } }',
  'agents of a leaderboard': 'leaderboard(first: N) { nodes { agent { id volume24h volume24hWei } } }',
  'agents of a season': 'seasonLeaderboard(first: N) { nodes { agent { id } } }',
  'leaderboards of seasons': 'seasons(first: N) { nodes { leaderboard(first: 2) { totalCount nodes { agent { id } } } } }',
  'agents of trends': 'trending(first: N) { nodes { agent { id } } }',
};

describe('a GraphQL query', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });

  const addFollow = (...follow: readonly [follower: string, followed: string]) => {
    const text = 'insert into agent_follow (follower, followed, created_at) values ($1, $2, $3)';
    return runSql(world.deps, text, [...follow, world.clock.now()]);
  };

  before(async () => {
    const agents: { wallet: string }[] = [];
    for (let i = 0; i < PARENTS; i++) agents.push(await addListedAgent(world));
    const [fan, idol] = agents as [{ wallet: string }, { wallet: string }];
    for (const { wallet } of agents) {
      await addHolding(world, { agent: wallet, holder: wallet === fan.wallet ? idol.wallet : fan.wallet });
      await addTrade(world, { agent: wallet, trader: fan.wallet });
      await addTrade(world, { agent: idol.wallet, trader: wallet });
      if (wallet !== fan.wallet) await addFollow(fan.wallet, wallet);
    }
    // The query for one parent returns the newest agent, so this agent needs rows in every relation, too.
    const newest = agents.at(-1) as { wallet: string };
    await addHolding(world, { agent: idol.wallet, holder: newest.wallet });
    await addFollow(newest.wallet, idol.wallet);
    // 50 seasons of one day each. The last one ends now.
    for (let n = 1; n <= 50; n++) await addSeason(world, n, n - 51, n - 50);
    await runSql(
      world.deps,
      `insert into agent_season_points (season, agent, total_points, rank, computed_at)
       select number, wallet, 1, 1, $1 from season, agent`,
      [world.clock.now()],
    );
  });

  /** Counts the SQL statements of a query. Each call uses a new app with empty caches. */
  async function statements(text: string): Promise<number> {
    let sent = 0;
    await counting(world, async (other, count) => {
      await data(other, `{ ${text} }`);
      sent = count();
    });
    return sent;
  }

  for (const [name, text] of Object.entries(relations)) {
    it(`reads ${name} with as many SQL statements for ${PARENTS} parents as for one`, async () => {
      const one = await statements(text.replace('N', '1'));
      expect(one).to.be.above(0);
      // Fewer statements are fine: the loader sends none for related agents that are already loaded as parents.
      expect(await statements(text.replace('N', String(PARENTS)))).to.be.within(1, one);
    });
  }

  it('counts a list only when the total is selected', async () => {
    const page = await statements('agents(first: 50) { nodes { name volume24h } }');
    expect(await statements('agents(first: 50) { nodes { name volume24h } totalCount }')).to.equal(page + 1);
  });
});

const schema = graphqlSchema();

/** The scalar fields of a type that have neither a resolver nor arguments, so that they are read with the list itself. */
function plainFields(type: string): string[] {
  const fields: GraphQLField<unknown, unknown>[] = Object.values((schema.getType(type) as GraphQLObjectType).getFields());
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

describe('the columns that GraphQL lists read', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  before(async () => {
    await populate(world);
  });

  /** The columns that each SQL statement of a query returns, except `parent` and the keys of cursors (`key0`, `key1`, ...). */
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
    text.includes('...B') ? `{ ${text} } fragment B on BoughtEvent { ${fields} }` : `{ ${text.replaceAll('FIELDS', fields)} }`;

  for (const [name, type, text] of lists) {
    it(`give each field of ${name} the same value alone as with all fields`, async () => {
      const names = plainFields(type);
      expect(names.length).to.be.above(5);
      const whole = await data(world, document(text, names.join(' ')));
      for (const field of names) {
        const alone = await data(world, document(text, field));
        expect(alone, field).to.deep.equal(only(whole, field, new Set(names)));
      }
    });
  }

  it('are exactly those that the selected fields need', async () => {
    // The feed reads these columns for every event.
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

/** Removes all of the given `fields` from an answer, except `field`. Fields that are not in the set stay. */
function only(value: Json, field: string, fields: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map((item) => only(item, field, fields));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name === field || !fields.has(name))
      .map(([name, inner]) => [name, only(inner, field, fields)]),
  );
}
