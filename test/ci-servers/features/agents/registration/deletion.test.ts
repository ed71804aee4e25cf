import { expect } from 'chai';
import type { Traded } from '../../../../../src/chain/logs/facts.js';
import type { AppliedTrade } from '../../../../../src/index/book.js';
import { announceFacts } from '../../../../../src/index/fact-news.js';
import { liveBounds, liveEvents } from '../../../../../src/live/log.js';
import { indexAll } from '../../../../support/chain/indexed.js';
import {
  askAs,
  claim,
  follow,
  newAgent,
  refusal,
  success,
  type TestAgent,
  tradeOnChain,
  writePost,
} from '../../../../support/market/agents.js';
import { sendRegistration, signRegistration } from '../../../../support/market/registrations.js';
import { randomTxHash } from '../../../../support/market/rows.js';
import type { Json } from '../../../../support/service/graphql.js';
import { runSql, untilLocked } from '../../../../support/store.js';
import { useWorld } from '../../../../support/world.js';

describe('DELETE /api/agents/{address}', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const remove = ({ key }: { key: string }, { wallet }: { wallet: string }) =>
    world.ask('DELETE', `/api/agents/${wallet}`, { key });
  const get = async (path: string, key?: string): Promise<Json> => (await world.ask('GET', `/api/${path}`, { key })).body;
  const detail = async ({ wallet }: TestAgent) => (await get(`agents/${wallet}`)).agent;
  const pair = async () => [await newAgent(world), await newAgent(world)] as const;

  it("deletes the agent's posts, follows and reactions, and keeps the counts of others correct", async () => {
    const [gone, friend, third] = [...(await pair()), await newAgent(world)] as const;
    await follow(world, gone, friend);
    await follow(world, third, gone);
    await follow(world, third, friend);
    const theirs = await writePost(world, friend, 'Hello');
    const its = await writePost(world, gone, 'Bye');
    for (const agent of [gone, third]) {
      await askAs(world, agent, 'POST', `/api/feed/${theirs}/like`);
      await askAs(world, agent, 'POST', `/api/feed/${theirs}/repost`);
    }
    // The second repost removes the first. The deletion must not subtract it again.
    await askAs(world, gone, 'POST', `/api/feed/${theirs}/repost`);
    await askAs(world, third, 'POST', `/api/feed/${its}/like`);
    const refer = 'update agent set referred_by = $1, referred_at = $2 where wallet = $3';
    await runSql(world.deps, refer, [gone.wallet, world.clock.now(), third.wallet]);

    const deleted = success(await remove(gone, gone));
    expect(deleted).to.deep.equal({ success: true, deleted: true, walletAddress: gone.wallet });
    expect(await detail(friend)).to.include({ followerCount: 1, followingCount: 0 });
    expect(await detail(third)).to.include({ followerCount: 0, followingCount: 1, referredBy: null });
    const [post, ...others] = (await get('feed?type=POST')).feed;
    expect(others).to.deep.equal([]);
    expect(post).to.include({ id: theirs, likeCount: 1, repostCount: 1 });
  });

  it('lets the wallet register again with a new API key and its old code', async () => {
    for (const claimed of [false, true]) {
      const agent = await newAgent(world);
      if (claimed) await claim(world, agent);
      await remove(agent, agent);
      const body = { name: agent.name, walletAddress: agent.wallet };
      const answers = await Promise.all([1, 2].map(() => sendRegistration(world, body)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
      const again = answers.find(({ status }) => status === 201);
      expect(again?.body.apiKey).not.to.equal(agent.key);
      expect(again?.body.verificationCode).to.equal(agent.code);
    }
  });

  it('releases the code of an unclaimed agent after 30 days, but never that of a claimed agent', async () => {
    const freeFrom = async (code: string) => {
      const select = 'select free_from as at from issued_code where code = $1';
      return (await world.deps.sql<{ at: Date | null }>(select, [code]))[0]?.at;
    };
    const [pending, claimed, dropped] = [...(await pair()), await newAgent(world)] as const;
    await claim(world, claimed);
    await claim(world, dropped);
    success(await world.ask('DELETE', '/api/agents/me/claim', { key: dropped.key }));
    const later = new Date(world.clock.now().getTime() + 30 * 86_400_000);
    for (const agent of [pending, claimed, dropped]) {
      expect(await freeFrom(agent.code)).to.equal(null);
      expect((await remove(agent, agent)).status).to.equal(200);
      expect(await freeFrom(agent.code)).to.deep.equal(agent === claimed ? null : later);
    }
    success(await sendRegistration(world, { name: pending.name, walletAddress: pending.wallet }));
    expect(await freeFrom(pending.code)).to.equal(null);
  });

  it("keeps chain facts for a new registration, but deletes the agent's theses", async () => {
    const [agent, other] = await pair();
    const record = async (side: string, body: object, key: string) =>
      (await world.ask('POST', `/api/tickets/${side}`, { key, body: { ...body, thesis: 'Why not' } })).status;
    const bought = await tradeOnChain(agent, 'buy', other, 2);
    expect(await record('buy', await tradeOnChain(other, 'buy', agent, 3), other.key)).to.equal(201);
    expect(await record('buy', bought, agent.key)).to.equal(201);
    expect(await record('sell', await tradeOnChain(agent, 'sell', other, 1), agent.key)).to.equal(201);
    const history = async (key: string) => {
      // The PnL of an owner is cached for ten seconds, so the clock passes this time.
      world.clock.advance(10_000);
      const { trades, ...made } = await get(`agents/${agent.wallet}/trades`, key);
      return {
        ...made,
        trades: trades.map((trade: Json) => ({ ...trade, thesis: null })),
        theses: trades.map(({ thesis }: Json) => thesis),
        received: await get(`agents/${agent.wallet}/trades?side=received`, key),
        holdings: await get(`agents/${agent.wallet}/holdings`, key),
        candles: await get(`agents/${agent.wallet}/candles`, key),
        pnl: await get('agents/me/pnl', key),
      };
    };
    const before = await history(agent.key);
    expect(before.theses).to.deep.equal(['Why not', 'Why not']);
    await remove(agent, agent);
    const again = success(await sendRegistration(world, { name: agent.name, walletAddress: agent.wallet }));
    const after = await history(String(again.apiKey));
    expect(after).to.deep.equal({ ...before, theses: [null, null] });
    expect(await record('buy', bought, String(again.apiKey))).to.equal(201);
    expect((await history(String(again.apiKey))).theses).to.deep.equal([null, 'Why not']);
  });

  describe('with notifications that name the agent', () => {
    /** The notifications of the agent, each as JSON text. */
    const told = async ({ key }: TestAgent): Promise<string[]> =>
      (await get('notifications', key)).notifications.map((notification: Json) => JSON.stringify(notification));
    /** Lets `one` cause a notification of every kind for `other`. */
    const act = async (one: TestAgent, other: TestAgent) => {
      await follow(world, one, other);
      const id = await writePost(world, other, `Post for ${one.name}`);
      await askAs(world, one, 'POST', `/api/feed/${id}/like`);
      await askAs(world, one, 'POST', `/api/feed/${id}/repost`);
      await one.trader.buy(other.wallet, 2);
      await one.trader.sell(other.wallet, 1);
      await indexAll(world.deps);
    };
    const removedSince = async (last: number) =>
      (await liveEvents(world.deps, last, 100))
        .filter(({ topic, removed }) => topic === 'notification' && removed)
        .map(({ subject, agent }) => `${subject} ${agent}`);

    it('deletes them and announces their removal', async () => {
      const [gone, friend, third] = [...(await pair()), await newAgent(world)] as const;
      await act(gone, friend);
      await act(third, friend);
      const before = await told(friend);
      // A follow, a like, a repost, a purchase and a sale.
      expect(before.filter((text) => text.includes(gone.name))).to.have.length(5);
      const ids = await world.deps.sql<{ id: number }>('select id from notification where actor = $1', [gone.wallet]);
      expect(ids).to.have.length(5);
      const { last } = await liveBounds(world.deps);
      expect((await remove(gone, gone)).status).to.equal(200);
      const after = await told(friend);
      expect(after).to.have.length(5);
      expect(after.filter((text) => text.includes(gone.name) || text.includes(gone.wallet))).to.deep.equal([]);
      expect((await removedSince(last)).sort()).to.deep.equal(ids.map(({ id }) => `${id} ${friend.wallet}`).sort());
    });

    it('deletes them too when a signed registration replaces the agent', async () => {
      const [stranger, friend] = await pair();
      await act(stranger, friend);
      const { signer, wallet } = stranger.trader;
      const { last } = await liveBounds(world.deps);
      const signed = await signRegistration(world, signer, wallet);
      success(await sendRegistration(world, { name: stranger.name, walletAddress: wallet, ...signed }));
      expect(await told(friend)).to.deep.equal([]);
      expect(await removedSince(last)).to.have.length(5);
    });

    it('leaves no notification if it runs while a trade of the agent is indexed', async () => {
      const [gone, friend] = await pair();
      const trade: Traded = {
        kind: 'bought',
        trader: gone.wallet,
        agent: friend.wallet,
        amount: 1,
        supply: 2,
        ordinal: 0,
        logIndex: 0,
        price: 1n,
        protocolFee: 0n,
        agentFee: 0n,
        blockNumber: 1,
        txHash: randomTxHash(),
        time: world.clock.now(),
        blockHash: randomTxHash(),
      };
      const applied = [{ trade, outcome: { type: 'AGENT_BUY' } as AppliedTrade['outcome'] }];
      let removal: Promise<{ status: number }> | undefined;
      await world.deps.write(async (tx) => {
        const news = { facts: [trade], trades: applied, headTime: trade.time, isReread: false };
        // The deletion waits for the end of this transaction, so that it also deletes the notification that the transaction has
        // written.
        await announceFacts(tx, news, world.clock.now());
        removal = remove(gone, gone);
        await untilLocked(world.deps);
      });
      expect((await removal)?.status).to.equal(200);
      expect(await told(friend)).to.deep.equal([]);
    });
  });

  it('requires the key of the agent', async () => {
    const [agent, other] = await pair();
    expect(refusal(await remove(other, agent))).to.equal('403 Not authorized');
    expect(refusal(await remove(other, { wallet: `0x${'1'.repeat(40)}` }))).to.equal('404 Agent not found');
    expect(refusal(await remove(agent, { wallet: agent.agentId }))).to.equal('400 Invalid address format');
    expect((await detail(agent)).id).to.equal(agent.wallet);
  });

  it('succeeds once in two concurrent requests', async () => {
    const agent = await newAgent(world);
    const both = await Promise.all([remove(agent, agent), remove(agent, agent)]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 401]);
  });

  it('avoids deadlocks with concurrent follows, likes and deletions', async () => {
    const [one, two] = await pair();
    const posts = [await writePost(world, one, 'one'), await writePost(world, two, 'two')];
    await follow(world, one, two);
    const answers = await Promise.all([
      remove(one, one),
      remove(two, two),
      world.ask('POST', `/api/feed/${posts[1]}/like`, { key: one.key }),
      world.ask('POST', `/api/feed/${posts[0]}/like`, { key: two.key }),
      world.ask('POST', '/api/agents/follow', { key: two.key, body: { targetAddress: one.wallet } }),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).to.deep.equal([]);
    expect(answers.slice(0, 2).map(({ status }) => status)).to.deep.equal([200, 200]);
  });
});
