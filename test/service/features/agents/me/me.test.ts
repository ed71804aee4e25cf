import { expect } from 'chai';
import { claim, freshIp, newAgent, refusal, success } from '../../../../support/market/agents.js';
import { type Market, populate } from '../../../../support/market/market.js';
import { addAgent, addHolding, addListedAgent, addSeason } from '../../../../support/market/rows.js';
import { runSql } from '../../../../support/store.js';
import { useWorld } from '../../../../support/world.js';

describe('GET /api/agents/me', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  const me = async (key: string) => {
    const body = success(await world.ask('GET', '/api/agents/me', { key }));
    return body as Record<string, Record<string, unknown>>;
  };

  it('returns a new agent before its market is indexed, with its verification code until the claim', async () => {
    const agent = await newAgent(world, { description: 'I trade' });
    const { name, agentId, wallet: id, code: verificationCode } = agent;
    const body = await me(agent.key);
    const given = { id, name, agentId, description: 'I trade', verificationCode };
    expect(body.agent).to.include({ ...given, status: 'pending_claim', walletType: 'external' });
    expect(body.portfolio).to.deep.equal({ holdings: [], totalHoldings: 0 });
    const acts = { followerCount: 0, followingCount: 0, tradeCount: 0, referralCount: 0 };
    expect(body.myStats).to.deep.equal({ totalTickets: 1, holderCount: 1, ...acts });
    expect(body.points).to.equal(null);
    const status = async () => success(await world.ask('GET', '/api/agents/status', { key: agent.key }));
    const pending = {
      success: true,
      status: 'pending_claim',
      isClaimed: false,
      name,
      agentId,
      walletAddress: agent.wallet,
    };
    expect(await status()).to.deep.equal(pending);
    await claim(world, agent);
    expect(await status()).to.deep.equal({ ...pending, status: 'claimed', isClaimed: true });
    const claimed = await me(agent.key);
    expect(claimed.agent).to.include({ status: 'claimed', isClaimed: true });
    expect(claimed.agent).not.to.have.property('verificationCode');
  });

  it('returns the portfolio, the statistics and the season points', async () => {
    const agent = await addListedAgent(world, { followerCount: 4, followingCount: 5 }, { supply: 7, holderCount: 3 });
    const other = await addListedAgent(world, { name: 'Other' }, { supply: 4 });
    await addAgent(world, { referredBy: agent.wallet, referredAt: world.clock.now() });
    await addHolding(world, { agent: other.wallet, holder: agent.wallet, amount: 2 });
    // Six trades, one of them a sale.
    await runSql(world.deps, 'insert into wallet_ledger values ($1, 6, 1, 0, 0)', [agent.wallet]);
    await addSeason(world, 1, -1, 1, world.clock.now());
    await runSql(
      world.deps,
      `insert into agent_season_points (season, agent, rank, total_points, price_points, computed_at)
       values (1, $1, 1, 2.5, 1.5, $2)`,
      [agent.wallet, world.clock.now()],
    );
    const body = await me(agent.key);
    const holding = { agentAddress: other.wallet, agentName: 'Other', agentId: 'other', amount: 2 };
    const holdings = [{ ...holding, ticketPriceEth: '0.00032' }];
    expect(body.portfolio).to.deep.equal({ holdings, totalHoldings: 1 });
    const acts = { followerCount: 4, followingCount: 5, tradeCount: 6, referralCount: 1 };
    expect(body.myStats).to.deep.equal({ totalTickets: 3, holderCount: 3, ...acts });
    expect(body.points).to.include({ pricePoints: 1.5, verifiedBonus: 0, totalPoints: 2.5 });
  });

  it('counts 0 tickets for an agent that has sold its own ticket', async () => {
    const agent = await addListedAgent(world, {}, { supply: 1, holderCount: 1 });
    const buyer = await addAgent(world);
    await runSql(world.deps, 'update ticket_holding set holder = $2 where agent = $1', [agent.wallet, buyer.wallet]);
    expect((await me(agent.key)).myStats).to.include({ totalTickets: 0, holderCount: 1 });
  });

  it('adds the ticket of the registration to those of other agents until the market is indexed', async () => {
    const agent = await newAgent(world);
    const other = await addListedAgent(world, {}, { supply: 4 });
    await addHolding(world, { agent: other.wallet, holder: agent.wallet, amount: 2 });
    expect((await me(agent.key)).myStats).to.include({ totalTickets: 3 });
  });
});

describe('the path /api/agents/me', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let market: Market;
  const ask = (path: string, key: string | undefined, method = 'GET') =>
    world.ask(method, `/api/agents/${path}`, { key, headers: freshIp() });
  before(async () => {
    market = await populate(world);
  });

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
    it(`answers like the path with the wallet of the key: me/${path}`, async () => {
      const mine = await ask(`me/${path}`, market.bob.key);
      const byWallet = await ask(`${market.bob.wallet}/${path}`, market.bob.key);
      expect(success(mine)).to.deep.equal(success(byWallet));
      expect(Object.values(mine.body).flat().length).to.be.above(1);
      expect(mine.headers.get('cache-control')).to.equal('no-store');
      expect(success(await ask(`me/${path}`, market.ada.key))).not.to.deep.equal(mine.body);
    });
  }

  it('deletes the agent of the key on DELETE', async () => {
    const gone = await newAgent(world);
    expect(success(await ask('me', gone.key, 'DELETE'))).to.deep.equal({
      success: true,
      deleted: true,
      walletAddress: gone.wallet,
    });
    expect(refusal(await ask(gone.wallet, undefined))).to.equal('404 Agent not found');
    expect(refusal(await ask('me', gone.key, 'DELETE'))).to.equal('401 Invalid API key');
    expect((await ask(market.bob.wallet, undefined)).status).to.equal(200);
  });
});
