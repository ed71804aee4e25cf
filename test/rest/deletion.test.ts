import { expect } from 'chai';
import { freshIp, newAgent, success, type TestAgent } from '../support/agents.js';
import { addTrade } from '../support/rows.js';
import { useWorld } from '../support/world.js';

describe('DELETE /api/agents/{address}', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const remove = (key: string | undefined, address: string) => world.ask('DELETE', `/api/agents/${address}`, { key });
  const ok = async (key: string, path: string, body?: unknown) => {
    const { status, body: answer } = await world.ask('POST', path, { key, body });
    expect(status, JSON.stringify(answer)).to.be.below(300);
    return answer;
  };
  const publish = async (agent: TestAgent, text: string) => {
    const { post } = await ok(agent.key, '/api/feed', { text });
    return (post as { id: string }).id;
  };
  const follow = (agent: TestAgent, target: TestAgent) =>
    ok(agent.key, '/api/agents/follow', { targetAddress: target.wallet, following: true });
  const detail = async (agent: TestAgent) =>
    (await world.ask('GET', `/api/agents/${agent.wallet}`, { headers: freshIp() })).body.agent as Record<
      string,
      unknown
    >;
  const feed = async (query: string) =>
    (await world.ask('GET', `/api/feed${query}`, { headers: freshIp() })).body.feed as Record<string, unknown>[];

  it('removes the agent, in any case of its address', async () => {
    const agent = await newAgent(world);
    const { status, body } = await remove(agent.key, `0x${agent.wallet.slice(2).toUpperCase()}`);
    expect([status, body]).to.deep.equal([200, { success: true, deleted: true, walletAddress: agent.wallet }]);
    expect((await world.ask('GET', `/api/agents/${agent.wallet}`, { headers: freshIp() })).status).to.equal(404);
    const again = await world.ask('GET', '/api/agents/me', { key: agent.key, headers: freshIp() });
    expect([again.status, again.body.error]).to.deep.equal([401, 'Invalid API key']);
  });

  it("takes its records along and leaves the chain's and the others' right", async () => {
    const [gone, friend, third] = [await newAgent(world), await newAgent(world), await newAgent(world)];
    await follow(gone, friend);
    await follow(third, gone);
    await follow(third, friend);
    const theirs = await publish(friend, 'Hello');
    const its = await publish(gone, 'Bye');
    for (const agent of [gone, third]) {
      await ok(agent.key, `/api/feed/${theirs}/like`);
      await ok(agent.key, `/api/feed/${theirs}/repost`);
    }
    // Taken back before: counted no more, so not taken back again.
    await ok(gone.key, `/api/feed/${theirs}/repost`);
    await ok(third.key, `/api/feed/${its}/like`);
    const trade = await addTrade(world, { trader: gone.wallet, agent: friend.wallet });
    await world.deps.sql('insert into trade_claim values ($1, 0, $2, $3, now())', [trade.txHash, gone.wallet, 'Why']);
    await world.deps.sql(
      "insert into season values (1, now() - interval '1 day', now(), now()), (2, now(), now() + interval '1 day', null)",
    );
    for (const [i, agent] of [gone, friend].entries()) {
      await world.deps.sql(
        'insert into agent_season_points (season, agent, rank, computed_at) values (1, $1, $2, now())',
        [agent.wallet, i + 1],
      );
    }
    await world.deps.sql('update season set frozen_at = now() where number = 1');
    await world.deps.sql('update agent set referred_by = $1, referred_at = now() where wallet = $2', [
      gone.wallet,
      third.wallet,
    ]);

    expect((await remove(gone.key, gone.wallet)).status).to.equal(200);

    expect(await detail(friend)).to.include({ followerCount: 1, followingCount: 0 });
    expect(await detail(third)).to.include({ followerCount: 0, followingCount: 1, referredBy: null });
    const [post, ...others] = await feed('?type=POST');
    expect(others).to.deep.equal([]);
    expect(post).to.include({ id: theirs, likeCount: 1, repostCount: 1 });
    for (const table of [
      'notification n where n.recipient',
      'reaction r where r.actor',
      'trade_claim c where c.claimant',
    ]) {
      expect(await world.deps.sql(`select 1 from ${table} = $1`, [gone.wallet]), table).to.deep.equal([]);
    }
    expect(await feed('?type=BOUGHT')).to.have.length(1);
    expect((await feed('?type=BOUGHT'))[0]).to.include({ buyerAddress: gone.wallet, buyerName: null, thesis: null });
    const { body } = await world.ask('GET', '/api/seasons/leaderboard?season=1', { headers: freshIp() });
    expect((body.leaderboard as { rank: number; name: string }[]).map(({ rank, name }) => [rank, name])).to.deep.equal([
      [2, friend.name],
    ]);
  });

  it('lets the wallet register again, with a new key and code', async () => {
    const agent = await newAgent(world);
    await remove(agent.key, agent.wallet);
    const body = { name: agent.name, walletAddress: agent.wallet };
    const again = await world.ask('POST', '/api/agents', { body, headers: freshIp() });
    expect(again.status).to.equal(201);
    expect(again.body.apiKey).not.to.equal(agent.key);
    expect(again.body.verificationCode).not.to.equal(agent.code);
  });

  it('leaves what the chain has of the wallet: a new registration finds it all, without what it had said itself', async () => {
    const [agent, other] = [await newAgent(world), await newAgent(world)];
    const trades = [
      ['buy', await other.trader.buy(agent.wallet, 3), agent, 3, other],
      ['buy', await agent.trader.buy(other.wallet, 2), other, 2, agent],
      ['sell', await agent.trader.sell(other.wallet, 1), other, 1, agent],
    ] as const;
    const record = async ([side, { hash }, of, amount]: (typeof trades)[number], key: string) => {
      const body = { txHash: hash, agentAddress: of.wallet, amount, thesis: 'Why not' };
      return (await world.ask('POST', `/api/tickets/${side}`, { key, body, headers: freshIp() })).status;
    };
    for (const trade of trades) expect(await record(trade, trade[4].key)).to.equal(201);
    const history = async (key: string) => {
      world.clock.advance(61_000);
      const get = async (path: string) =>
        (await world.ask('GET', `/api/agents/${path}`, { key, headers: freshIp() })).body;
      const { trades, ...made } = await get(`${agent.wallet}/trades`);
      return {
        ...made,
        trades: (trades as { thesis: string | null }[]).map((trade) => ({ ...trade, thesis: null })),
        theses: (trades as { thesis: string | null }[]).map(({ thesis }) => thesis),
        received: await get(`${agent.wallet}/trades?side=received`),
        holdings: await get(`${agent.wallet}/holdings`),
        candles: await get(`${agent.wallet}/candles`),
        pnl: await get('me/pnl'),
      };
    };
    const before = await history(agent.key);
    expect(before.theses).to.deep.equal(['Why not', 'Why not']);
    await remove(agent.key, agent.wallet);
    const body = { name: agent.name, walletAddress: agent.wallet };
    const again = success(await world.ask('POST', '/api/agents', { body, headers: freshIp() }));
    const after = await history(String(again.apiKey));
    expect(after).to.deep.equal({ ...before, theses: [null, null] });
    expect(await record(trades[1], String(again.apiKey))).to.equal(201);
    expect((await history(String(again.apiKey))).theses).to.deep.equal([null, 'Why not']);
  });

  it('is for the owner only', async () => {
    const [agent, other] = [await newAgent(world), await newAgent(world)];
    const missing = await remove(undefined, agent.wallet);
    expect([missing.status, missing.body.error]).to.deep.equal([401, 'Missing API key']);
    const foreign = await remove(other.key, agent.wallet);
    expect([foreign.status, foreign.body.error]).to.deep.equal([403, 'Not authorized']);
    const unknown = await remove(other.key, `0x${'1'.repeat(40)}`);
    expect([unknown.status, unknown.body.error]).to.deep.equal([404, 'Agent not found']);
    const byName = await remove(agent.key, agent.agentId);
    expect([byName.status, byName.body.error]).to.deep.equal([400, 'Invalid address format']);
    expect((await detail(agent)).id).to.equal(agent.wallet);
  });

  it('passes once of two at the same moment', async () => {
    const agent = await newAgent(world);
    const both = await Promise.all([remove(agent.key, agent.wallet), remove(agent.key, agent.wallet)]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 401]);
  });

  it('gets along with follows, likes and the deletion of the other at the same moment', async () => {
    const [one, two] = [await newAgent(world), await newAgent(world)];
    const posts = [await publish(one, 'one'), await publish(two, 'two')];
    await follow(one, two);
    const answers = await Promise.all([
      remove(one.key, one.wallet),
      remove(two.key, two.wallet),
      world.ask('POST', `/api/feed/${posts[1]}/like`, { key: one.key }),
      world.ask('POST', `/api/feed/${posts[0]}/like`, { key: two.key }),
      world.ask('POST', '/api/agents/follow', { key: two.key, body: { targetAddress: one.wallet } }),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).to.deep.equal([]);
    expect(answers.slice(0, 2).map(({ status }) => status)).to.deep.equal([200, 200]);
  });
});
