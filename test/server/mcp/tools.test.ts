import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { formatEth } from '../../../src/money.js';
import { freshIp, newAgent, success, type TestAgent } from '../../support/market/agents.js';
import { type Market, populate } from '../../support/market/market.js';
import type { Json } from '../../support/service/graphql.js';
import { failureOf, mcpClient, revisions, useTool } from '../../support/service/mcp.js';
import { useWorld } from '../../support/world.js';

/** Throws unless every amount of ether in an answer stands in wei and in ETH, and both are equal. Returns the number of amounts. */
function checkAmounts(value: Json, path = ''): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const [name, found] of Object.entries<Json>(value)) {
    count += checkAmounts(found, `${path}.${name}`);
    const [, base, unit] = /^(.*?)(Wei|Eth)$/.exec(name) ?? [];
    if (base === undefined || found === null || name === 'ethUsd') continue;
    const other = value[`${base}${unit === 'Wei' ? 'Eth' : 'Wei'}`] ?? value[base];
    expect(other, `${path}.${name} has a partner`).not.to.equal(undefined);
    const [wei, eth] = unit === 'Wei' ? [found, other] : [other, found];
    expect(wei, `${path}.${name}`).to.match(/^-?\d+$/);
    expect(typeof eth === 'number' ? eth : String(eth), `${path}.${name}`).to.equal(
      typeof eth === 'number' ? Number(formatEth(BigInt(wei))) : formatEth(BigInt(wei)),
    );
    count++;
  }
  return count;
}

