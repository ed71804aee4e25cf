import { expect } from 'chai';
import { forGraphql } from '../../../../src/errors/advice.js';
import { holder, holding, trend } from '../../../../src/features/agents/lists/resource.js';
import { myStats } from '../../../../src/features/agents/me/resource.js';
import * as agents from '../../../../src/features/agents/resource.js';
import { claimInfo } from '../../../../src/features/claims/resource.js';
import * as events from '../../../../src/features/feed/resource.js';
import { followEntry, followView } from '../../../../src/features/follows/resource.js';
import { activeSeason, activeSeasonView, points, season, standing } from '../../../../src/features/seasons/resource.js';
import { pnl } from '../../../../src/features/trading/pnl-resource.js';
import { candle, price, quote } from '../../../../src/features/trading/prices/resource.js';
import { trade } from '../../../../src/features/trading/resource.js';
import * as wallets from '../../../../src/features/trading/wallet-resource.js';
import type { Resource, View } from '../../../../src/server/resources/field.js';
import { freshIp, success } from '../../../support/market/agents.js';
import { type Market, populate } from '../../../support/market/market.js';
import { data, type Json } from '../../../support/service/graphql.js';
import { shared } from '../../../support/service/selections.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

/**
 * A view and its resource, the path of a REST endpoint and the path within its answer, and the path of GraphQL fields with their
 * arguments. ADA, BOB and CODE stand for wallets and a verification code.
 */
type Case = readonly [view: object, resource: Resource, rest: string, at: string, graphql: string];

const post = { ...events.statusEvent, fields: events.eventTable };
const quoted = 'action: BUY, agent: "ADA", amount: 1, walletAddress: "BOB"';
const cases: Readonly<Record<string, Case>> = {
  'agents of a list': [agents.agentCard, agents.agent, '/agents', 'agents', 'agents > nodes'],
  'an agent': [agents.agentProfile, agents.agent, '/agents/ada', 'agent', 'agent(agentId: "ada")'],
  holders: [holder, holder, '/agents/ada', 'agent.holders', 'agent(agentId: "ada") > holders > nodes'],
  holdings: [holding, holding, '/agents/bob/holdings', 'holdings', 'agent(agentId: "bob") > holdings > nodes'],
  follows: [followView, followEntry, '/agents/ada/followers', 'followers', 'agent(agentId: "ada") > followers > nodes'],
  trades: [trade, trade, '/agents/bob/trades', 'trades', 'agent(agentId: "bob") > trades(first: 5) > nodes'],
  candles: [candle, candle, '/agents/ada/candles?interval=1d', 'candles', 'candles(agent: "ada", interval: DAY)'],
  trends: [trend, trend, '/trending', 'trending', 'trending > nodes'],
  seasons: [season, season, '/seasons', 'seasons', 'seasons > nodes'],
  standings: [standing, standing, '/seasons/leaderboard', 'leaderboard', 'seasonLeaderboard > nodes'],
  'the running season': [activeSeasonView, season, '/seasons/active', 'season', 'activeSeason > season'],
  'the rest of the running season': [activeSeasonView, activeSeason, '/seasons/active', 'season', 'activeSeason'],
  'the points of an agent': [points, points, '/agents/me', 'points', 'agent(agentId: "bob") > points'],
  'agents of a search': [agents.agentCard, agents.agent, '/search?q=bo', 'agents', 'search(q: "bo") > nodes'],
  'profit and loss': [pnl, pnl, '/agents/me/pnl', '', 'me > pnl'],
  'counts of the agent of the key': [myStats, myStats, '/agents/me', 'myStats', 'me > stats'],
  'the ether of a wallet': [wallets.etherBalance, wallets.etherBalance, '/agents/me/balance', '', 'me > balance'],
  'a wallet': [
    wallets.walletBalanceView,
    wallets.walletBalance,
    '/agent-wallet/balance?agentId=bob',
    '',
    'agentWallet(agentId: "bob") > balance',
  ],
  'a verification code': [claimInfo, claimInfo, '/agents/claim-info?code=CODE', 'claim', 'claimInfo(code: "CODE")'],
  'a post': [events.postView, post, '/feed?type=STATUS', 'feed', 'feed(type: STATUS) > nodes > ... on StatusEvent'],
  'a price': [price, price, '/price?agent=ADA&amount=3&slippage=2.5', '', 'price(agent: "ADA", amount: 3, slippage: 2.5)'],
  'a quote': [quote, quote, '/tickets/quote?action=buy&agent=ADA&amount=1&walletAddress=BOB', '', `quote(${quoted})`],
};

/** Makes the query that selects `fields` at the end of a path such as `agents > nodes`. `at` is the path to them in the answer. */
const queryOf = (path: string, fields: string): readonly [query: string, at: string] => {
  const steps = path.split(' > ');
  const names = steps.filter((step) => !step.startsWith('...')).map((step) => step.replace(/\(.*/, ''));
  return [steps.reduceRight((inner, step) => `${step} { ${inner} }`, fields), names.join('.')];
};
const valueAt = (answer: Json, path: string): Json =>
  path === '' ? answer : path.split('.').reduce((value, name) => value[name], answer);
const only = (value: Json, names: readonly string[]): Json =>
  Array.isArray(value)
    ? value.map((one) => only(one, names))
    : Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));

const idsOf = (nodes: unknown): string[] => (nodes as { id: string }[]).map(({ id }) => id);

