import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { formatEth } from '../../../../src/values/money.js';
import { freshIp, newAgent, success, type TestAgent } from '../../../support/market/agents.js';
import { type Market, populate } from '../../../support/market/market.js';
import type { Json } from '../../../support/service/graphql.js';
import { checkAmounts, failureOf, mcpClient, revisions, useTool } from '../../../support/service/mcp.js';
import { useWorld } from '../../../support/world.js';

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
      /** An agent that only the tests of this revision use, so that their writes do not repeat those of the other revision. */
      let own: TestAgent;
      let mine: Client;
      before(async () => {
        own = await newAgent(world);
        open = await mcpClient(world, { revision });
        bob = await mcpClient(world, { revision, key: market.bob.key });
        mine = await mcpClient(world, { revision, key: own.key });
        // The client validates results against output schemas only if it has listed them before.
        for (const client of [open, bob, mine]) await client.listTools();
      });
      after(async () => {
        for (const client of [open, bob, mine]) await client.close();
      });

      /** Expects that an answer of MCP has all fields of the REST answer, with the same values. It may have more fields. */
      const same = (actual: Json, expected: Json) => {
        for (const [name, value] of Object.entries<Json>(expected)) {
          if (typeof value === 'object' && value !== null) same(actual[name], value);
          else expect(actual[name], name).to.equal(value);
        }
      };

      it('include every tool that a prompt names', async () => {
        const { prompts } = await open.listPrompts();
        expect(prompts.map(({ name }) => name)).to.deep.equal(['daily_round', 'trade_within_limits']);
        const tools = (await open.listTools()).tools.map(({ name }) => name);
        for (const { name, title, description } of prompts) {
          expect([title, description]).to.not.include(undefined);
          const { messages } = await open.getPrompt({ name });
          const text = messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join();
          const named = [...text.matchAll(/\b[a-z]+_[a-z]+\b|\bheartbeat\b/g)].map(String);
          expect(named).to.have.length.above(0);
          expect(tools).to.include.members(named);
        }
      });

      it('return the ranking of REST with get_trending', async () => {
        const { trending } = await useTool(open, 'get_trending', { limit: 1 });
        const [{ volume, trendScore, ...expected }] = (await rest('/api/trending?limit=1')).trending;
        same(trending[0], expected);
        expect(checkAmounts(trending[0])).to.be.at.least(2);
      });

      it('filter by price in list_agents, and by time and number in get_candles', async () => {
        expect((await useTool(open, 'list_agents', { maxPrice: '0' })).total).to.equal(0);
        const { candles } = await useTool(open, 'get_candles', { agent: 'ada', interval: '1d', limit: 1 });
        expect(candles).to.have.length(1);
        const earlier = { agent: 'ada', interval: '1d', before: candles[0].time };
        expect(await useTool(open, 'get_candles', earlier)).to.deep.equal({ candles: [] });
      });

      it('return events in pages with get_feed, and whole hashes to a caller with a key', async () => {
        const { feed } = await useTool(open, 'get_feed', { type: 'BOUGHT', agent: market.ada.wallet });
        expect(feed.at(-1).txHash).to.match(/…$/);
        const all = await useTool(bob, 'get_feed', { limit: 3 });
        expect(all.feed).to.have.length(3);
        const next = await useTool(bob, 'get_feed', { limit: 1, before: all.feed[1].id });
        expect(next.feed[0]).to.deep.equal(all.feed[2]);
        const withKey = await useTool(bob, 'get_feed', { type: 'BOUGHT', agent: market.ada.wallet });
        expect(withKey.feed.at(-1).txHash).to.equal(market.bought);
      });

      it('return the running season with get_season, and the slippage as text with get_price', async () => {
        const { season, total } = await useTool(open, 'get_season');
        expect({ ...season, total }).to.include({ number: 2, isActive: true, isFrozen: false, total: 2 });
        expect(await failureOf(open, 'get_season', { season: 99 })).to.equal('404 Season not found');
        const price = await useTool(open, 'get_price', { agent: market.ada.wallet, slippagePercent: 1.5 });
        expect(price.slippagePercent).to.equal('1.5');
        expect(checkAmounts(price)).to.equal(7);
      });

      it('return all details to the owner with get_pnl, and the summary to others', async () => {
        const full = await useTool(bob, 'get_pnl');
        same(full, { ...(await rest('/api/agents/me/pnl', market.bob.key)), success: undefined });
        expect(checkAmounts(full)).to.be.at.least(15);
        expect(await useTool(bob, 'get_pnl', { agent: 'bob' })).to.deep.equal(full);
        const summary = await useTool(open, 'get_pnl', { agent: 'bob' });
        expect(Object.keys(summary)).to.have.members(['untrustedContent', 'summary']);
        expect(summary.summary.totalPnlWei).to.equal(full.summary.totalPnlWei);
        expect(await failureOf(open, 'get_pnl')).to.equal('401 Missing API key');
      });

      it('return everything about the agent with heartbeat', async () => {
        const beat = await useTool(mine, 'heartbeat');
        expect(beat.agent).to.include({ walletAddress: own.wallet, status: 'pending_claim' });
        expect(beat).to.include({ nothingToDo: true, totalUnread: 0 });
        expect(beat.season.number).to.equal(2);
        // 20 digits: 100 ETH, less the gas of the registration.
        expect(beat.balance.balanceWei).to.match(/^\d{20}$/);
        checkAmounts(beat);
        expect(Object.keys(beat)).to.include.members(['myStats', 'pnl', 'trending', 'notifications', 'nextCheckAfter']);
      });

      it('return a sendable transaction with quote_trade, and record it with record_trade', async () => {
        const args = { action: 'buy', agent: market.ada.wallet, amount: 1, deadlineSeconds: 600 };
        const quote = await useTool(mine, 'quote_trade', args);
        expect(checkAmounts(quote)).to.equal(5);
        for (const name of ['basePrice', 'protocolFee', 'agentFee', 'totalCost', 'maxCost'])
          expect(quote[name], name).to.be.a('string');
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

      it('write with post, react and follow, and notify the author until a heartbeat has shown it', async () => {
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
        const { notifications, totalUnread } = await useTool(mine, 'heartbeat');
        expect(totalUnread).to.be.at.least(3);
        const types = notifications.map(({ type }: Json) => type);
        expect(types).to.include.members(['POST_LIKED', 'POST_REPOSTED', 'NEW_FOLLOWER']);
        const next = await useTool(mine, 'heartbeat');
        expect([next.totalUnread, next.notifications.every(({ read }: Json) => read)]).to.deep.equal([0, true]);
      });
    });
  }
});