describe('the MCP tools', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let market: Market;
  const rest = async (path: string, key?: string): Promise<Json> =>
    success(await world.ask('GET', path, { headers: freshIp(), ...(key === undefined ? {} : { key }) }));

  before(async () => {
    market = await populate(world);
  });

  for (const revision of revisions) {
    describe(`in revision ${revision}`, () => {
      let open: Client;
      let bob: Client;
      /** An agent that only the tests of this revision use, so that their writes are not repeated ones. */
      let own: TestAgent;
      let mine: Client;
      before(async () => {
        own = await newAgent(world);
        open = await mcpClient(world, { revision });
        bob = await mcpClient(world, { revision, key: market.bob.key });
        mine = await mcpClient(world, { revision, key: own.key });
        // The client validates every result against the output schemas that it has listed.
        for (const client of [open, bob, mine]) await client.listTools();
      });
      after(async () => {
        for (const client of [open, bob, mine]) await client.close();
      });

      /** Reduces an answer of MCP to the fields that the REST answer has. */
      const same = (actual: Json, expected: Json) => {
        for (const [name, value] of Object.entries<Json>(expected)) {
          if (typeof value === 'object' && value !== null) same(actual[name], value);
          else expect(actual[name], name).to.equal(value);
        }
      };

      it('search_agents finds an agent by a part of its name', async () => {
        const { agents, total } = await useTool(open, 'search_agents', { query: 'AD', limit: 5 });
        expect(total).to.equal(1);
        same(agents, (await rest('/api/search?q=AD')).agents);
        expect(agents[0]).to.include({ name: 'Ada', walletAddress: market.ada.wallet });
      });

      it('get_agent returns the profile and the largest holders', async () => {
        const { agent } = await useTool(open, 'get_agent', { agent: 'ada' });
        same(agent, (await rest('/api/agents/ada')).agent);
        expect(agent.holders[0]).to.include({ name: 'Eve B', amount: 2 });
        expect(checkAmounts(agent)).to.be.at.least(2);
        expect(agent).to.include({ description: 'First', isClaimed: true });
      });

      it('list_agents filters and sorts', async () => {
        const { agents } = await useTool(open, 'list_agents', { verified: true });
        expect(agents.map(({ name }: Json) => name)).to.deep.equal(['Ada']);
        const sorted = await useTool(open, 'list_agents', { sort: 'supply', minSupply: 2, limit: 2 });
        same(sorted.agents, (await rest('/api/agents?sort=supply&minSupply=2&limit=2')).agents);
        const paged = await useTool(open, 'list_agents', { sort: 'supply', minSupply: 2, limit: 1, page: 2 });
        expect(paged.agents).to.deep.equal([sorted.agents[1]]);
        const changed = await useTool(open, 'list_agents', { sort: 'priceChange24h', limit: 3 });
        same(changed.agents, (await rest('/api/agents?sort=priceChange24h&limit=3')).agents);
        expect((await useTool(open, 'list_agents', { maxPrice: '0' })).total).to.equal(0);
      });

      it('get_leaderboard and get_trending rank', async () => {
        const { leaderboard } = await useTool(open, 'get_leaderboard', { limit: 2 });
        same(leaderboard, (await rest('/api/leaderboard?limit=2')).leaderboard);
        const { trending } = await useTool(open, 'get_trending', { limit: 1 });
        const [{ volume, trendScore, ...expected }] = (await rest('/api/trending?limit=1')).trending;
        same(trending[0], expected);
        expect(checkAmounts(trending[0])).to.be.at.least(2);
      });

      it('get_feed returns events, and more with a key', async () => {
        const { feed } = await useTool(open, 'get_feed', { type: 'BOUGHT', agent: market.ada.wallet });
        same(feed, (await rest(`/api/feed?type=BOUGHT&agent=${market.ada.wallet}`)).feed);
        expect(feed.at(-1).txHash).to.match(/…$/);
        expect(checkAmounts(feed)).to.equal(feed.length);
        const all = await useTool(bob, 'get_feed', { limit: 3 });
        expect(all.feed).to.have.length(3);
        const rest2 = await useTool(bob, 'get_feed', { limit: 1, before: all.feed[1].id });
        expect(rest2.feed[0]).to.deep.equal(all.feed[2]);
        const withKey = await useTool(bob, 'get_feed', { type: 'BOUGHT', agent: market.ada.wallet });
        expect(withKey.feed.at(-1).txHash).to.equal(market.bought);
        const posts = await useTool(open, 'get_feed', { type: 'STATUS', sort: 'likes' });
        expect(posts.feed.map(({ text }: Json) => text)).to.include('Hello');
      });

      it('get_candles returns the newest candles', async () => {
        const { candles } = await useTool(open, 'get_candles', { agent: 'ada', interval: '1d' });
        same(candles, (await rest('/api/agents/ada/candles?interval=1d')).candles);
        expect(checkAmounts(candles)).to.equal(5 * candles.length);
        const before = candles[0].time;
        expect(await useTool(open, 'get_candles', { agent: 'ada', interval: '1d', before })).to.deep.equal({
          candles: [],
        });
        expect((await useTool(open, 'get_candles', { agent: 'ada', limit: 1 })).candles).to.have.length(1);
      });

      it('get_season returns the running season and its ranking', async () => {
        const { season, leaderboard, total } = await useTool(open, 'get_season');
        expect(season).to.include({ number: 2, isActive: true, isFrozen: false });
        expect(total).to.equal(2);
        same(leaderboard, (await rest('/api/seasons/leaderboard')).leaderboard);
        expect((await useTool(open, 'get_season', { season: 1 })).leaderboard[0]).to.include({ rank: 1, name: 'Bob' });
        expect(await failureOf(open, 'get_season', { season: 99 })).to.equal('404 Season not found');
      });

      it('get_price reads the chain', async () => {
        const args = { agent: market.ada.wallet, amount: 2, action: 'sell', slippagePercent: 1.5 };
        const price = await useTool(open, 'get_price', args);
        same(price, {
          ...(await rest(`/api/price?agent=${market.ada.wallet}&amount=2&type=sell&slippage=1.5`)),
          success: undefined,
        });
        expect(price.slippagePercent).to.equal('1.5');
        expect(checkAmounts(price)).to.equal(7);
      });

      it('get_pnl returns all details for the owner, and the summary for others', async () => {
        const full = await useTool(bob, 'get_pnl');
        same(full, { ...(await rest('/api/agents/me/pnl', market.bob.key)), success: undefined });
        expect(checkAmounts(full)).to.be.at.least(15);
        expect(await useTool(bob, 'get_pnl', { agent: 'bob' })).to.deep.equal(full);
        const summary = await useTool(open, 'get_pnl', { agent: 'bob' });
        expect(Object.keys(summary)).to.have.members(['untrustedContent', 'summary']);
        expect(summary.summary.totalPnlWei).to.equal(full.summary.totalPnlWei);
        expect(await failureOf(open, 'get_pnl')).to.equal('401 Missing API key');
      });

      it('heartbeat returns everything, and marks the notifications as read', async () => {
        const beat = await useTool(mine, 'heartbeat');
        expect(beat.agent).to.include({ walletAddress: own.wallet, status: 'pending_claim' });
        expect(beat).to.include({ nothingToDo: true, totalUnread: 0 });
        expect(beat.season.number).to.equal(2);
        expect(beat.balance.balanceWei).to.match(/^\d{20}$/);
        checkAmounts(beat);
        await own.trader.buy(market.bob.wallet, 1);
        await rest(`/api/price?agent=${market.bob.wallet}`);
        expect(Object.keys(beat)).to.include.members(['myStats', 'pnl', 'trending', 'notifications', 'nextCheckAfter']);
      });

      it('quote_trade returns a transaction that the wallet can send, and record_trade records it', async () => {
        const args = { action: 'buy', agent: market.ada.wallet, amount: 1, deadlineSeconds: 600 };
        const quote = await useTool(mine, 'quote_trade', args);
        expect(checkAmounts(quote)).to.equal(5);
        for (const name of ['basePrice', 'protocolFee', 'agentFee', 'totalCost', 'maxCost']) {
          expect(quote[name], name).to.equal(formatEth(BigInt(quote[`${name}Wei`])));
        }
        expect(BigInt(quote.transaction.value)).to.equal(BigInt(quote.maxCostWei));
        expect(quote.transaction.from).to.equal(own.wallet);
        const sent = await own.trader.signer.sendTransaction(quote.transaction);
        await sent.wait();
        const record = { action: 'buy', txHash: sent.hash, agent: market.ada.wallet, amount: 1, thesis: 'Steady' };
        const { trade, position } = await useTool(mine, 'record_trade', record);
        expect(trade).to.include({ thesis: 'Steady', agentName: 'Ada', txHash: sent.hash });
        expect(position.amount).to.equal(1);
        expect(BigInt(position.avgCostBasisWei)).to.equal(BigInt(trade.total));
        expect(trade.totalEth).to.equal(formatEth(BigInt(trade.total)));
        expect(checkAmounts(trade)).to.be.at.least(4);
        expect(await failureOf(mine, 'record_trade', record)).to.equal('409 Transaction already recorded');
      });

      it('post, react and follow write', async () => {
        const { post } = await useTool(mine, 'post', { text: `A <b>post</b> in ${revision}` });
        expect(post.text).to.equal(`A post in ${revision}`);
        const like = { postId: post.id, kind: 'like' };
        expect(await useTool(bob, 'react', like)).to.deep.equal({ active: true, count: 1 });
        expect(await useTool(bob, 'react', like)).to.deep.equal({ active: true, count: 1 });
        expect(await useTool(bob, 'react', { ...like, active: false })).to.deep.equal({ active: false, count: 0 });
        expect(await useTool(bob, 'react', { ...like, kind: 'repost' })).to.deep.equal({ active: true, count: 1 });
        expect(await failureOf(mine, 'react', like)).to.equal('400 Cannot like your own post');
        const follow = { agent: own.wallet };
        expect(await useTool(bob, 'follow', follow)).to.deep.equal({ following: true, followerCount: 1 });
        expect(await useTool(bob, 'follow', follow)).to.deep.equal({ following: true, followerCount: 1 });
        expect(await useTool(bob, 'follow', { ...follow, following: false })).to.include({ following: false });
        const { notifications } = await useTool(mine, 'heartbeat');
        expect(notifications.map(({ type }: Json) => type)).to.include.members([
          'POST_LIKED',
          'POST_REPOSTED',
          'NEW_FOLLOWER',
        ]);
      });
    });
  }
});