describe('REST and GraphQL return the same', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let market: Market;
  const rest = async (path: string, key?: string): Promise<Json> =>
    success(await world.ask('GET', `/api${path}`, { key, headers: freshIp() }));

  before(async () => {
    market = await populate(world);
  });

  for (const [name, [view, resource, path, at, fields]] of Object.entries(cases)) {
    it(name, async () => {
      const { ada, bob, eve } = market;
      const filled = (text: string) =>
        text.replaceAll('ADA', ada.wallet).replaceAll('BOB', bob.wallet).replaceAll('CODE', eve.code);
      const asked = await rest(filled(path), bob.key);
      // Hints and notes name an operation as their API does: `POST /api/tickets/buy` in REST, `recordBuy` in GraphQL. `forGraphql`
      // puts the names of GraphQL into the REST answer, so that these texts are equal, too.
      const fromRest = valueAt(JSON.parse(forGraphql(JSON.stringify(asked))), at);
      const [query, found] = queryOf(filled(fields), shared(view as View, resource));
      const fromGraphql = valueAt(await data(world, `{ ${query} }`, { key: bob.key }), found);
      const names = Object.keys(Array.isArray(fromGraphql) ? fromGraphql[0] : fromGraphql);
      // Enum values have different names in the two APIs, so `type` and `action` are left out. REST omits fields that are null in
      // GraphQL, so an absent field is expected to be null.
      const compared = names.filter((one) => !['type', 'action'].includes(one) || name === 'trades');
      const absent = compared.filter((one) => !Array.isArray(fromRest) && !(one in fromRest));
      expect(compared.length).to.be.above(0);
      expect(only(fromGraphql, compared)).to.deep.equal(
        Array.isArray(fromRest)
          ? only(fromRest, compared)
          : { ...only(fromRest, compared), ...Object.fromEntries(absent.map((one) => [one, null])) },
      );
    });
  }

  it('agents in every order and filter', async () => {
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
      const { agents, pagination } = await rest(`/agents${query}`);
      const graph = await data(world, `{ agents${args ? `(${args})` : ''} { nodes { id } totalCount } }`);
      expect(idsOf(graph.agents.nodes), query).to.deep.equal(idsOf(agents));
      expect(graph.agents.totalCount, query).to.equal(pagination.total);
    }
  });

  it('feed, with whole hashes in GraphQL for callers without a key, too', async () => {
    const { ada, bob } = market;
    for (const key of [undefined, ada.key]) {
      for (const [query, args] of [
        ['', ''],
        ['?type=SOLD', '(type: SOLD)'],
        ['?sort=likes', '(sort: LIKES)'],
        [`?agent=${bob.wallet}`, `(agent: "${bob.wallet}")`],
      ]) {
        const { feed, total, topAgents } = await rest(`/feed${query}`, key);
        const fields = 'id ... on TradeEvent { txHash } ... on StatusEvent { isLiked }';
        const graph = await data(world, `{ feed${args} { nodes { ${fields} } totalCount } topAgents { id } }`, { key });
        // REST shortens the hashes for callers without a key, so those of GraphQL are shortened before the comparison.
        const shown = ({ id, txHash, isLiked }: Json) => [id, key ? txHash : txHash?.slice(0, 10), isLiked];
        expect(graph.feed.nodes.map(shown), query).to.deep.equal(feed.map(shown));
        for (const { txHash = null } of graph.feed.nodes) if (txHash) expect(txHash).to.match(/^0x[0-9a-f]{64}$/);
        expect(graph.feed.totalCount).to.equal(total);
        expect(idsOf(graph.topAgents)).to.deep.equal(idsOf(topAgents)).and.have.length(3);
      }
      const { feed, total } = await rest(`/feed?agent=${ada.wallet}`, key);
      const graph = await data(world, '{ agent(agentId: "ada") { feed { nodes { id } totalCount } } }', { key });
      expect(idsOf(graph.agent.feed.nodes)).to.deep.equal(idsOf(feed));
      expect(graph.agent.feed.totalCount).to.equal(total);
    }
  });

  it('figures of the market, which are the sum of its agents', async () => {
    const { agents }: { agents: { volume24h: number; txCount24h: number }[] } = await rest('/agents');
    const figures = 'total { agents trades volume volumeEth holders } day { agents trades volume holders }';
    const { total, day } = (await data(world, `{ marketStats { ${figures} } }`)).marketStats;
    const trades = agents.reduce((sum, { txCount24h }) => sum + txCount24h, 0);
    expect(total).to.include({ agents: 3, trades, holders: 3 });
    const volume = agents.reduce((sum, { volume24h }) => sum + volume24h, 0);
    expect(total.volumeEth).to.be.closeTo(volume, 1e-12);
    expect(day).to.deep.equal({ agents: 3, trades, volume: total.volume, holders: 3 });
  });

  it('ranks of agents', async () => {
    const { leaderboard } = await rest('/leaderboard');
    const graph = await data(world, '{ leaderboard(first: 10) { nodes { rank agent { id } } } }');
    expect(graph.leaderboard.nodes.map(({ rank, agent }: Json) => [rank, agent.id])).to.deep.equal(
      leaderboard.map(({ rank, id }: Json) => [rank, id]),
    );
  });

  it('points, rounded to nine decimals', async () => {
    const inexact = 'volume_points = 31.568640000000002, total_points = 0.1 + 0.2::float8';
    await runSql(world.deps, `update agent_season_points set ${inexact} where agent = $1`, [market.ada.wallet]);
    const expected = { volumePoints: 31.56864, totalPoints: 0.3 };
    const { agent } = await data(world, '{ agent(agentId: "ada") { points { volumePoints totalPoints } } }');
    expect(agent.points).to.deep.equal(expected);
    const { leaderboard } = await rest('/seasons/leaderboard');
    const row = leaderboard.find(({ totalPoints }: Json) => totalPoints === 0.3);
    expect(row.breakdown).to.deep.include(expected);
  });
});
