import { expect } from 'chai';
import { freshIp, newAgent, refusal, success, type TestAgent } from '../../../support/market/agents.js';
import type { Json } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

describe('me as an address', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let agent: TestAgent;
  let other: TestAgent;
  const ask = (path: string, key: string | undefined, method = 'GET') =>
    world.ask(method, `/api/agents/${path}`, { key, headers: freshIp() });

  before(async () => {
    [agent, other] = [await newAgent(world), await newAgent(world)];
    for (let n = 0; n < 6; n++) {
      const { hash } = await agent.trader.buy(other.wallet, 1);
      const body = { txHash: hash, agentAddress: other.wallet, amount: 1 };
      success(await world.ask('POST', '/api/tickets/buy', { key: agent.key, body }));
      world.clock.advance(3_600_000);
    }
    for (const [follower, followed] of [
      [agent, other],
      [other, agent],
    ] as const) {
      const body = { targetAddress: followed.wallet };
      success(await world.ask('POST', '/api/agents/follow', { key: follower.key, body }));
    }
    const { hash } = await other.trader.buy(agent.wallet, 2);
    const body = { txHash: hash, agentAddress: agent.wallet, amount: 2 };
    success(await world.ask('POST', '/api/tickets/buy', { key: other.key, body }));
  });
  beforeEach(() => world.clock.advance(60_000));

  for (const path of [
    'trades',
    'trades?page=2&limit=2',
    'trades?side=received',
    'holdings',
    'holdings?limit=1',
    'followers',
    'following?page=1&limit=5',
    'candles',
    'candles?interval=1d',
    'pnl',
  ]) {
    it(`answers me/${path} like the wallet of the key, and requires the key`, async () => {
      const mine = await ask(`me/${path}`, agent.key);
      const byWallet = await ask(`${agent.wallet}/${path}`, agent.key);
      expect(success(mine)).to.deep.equal(success(byWallet));
      expect(Object.values(mine.body).flat().length).to.be.above(1);
      expect(mine.headers.get('cache-control')).to.equal('no-store');
      expect(success(await ask(`me/${path}`, other.key))).not.to.deep.equal(mine.body);
      expect(refusal(await ask(`me/${path}`, undefined))).to.equal('401 Missing API key');
      expect(refusal(await ask(`me/${path}`, 'A'.repeat(64)))).to.equal('401 Invalid API key');
    });
  }

  it('pages through the trades of the agent', async () => {
    const { trades, pagination } = success(await ask('me/trades?limit=4', agent.key)) as Json;
    expect(trades).to.have.length(4);
    expect(pagination).to.include({ total: 6, totalPages: 2, hasMore: true });
    expect(refusal(await ask('me/trades?limit=51', agent.key))).to.equal('400 Invalid query parameter: limit');
  });

  it('deletes the agent', async () => {
    const gone = await newAgent(world);
    expect(refusal(await ask('me', undefined, 'DELETE'))).to.equal('401 Missing API key');
    expect(success(await ask('me', gone.key, 'DELETE'))).to.deep.equal({
      success: true,
      deleted: true,
      walletAddress: gone.wallet,
    });
    expect(refusal(await ask(gone.wallet, undefined))).to.equal('404 Agent not found');
    expect(refusal(await ask('me', gone.key, 'DELETE'))).to.equal('401 Invalid API key');
    expect((await ask(agent.wallet, undefined)).status).to.equal(200);
  });
});
