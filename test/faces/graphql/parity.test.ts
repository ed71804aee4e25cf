import { expect } from 'chai';
import { freshIp, success } from '../../support/market/agents.js';
import { type Market, populate } from '../../support/market/market.js';
import { data, type Json } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';

const CARD = `id name agentId walletAddress avatarUrl isClaimed socialHandle totalSupply holderCount followerCount
  followingCount ticketPrice ticketPriceEth volume24h txCount24h priceChange24h createdAt`;
const POINTS = `pricePoints holderPoints volumePoints holdingPoints crossTradingPoints diversityPoints uptimePoints
  consistencyPoints agePoints referralPoints engagementPoints verifiedBonus totalPoints`;

describe('GraphQL lists beside REST', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let ada: Market['ada'];
  let bob: Market['bob'];
  const rest = async (path: string, key?: string) => success(await world.ask('GET', path, { key, headers: freshIp() }));

  before(async function () {
    this.timeout(60_000);
    ({ ada, bob } = await populate(world));
  });

  it('lists the same agents in every order and filter', async () => {
    for (const [query, args] of [
      ['', ''],
      ['?sort=price', 'sort: PRICE'],
      ['?sort=volume', 'sort: VOLUME'],
      ['?sort=volume&sortOrder=asc', 'sort: VOLUME, sortOrder: ASC'],
      ['?sort=holders&sortOrder=asc', 'sort: HOLDERS, sortOrder: ASC'],
      ['?sort=supply', 'sort: SUPPLY'],
      ['?verified=true', 'verified: true'],
      ['?verified=false&sort=supply', 'verified: false, sort: SUPPLY'],
      ['?minPrice=0.0003', 'minPrice: "0.0003"'],
      ['?maxPrice=0.0003&sort=volume', 'maxPrice: "0.0003", sort: VOLUME'],
      ['?minHolder=2&maxHolder=2', 'minHolder: 2, maxHolder: 2'],
      ['?minSupply=2', 'minSupply: 2'],
      ['?name=Eve%20B', 'name: "Eve B"'],
      ['?agentId=bob', 'agentId: "bob"'],
      ['?search=B', 'search: "B"'],
    ]) {
      const { agents, pagination } = await rest(`/api/agents${query}`);
      const graph = await data(world, `{ agents${args ? `(${args})` : ''} { nodes { ${CARD} } totalCount } }`);
      expect(graph.agents.nodes, query).to.deep.equal(agents);
      expect(graph.agents.totalCount, query).to.equal((pagination as Json).total);
    }
  });

  it('pages through every list by cursor without gaps or repetition', async () => {
    for (const [field, of] of [
      ['agents(sort: VOLUME, ARGS)', 'id'],
      ['agents(sort: NEWEST, sortOrder: ASC, ARGS)', 'id'],
      ['leaderboard(ARGS)', 'rank agent { id }'],
      ['search(q: "bo", ARGS)', 'id'],
      ['trending(ARGS)', 'rank agent { id }'],
      ['trades(ARGS)', 'id'],
      ['feed(ARGS)', 'id'],
      ['feed(sort: LIKES, ARGS)', 'id'],
      ['feed(agent: "ADA", type: BOUGHT, ARGS)', 'id'],
      ['seasons(ARGS)', 'number'],
      ['seasonLeaderboard(ARGS)', 'rank walletAddress'],
    ] as const) {
      const name = field.slice(0, field.indexOf('('));
      const text = (args: string) =>
        `{ ${field.replace('ARGS', args).replace('ADA', ada.wallet)} { edges { cursor node { ${of} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount } }`;
      const whole = (await data(world, text('first: 50')))[name];
      expect(whole.pageInfo.hasNextPage).to.equal(false);
      expect(whole.edges.length, field).to.equal(whole.totalCount).and.above(0);
      const paged = [];
      let after = '';
      for (let more = true; more; ) {
        const page = (await data(world, text(`first: 1${after}`)))[name];
        paged.push(...page.edges);
        more = page.pageInfo.hasNextPage;
        after = `, after: "${page.pageInfo.endCursor}"`;
      }
      expect(paged, field).to.deep.equal(whole.edges);
    }
  });

  it('ranks the same', async () => {
    const { leaderboard } = await rest('/api/leaderboard');
    const { trending } = await rest('/api/trending');
    const { agents } = await rest('/api/search?q=bo');
    const graph = await data(
      world,
      `{ leaderboard(first: 10) { nodes { rank agent { ${CARD} } } } search(q: "bo", first: 5) { nodes { ${CARD} } }
         trending(first: 10) { nodes { rank agent { id name agentId avatarUrl totalSupply holderCount isClaimed } ticketPriceEth
           priceChange24h volume24h txCount uniqueTraders newHolders24h trendScore lastTradeAt } } }`,
    );
    expect(graph.leaderboard.nodes.map(({ rank, agent }: Json) => ({ rank, ...(agent as object) }))).to.deep.equal(
      leaderboard,
    );
    expect(graph.search.nodes).to.deep.equal(agents);
    const withAlias = graph.trending.nodes.map((trend: Json) => ({ ...(trend as object), volume: trend.volume24h }));
    expect(withAlias).to.deep.equal(trending);
  });

  it('shows the same feed, whole hashes with a key alone', async () => {
    const fields = `id type createdAt agent { agentAddress: walletAddress agentName: name agentId avatarUrl isClaimed }
      ... on TradeEvent { amount price priceEth traderAddress trader { name } thesis txHash }
      ... on StatusEvent { text likeCount repostCount isLiked isReposted }`;
    type Event = { type: string; agent: object; trader: Json | null; traderAddress?: string } & Json;
    const flat = ({ agent, trader, traderAddress, ...rest }: Event) => {
      const role = rest.type === 'BOUGHT' ? 'buyer' : 'seller';
      const named = traderAddress && { [`${role}Address`]: traderAddress, [`${role}Name`]: trader?.name };
      return { ...(rest as object), ...agent, ...(named || {}) };
    };
    for (const key of [undefined, ada.key]) {
      for (const [query, args] of [
        ['', ''],
        ['?type=SOLD', '(type: SOLD)'],
        ['?sort=likes', '(sort: LIKES)'],
        [`?agent=${bob.wallet}`, `(agent: "${bob.wallet}")`],
      ]) {
        const { feed, total, topAgents } = await rest(`/api/feed${query}`, key);
        const graph = await data(world, `{ feed${args} { nodes { ${fields} } totalCount } }`, { key });
        expect(graph.feed.nodes.map(flat), query).to.deep.equal(feed);
        expect(graph.feed.totalCount).to.equal(total);
        const top = await data(world, '{ topAgents { id name agentId totalSupply holderCount } }');
        expect(top.topAgents).to.deep.equal(topAgents).and.have.length(3);
      }
      const { feed, total } = await rest(`/api/feed?agent=${ada.wallet}`, key);
      const graph = await data(world, `{ agent(agentId: "ada") { feed { nodes { ${fields} } totalCount } } }`, { key });
      expect(graph.agent.feed.nodes.map(flat)).to.deep.equal(feed);
      expect(graph.agent.feed.totalCount).to.equal(total);
    }
  });

  it('tells the same seasons and points', async () => {
    const { seasons } = await rest('/api/seasons');
    const { season: active } = (await rest('/api/seasons/active')) as { season: Json };
    const span = 'number startDate endDate isActive';
    const graph = await data(
      world,
      `{ seasons { nodes { ${span} isFrozen agentCount } } activeSeason { daysLeft season { ${span} } }
         season(number: 1) { number leaderboard { nodes { rank totalPoints } } }
         agent(agentId: "bob") { now: points { ${POINTS} } first: points(season: 1) { totalPoints } } }`,
    );
    expect(graph.seasons.nodes).to.deep.equal(seasons);
    expect({ ...graph.activeSeason.season, daysLeft: graph.activeSeason.daysLeft }).to.deep.equal(active);
    expect(graph.season.leaderboard.nodes).to.deep.equal([{ rank: 1, totalPoints: 3 }]);
    expect(graph.agent.first).to.deep.equal({ totalPoints: 3 });
    for (const [query, args] of [
      ['', ''],
      ['?season=1', '(season: 1)'],
    ]) {
      const { leaderboard, totalAgents } = await rest(`/api/seasons/leaderboard${query}`);
      const { seasonLeaderboard } = await data(
        world,
        `{ seasonLeaderboard${args} { nodes { rank walletAddress totalPoints breakdown { ${POINTS} }
             agent { name agentId avatarUrl isClaimed } } totalCount } }`,
      );
      const flat = seasonLeaderboard.nodes.map(({ agent, ...rest }: Json) => ({
        ...(rest as object),
        ...(agent as object),
      }));
      expect(flat).to.deep.equal(leaderboard);
      expect(seasonLeaderboard.totalCount).to.equal(totalAgents);
    }
    const { points } = await rest('/api/agents/me', bob.key);
    expect(graph.agent.now).to.deep.equal(points);
  });
});
