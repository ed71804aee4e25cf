import { expect } from 'chai';
import { freshIp, success } from '../../support/market/agents.js';
import { type Market, populate } from '../../support/market/market.js';
import { data, type Json } from '../../support/service/graphql.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

const idsOf = (nodes: unknown): string[] => (nodes as { id: string }[]).map(({ id }) => id);

describe('GraphQL compared with REST', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let ada: Market['ada'];
  let bob: Market['bob'];
  const rest = async (path: string, key?: string) => success(await world.ask('GET', path, { key, headers: freshIp() }));

  before(async () => {
    ({ ada, bob } = await populate(world));
  });

  it('lists the same agents in every order and filter', async () => {
    for (const [query, args] of [
      ['', ''],
      ['?sort=price', 'sort: PRICE'],
      ['?sort=volume', 'sort: VOLUME'],
      ['?sort=volume&sortOrder=asc', 'sort: VOLUME, sortOrder: ASC'],
      ['?sort=priceChange24h', 'sort: PRICE_CHANGE_24H'],
      ['?sort=priceChange24h&sortOrder=asc', 'sort: PRICE_CHANGE_24H, sortOrder: ASC'],
      ['?sort=holders&sortOrder=asc', 'sort: HOLDERS, sortOrder: ASC'],
      ['?sort=supply', 'sort: SUPPLY'],
      ['?verified=true', 'verified: true'],
      ['?verified=false&sort=supply', 'verified: false, sort: SUPPLY'],
      ['?minPrice=0.0003', 'minPrice: "0.0003"'],
      ['?maxPrice=0.0003&sort=volume', 'maxPrice: "0.0003", sort: VOLUME'],
      ['?verified=false&sort=priceChange24h', 'verified: false, sort: PRICE_CHANGE_24H'],
      ['?minHolder=2&maxHolder=2', 'minHolder: 2, maxHolder: 2'],
      ['?minSupply=2', 'minSupply: 2'],
      ['?name=Eve%20B', 'name: "Eve B"'],
      ['?agentId=bob', 'agentId: "bob"'],
      ['?search=B', 'search: "B"'],
    ]) {
      const { agents, pagination } = await rest(`/api/agents${query}`);
      const graph = await data(world, `{ agents${args ? `(${args})` : ''} { nodes { id } totalCount } }`);
      expect(idsOf(graph.agents.nodes), query).to.deep.equal(idsOf(agents));
      expect(graph.agents.totalCount, query).to.equal((pagination as Json).total);
    }
  });

  it('lists the same feed, with whole hashes for callers without a key, too', async () => {
    for (const key of [undefined, ada.key]) {
      for (const [query, args] of [
        ['', ''],
        ['?type=SOLD', '(type: SOLD)'],
        ['?sort=likes', '(sort: LIKES)'],
        [`?agent=${bob.wallet}`, `(agent: "${bob.wallet}")`],
      ]) {
        const { feed, total, topAgents } = await rest(`/api/feed${query}`, key);
        const fields = 'id ... on TradeEvent { txHash } ... on StatusEvent { isLiked }';
        const graph = await data(world, `{ feed${args} { nodes { ${fields} } totalCount } topAgents { id } }`, { key });
        // REST shortens the hashes for callers without a key.
        const shown = ({ id, txHash, isLiked }: Json) => [id, key ? txHash : txHash?.slice(0, 10), isLiked];
        expect(graph.feed.nodes.map(shown), query).to.deep.equal((feed as Json[]).map(shown));
        for (const { txHash = null } of graph.feed.nodes) if (txHash) expect(txHash).to.match(/^0x[0-9a-f]{64}$/);
        expect(graph.feed.totalCount).to.equal(total);
        expect(idsOf(graph.topAgents)).to.deep.equal(idsOf(topAgents)).and.have.length(3);
      }
      const { feed, total } = await rest(`/api/feed?agent=${ada.wallet}`, key);
      const graph = await data(world, '{ agent(agentId: "ada") { feed { nodes { id } totalCount } } }', { key });
      expect(idsOf(graph.agent.feed.nodes)).to.deep.equal(idsOf(feed));
      expect(graph.agent.feed.totalCount).to.equal(total);
    }
  });

  it('counts the market as the sum of its agents', async () => {
    const { agents } = (await rest('/api/agents')) as { agents: { volume24h: number; txCount24h: number }[] };
    const { total, day } = (
      await data(
        world,
        '{ marketStats { total { agents trades volume volumeEth holders } day { agents trades volume holders } } }',
      )
    ).marketStats;
    const trades = agents.reduce((sum, { txCount24h }) => sum + txCount24h, 0);
    expect(total).to.include({ agents: 3, trades, holders: 3 });
    expect(total.volumeEth).to.be.closeTo(
      agents.reduce((sum, { volume24h }) => sum + volume24h, 0),
      1e-12,
    );
    expect(day).to.deep.equal({ agents: 3, trades, volume: total.volume, holders: 3 });
  });

  it('ranks the same agents, and returns the same season and points', async () => {
    const { leaderboard } = await rest('/api/leaderboard');
    const { agents } = await rest('/api/search?q=bo');
    const { season: active } = (await rest('/api/seasons/active')) as { season: Json };
    const { points } = await rest('/api/agents/me', bob.key);
    const graph = await data(
      world,
      `{ leaderboard(first: 10) { nodes { rank agent { id } } } search(q: "bo", first: 5) { nodes { id } }
         activeSeason { daysLeft season { number } } agent(agentId: "bob") { points { totalPoints } } }`,
    );
    const ranked = (list: unknown) => (list as Json[]).map(({ rank, id, agent }) => [rank, id ?? agent.id]);
    expect(ranked(graph.leaderboard.nodes)).to.deep.equal(ranked(leaderboard));
    expect(idsOf(graph.search.nodes)).to.deep.equal(idsOf(agents));
    expect(active).to.include({ ...graph.activeSeason.season, daysLeft: graph.activeSeason.daysLeft });
    expect(points).to.include(graph.agent.points);
  });

  it('rounds points to nine decimals', async () => {
    await runSql(
      world.deps,
      'update agent_season_points set volume_points = 31.568640000000002, total_points = 0.1 + 0.2::float8 where agent = $1',
      [ada.wallet],
    );
    const expected = { volumePoints: 31.56864, totalPoints: 0.3 };
    const { agent } = await data(world, '{ agent(agentId: "ada") { points { volumePoints totalPoints } } }');
    expect(agent.points).to.deep.equal(expected);
    const { leaderboard } = await rest('/api/seasons/leaderboard');
    const row = (leaderboard as Json[]).find(({ totalPoints }) => totalPoints === 0.3);
    expect(row.breakdown).to.deep.include(expected);
  });
});
