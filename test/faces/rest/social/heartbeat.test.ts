import { expect } from 'chai';
import type { Deps } from '../../../../src/deps.js';
import { AppError } from '../../../../src/errors.js';
import { newAgent, success, type TestAgent } from '../../../support/market/agents.js';
import { data } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

describe('GET /api/heartbeat/status', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let ada: TestAgent;
  let bob: TestAgent;

  before(async () => {
    ada = await newAgent(world, { name: 'Ada' });
    bob = await newAgent(world, { name: 'Bob' });
    const { hash } = await bob.trader.buy(ada.wallet, 3);
    const trade = { txHash: hash, agentAddress: ada.wallet, amount: 3 };
    success(await world.ask('POST', '/api/tickets/buy', { key: bob.key, body: trade }));
    const sold = await bob.trader.sell(ada.wallet, 1);
    success(
      await world.ask('POST', '/api/tickets/sell', { key: bob.key, body: { ...trade, txHash: sold.hash, amount: 1 } }),
    );
  });

  const get = async (path: string, key: string) => success(await world.ask('GET', path, { key }));

  it('returns the same data as the single endpoints', async () => {
    for (const { key } of [ada, bob]) {
      const beat = await get('/api/heartbeat/status', key);
      expect(Object.keys(beat)).to.deep.equal([
        ...['success', 'agent', 'myStats', 'balance', 'pnl', 'notifications', 'totalUnread', 'trending', 'season'],
        ...['cachedAt', 'nothingToDo', 'nextCheckAfter'],
      ]);
      const me = await get('/api/agents/me', key);
      const { success: _, ...balance } = await get('/api/agents/me/balance', key);
      const { success: __, realized, ...pnl } = await get('/api/agents/me/pnl', key);
      const { trades: ___, ...realizedFigures } = realized as Record<string, unknown>;
      const { trending } = await get('/api/trending?limit=10', key);
      expect(beat.agent).to.deep.equal(me.agent);
      expect(beat.myStats).to.deep.equal(me.myStats);
      expect(beat.balance).to.deep.equal(balance);
      expect(beat.pnl).to.deep.equal({ realized: realizedFigures, ...pnl });
      expect(beat.trending).to.deep.equal(trending);
    }
  });

  it('marks notifications as read, like GET /api/notifications', async () => {
    const fresh = await newAgent(world);
    const before = await get('/api/heartbeat/status', fresh.key);
    expect([before.totalUnread, before.notifications]).to.deep.equal([0, []]);
    await world.ask('POST', '/api/agents/follow', { key: bob.key, body: { targetAddress: fresh.wallet } });
    const told = await get('/api/heartbeat/status', fresh.key);
    expect(told.totalUnread).to.equal(1);
    expect((told.notifications as { type: string; read: boolean }[])[0]).to.include({
      type: 'NEW_FOLLOWER',
      read: false,
    });
    expect((await get('/api/notifications', fresh.key)).totalUnread).to.equal(0);
  });

  it('asks for the same over GraphQL', async () => {
    const fresh = await newAgent(world);
    const graphql = async () =>
      (await data(world, '{ heartbeat { nothingToDo nextCheckAfter } }', { key: fresh.key })).heartbeat;
    expect(await graphql()).to.deep.equal({ nothingToDo: true, nextCheckAfter: 3600 });
    await world.ask('POST', '/api/agents/follow', { key: bob.key, body: { targetAddress: fresh.wallet } });
    expect(await graphql()).to.deep.equal({ nothingToDo: false, nextCheckAfter: 900 });
    const rest = await get('/api/heartbeat/status', fresh.key);
    expect(rest).to.include({ nothingToDo: true, nextCheckAfter: 3600 });
  });

  it('sends one batched request to the chain', async () => {
    world.clock.advance(11_000);
    const { provider } = world.chain;
    const send = provider._send;
    let asked = 0;
    provider._send = (payload) => {
      asked += 1;
      return send.call(provider, payload);
    };
    try {
      await get('/api/heartbeat/status', bob.key);
    } finally {
      provider._send = send;
    }
    expect(asked).to.equal(1);
  });

  it('returns null for balance and pending fees while the chain is unreachable', async () => {
    world.clock.advance(11_000);
    const market = world.deps.market as { -readonly [K in keyof Deps['market']]: Deps['market'][K] };
    const { etherBalance, states } = market;
    const away = async () => {
      throw new AppError('CHAIN_UNAVAILABLE');
    };
    Object.assign(market, { etherBalance: away, states: away });
    try {
      const beat = await get('/api/heartbeat/status', bob.key);
      expect(beat.balance).to.equal(null);
      const pnl = beat.pnl as { fees: Record<string, unknown>; summary: Record<string, unknown> };
      expect(pnl.fees.pendingEth).to.equal(null);
      expect(pnl.summary.totalPnlWei).to.match(/^-?\d+$/);
    } finally {
      Object.assign(market, { etherBalance, states });
    }
  });

  it("returns the season and the caller's points", async () => {
    const none = await get('/api/heartbeat/status', bob.key);
    expect(none.season).to.deep.equal({ active: false, number: null, daysLeft: null, points: null });
  });
});
