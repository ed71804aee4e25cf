import { expect } from 'chai';
import * as agents from '../../../src/features/agents/resource.js';
import { claimInfo } from '../../../src/features/claims/resource.js';
import * as events from '../../../src/features/feed/resource.js';
import { follow, followView } from '../../../src/features/follows/resource.js';
import * as holdings from '../../../src/features/market/resource.js';
import * as trends from '../../../src/features/market/resource.js';
import { myStats } from '../../../src/features/me/resource.js';
import * as candles from '../../../src/features/prices/resource.js';
import * as prices from '../../../src/features/prices/resource.js';
import * as seasons from '../../../src/features/seasons/resource.js';
import * as pnl from '../../../src/features/trading/pnl-resource.js';
import * as trades from '../../../src/features/trading/resource.js';
import * as wallets from '../../../src/features/trading/wallet-resource.js';
import { forGraphql } from '../../../src/server/graphql/format.js';
import type { Resource, View } from '../../../src/server/resources/field.js';
import { freshIp, success } from '../../support/market/agents.js';
import { type Market, populate } from '../../support/market/market.js';
import { data, type Json } from '../../support/service/graphql.js';
import { shared } from '../../support/service/selections.js';
import { useWorld } from '../../support/world.js';

type Case = {
  readonly view: object;
  readonly resource: Resource;
  /** The path of a REST endpoint, and the path to the object or list in its answer. */
  readonly rest: readonly [path: string, at: string];
  /** A query with `FIELDS` in place of the selection, and the path to the object or list in its answer. */
  readonly graphql: readonly [query: string, at: string];
};

const at = (answer: Json, path: string): Json => path.split('.').reduce((value, name) => value[name], answer);
const only = (value: Json, names: readonly string[]): Json =>
  Array.isArray(value)
    ? value.map((one) => only(one, names))
    : Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));

