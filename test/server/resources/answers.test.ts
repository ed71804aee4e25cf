import { expect } from 'chai';
import * as agents from '../../../src/features/agents/resource.js';
import { claimInfo } from '../../../src/features/claims/resource.js';
import * as events from '../../../src/features/feed/resource.js';
import { follow, followView } from '../../../src/features/follows/resource.js';
import { holder, holding, trend } from '../../../src/features/market/resource.js';
import { myStats } from '../../../src/features/me/resource.js';
import { candle, price, quote } from '../../../src/features/prices/resource.js';
import { season, standing } from '../../../src/features/seasons/resource.js';
import { pnl } from '../../../src/features/trading/pnl-resource.js';
import { trade } from '../../../src/features/trading/resource.js';
import * as wallets from '../../../src/features/trading/wallet-resource.js';
import { forGraphql } from '../../../src/server/graphql/format.js';
import type { Resource, View } from '../../../src/server/resources/field.js';
import { freshIp, success } from '../../support/market/agents.js';
import { type Market, populate } from '../../support/market/market.js';
import { data, type Json } from '../../support/service/graphql.js';
import { shared } from '../../support/service/selections.js';
import { useWorld } from '../../support/world.js';

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
  follows: [followView, follow, '/agents/ada/followers', 'followers', 'agent(agentId: "ada") > followers > nodes'],
  trades: [trade, trade, '/agents/bob/trades', 'trades', 'agent(agentId: "bob") > trades(first: 5) > nodes'],
  candles: [candle, candle, '/agents/ada/candles?interval=1d', 'candles', 'candles(agent: "ada", interval: DAY)'],
  trends: [trend, trend, '/trending', 'trending', 'trending > nodes'],
  seasons: [season, season, '/seasons', 'seasons', 'seasons > nodes'],
  standings: [standing, standing, '/seasons/leaderboard', 'leaderboard', 'seasonLeaderboard > nodes'],
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
  'a price': [
    price,
    price,
    '/price?agent=ADA&amount=3&slippage=2.5',
    '',
    'price(agent: "ADA", amount: 3, slippage: 2.5)',
  ],
  'a quote': [quote, quote, '/tickets/quote?action=buy&agent=ADA&amount=1&walletAddress=BOB', '', `quote(${quoted})`],
};

/** The query that selects fields at the end of a path, and the path within its answer. */
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

describe('the same resource over REST and GraphQL', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let market: Market;

  before(async () => {
    market = await populate(world);
  });

  for (const [name, [view, resource, path, at, fields]] of Object.entries(cases)) {
    it(name, async () => {
      const { ada, bob, eve } = market;
      const filled = (text: string) =>
        text.replaceAll('ADA', ada.wallet).replaceAll('BOB', bob.wallet).replaceAll('CODE', eve.code);
      const options = { key: bob.key, headers: freshIp() };
      const asked = success(await world.ask('GET', `/api${filled(path)}`, options));
      // Texts name the operations of their face.
      const fromRest = valueAt(JSON.parse(forGraphql(JSON.stringify(asked))), at);
      const [query, found] = queryOf(filled(fields), shared(view as View, resource));
      const fromGraphql = valueAt(await data(world, `{ ${query} }`, { key: bob.key }), found);
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
