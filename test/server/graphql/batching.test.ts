// CI: it counts the statements of each list for one and for fifty parents, which takes seconds.
import { expect } from 'chai';
import { addHolding, addListedAgent, addSeason, addTrade } from '../../support/market/rows.js';
import { counting } from '../../support/parts.js';
import { data } from '../../support/service/graphql.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

const PARENTS = 50;
const AGENT = 'name isClaimed referredBy';

/** One query per relation. N stands for the number of parents. */
const relations: readonly (readonly [name: string, text: string])[] = [
  ['24-hour figures', 'agents(first: N) { nodes { volume24h volume24hWei txCount24h priceChange24h } }'],
  ['referral counts', 'agents(first: N) { nodes { referralCount } }'],
  ['holders', `agents(first: N) { nodes { holders(first: 2) { totalCount nodes { agent { ${AGENT} } } } } }`],
  ['holdings', `agents(first: N) { nodes { holdings(first: 2) { totalCount nodes { agent { ${AGENT} } } } } }`],
  [
    'trades made',
    'agents(first: N) { nodes { trades(first: 2) { totalCount nodes { agent { id } trader { id } } } } }',
  ],
  [
    'trades received',
    'agents(first: N) { nodes { trades(side: RECEIVED, first: 2) { totalCount nodes { trader { id } } } } }',
  ],
  ['ticket balances', `agents(first: N) { nodes { ticketBalance(holderAddress: "0x${'1'.repeat(40)}") } }`],
  ['followers', 'agents(first: N) { nodes { followers(first: 2) { totalCount nodes { agent { id } } } } }'],
  ['following', 'agents(first: N) { nodes { following(first: 2) { totalCount nodes { agent { id } } } } }'],
  ['referrals', 'agents(first: N) { nodes { referrals(first: 2) { totalCount nodes { id } } } }'],
  [
    'feed',
    'agents(first: N) { nodes { feed(first: 2) { totalCount nodes { agent { id } ... on TradeEvent { trader { id } } } } } }',
  ],
  ['candles', 'agents(first: N) { nodes { candles(first: 2) { close } } }'],
  ['points', 'agents(first: N) { nodes { points { totalPoints } earlier: points(season: 1) { totalPoints } } }'],
  ['profit and loss', 'agents(first: N) { nodes { pnl { totalPnlWei } } }'],
  ['agents of trades', 'trades(first: N) { nodes { agent { id } trader { id } } }'],
  ['agents of events', 'feed(first: N) { nodes { agent { id } } }'],
  ['agents of a leaderboard', 'leaderboard(first: N) { nodes { agent { id volume24h volume24hWei } } }'],
  ['agents of a season', 'seasonLeaderboard(first: N) { nodes { agent { id } } }'],
  [
    'leaderboards of seasons',
    'seasons(first: N) { nodes { leaderboard(first: 2) { totalCount nodes { agent { id } } } } }',
  ],
  ['agents of trends', 'trending(first: N) { nodes { agent { id } } }'],
];

describe('GraphQL reads', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });

  before(async () => {
    const agents: { wallet: string }[] = [];
    for (let i = 0; i < PARENTS; i++) agents.push(await addListedAgent(world));
    const [fan, idol] = agents as [{ wallet: string }, { wallet: string }];
    for (const { wallet } of agents) {
      await addHolding(world, { agent: wallet, holder: wallet === fan.wallet ? idol.wallet : fan.wallet });
      await addTrade(world, { agent: wallet, trader: fan.wallet });
      await addTrade(world, { agent: idol.wallet, trader: wallet });
      await runSql(
        world.deps,
        `insert into agent_follow (follower, followed, created_at)
         select $1::text, wallet, $3 from agent where wallet <> $1::text and wallet = $2::text`,
        [fan.wallet, wallet, world.clock.now()],
      );
    }
    // The newest agent is the single parent in the comparison with all 50 parents.
    const newest = agents.at(-1) as { wallet: string };
    await addHolding(world, { agent: idol.wallet, holder: newest.wallet });
    await runSql(world.deps, 'insert into agent_follow (follower, followed, created_at) values ($1, $2, $3)', [
      newest.wallet,
      idol.wallet,
      world.clock.now(),
    ]);
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

  for (const [name, text] of relations) {
    it(`reads ${name} with as many SQL statements for ${PARENTS} parents as for one`, async () => {
      const one = await statements(text.replace('N', '1'));
      expect(one).to.be.above(0);
      // The loader needs fewer statements when the related agents are already loaded as parents.
      expect(await statements(text.replace('N', String(PARENTS)))).to.be.within(1, one);
    });
  }

  it('counts a list only when the total is selected', async () => {
    const page = await statements('agents(first: 50) { nodes { name volume24h } }');
    expect(await statements('agents(first: 50) { nodes { name volume24h } totalCount }')).to.equal(page + 1);
  });

  it('does not share loaders between requests', async () => {
    const text = '{ agents(first: 1, sort: NEWEST) { nodes { id bio } } }';
    const [{ id }] = (await data(world, text)).agents.nodes;
    await runSql(world.deps, `update agent set bio = 'new' where wallet = $1`, [id]);
    expect((await data(world, text)).agents.nodes[0].bio).to.equal('new');
  });
});