describe('the same resource over REST and GraphQL', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let market: Market;

  before(async () => {
    market = await populate(world);
  });

  const cases: Readonly<Record<string, (market: Market) => Case>> = {
    'agents of a list': () => ({
      view: agents.agentCard,
      resource: agents.agent,
      rest: ['/api/agents', 'agents'],
      graphql: ['{ agents { nodes { FIELDS } } }', 'agents.nodes'],
    }),
    'an agent': () => ({
      view: agents.agentProfile,
      resource: agents.agent,
      rest: ['/api/agents/ada', 'agent'],
      graphql: ['{ agent(agentId: "ada") { FIELDS } }', 'agent'],
    }),
    holders: () => ({
      view: holdings.holder,
      resource: holdings.holder,
      rest: ['/api/agents/ada', 'agent.holders'],
      graphql: ['{ agent(agentId: "ada") { holders { nodes { FIELDS } } } }', 'agent.holders.nodes'],
    }),
    holdings: () => ({
      view: holdings.holding,
      resource: holdings.holding,
      rest: ['/api/agents/bob/holdings', 'holdings'],
      graphql: ['{ agent(agentId: "bob") { holdings { nodes { FIELDS } } } }', 'agent.holdings.nodes'],
    }),
    follows: () => ({
      view: followView,
      resource: follow,
      rest: ['/api/agents/ada/followers', 'followers'],
      graphql: ['{ agent(agentId: "ada") { followers { nodes { FIELDS } } } }', 'agent.followers.nodes'],
    }),
    trades: () => ({
      view: trades.trade,
      resource: trades.trade,
      rest: ['/api/agents/bob/trades', 'trades'],
      graphql: ['{ agent(agentId: "bob") { trades(first: 5) { nodes { FIELDS } } } }', 'agent.trades.nodes'],
    }),
    candles: () => ({
      view: candles.candle,
      resource: candles.candle,
      rest: ['/api/agents/ada/candles?interval=1d', 'candles'],
      graphql: ['{ candles(agent: "ada", interval: DAY) { FIELDS } }', 'candles'],
    }),
    trends: () => ({
      view: trends.trend,
      resource: trends.trend,
      rest: ['/api/trending', 'trending'],
      graphql: ['{ trending { nodes { FIELDS } } }', 'trending.nodes'],
    }),
    seasons: () => ({
      view: seasons.season,
      resource: seasons.season,
      rest: ['/api/seasons', 'seasons'],
      graphql: ['{ seasons { nodes { FIELDS } } }', 'seasons.nodes'],
    }),
    'the leaderboard of a season': () => ({
      view: seasons.standing,
      resource: seasons.standing,
      rest: ['/api/seasons/leaderboard', 'leaderboard'],
      graphql: ['{ seasonLeaderboard { nodes { FIELDS } } }', 'seasonLeaderboard.nodes'],
    }),
    'profit and loss': () => ({
      view: pnl.pnl,
      resource: pnl.pnl,
      rest: ['/api/agents/me/pnl', ''],
      graphql: ['{ me { pnl { FIELDS } } }', 'me.pnl'],
    }),
    'counts of the agent of the key': () => ({
      view: myStats,
      resource: myStats,
      rest: ['/api/agents/me', 'myStats'],
      graphql: ['{ me { stats { FIELDS } } }', 'me.stats'],
    }),
    'the ether of a wallet': () => ({
      view: wallets.etherBalance,
      resource: wallets.etherBalance,
      rest: ['/api/agents/me/balance', ''],
      graphql: ['{ me { balance { FIELDS } } }', 'me.balance'],
    }),
    'a wallet': () => ({
      view: wallets.walletBalanceView,
      resource: wallets.walletBalance,
      rest: ['/api/agent-wallet/balance?agentId=bob', ''],
      graphql: ['{ agentWallet(agentId: "bob") { balance { FIELDS } } }', 'agentWallet.balance'],
    }),
    'a verification code': ({ eve }) => ({
      view: claimInfo,
      resource: claimInfo,
      rest: [`/api/agents/claim-info?code=${eve.code}`, 'claim'],
      graphql: [`{ claimInfo(code: "${eve.code}") { FIELDS } }`, 'claimInfo'],
    }),
    'a post': () => ({
      view: events.postView,
      resource: { ...events.statusEvent, fields: events.eventTable },
      rest: ['/api/feed?type=STATUS', 'feed'],
      graphql: ['{ feed(type: STATUS) { nodes { ... on StatusEvent { FIELDS } } } }', 'feed.nodes'],
    }),
    'a price': ({ ada }) => ({
      view: prices.price,
      resource: prices.price,
      rest: [`/api/price?agent=${ada.wallet}&amount=3&slippage=2.5`, ''],
      graphql: [`{ price(agent: "${ada.wallet}", amount: 3, slippage: 2.5) { FIELDS } }`, 'price'],
    }),
    'a quote': ({ ada, bob }) => ({
      view: prices.quote,
      resource: prices.quote,
      rest: [`/api/tickets/quote?action=buy&agent=${ada.wallet}&amount=1&walletAddress=${bob.wallet}`, ''],
      graphql: [
        `{ quote(action: BUY, agent: "${ada.wallet}", amount: 1, walletAddress: "${bob.wallet}") { FIELDS } }`,
        'quote',
      ],
    }),
  };

  for (const [name, caseOf] of Object.entries(cases)) {
    it(name, async () => {
      const { view, resource, rest, graphql } = caseOf(market);
      const { key } = market.bob;
      const asked = success(await world.ask('GET', rest[0], { key, headers: freshIp() }));
      // Texts name the operations of their face.
      const answer = JSON.parse(forGraphql(JSON.stringify(asked)));
      const found = await data(world, graphql[0].replace('FIELDS', shared(view as View, resource)), { key });
      const fromGraphql = at(found, graphql[1]);
      const fromRest = rest[1] === '' ? answer : at(answer, rest[1]);
      const names = Object.keys(Array.isArray(fromGraphql) ? fromGraphql[0] : fromGraphql);
      // Names of enum values differ between the faces, and REST leaves out what is null in GraphQL.
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
});
