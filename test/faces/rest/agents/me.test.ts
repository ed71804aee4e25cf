import { expect } from 'chai';
import { claim, newAgent } from '../../../support/market/agents.js';
import { addAgent, addHolding, addListedAgent, addSeason } from '../../../support/market/rows.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

describe('GET /api/agents/me', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const me = async (key: string) => {
    const { status, body } = await world.ask('GET', '/api/agents/me', { key });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as Record<string, Record<string, unknown>>;
  };

  it('returns a new agent before its market is indexed', async () => {
    const agent = await newAgent(world, { description: 'I trade' });
    const body = await me(agent.key);
    expect(Object.keys(body)).to.deep.equal(['success', 'agent', 'portfolio', 'myStats', 'points']);
    expect(body.agent).to.include({
      id: agent.wallet,
      name: agent.name,
      agentId: agent.agentId,
      description: 'I trade',
      status: 'pending_claim',
      walletType: 'external',
      verificationCode: agent.code,
    });
    expect(Object.keys(body.agent ?? {}).slice(-7)).to.deep.equal([
      'description',
      'bio',
      'status',
      'referredBy',
      'referralCount',
      'walletType',
      'verificationCode',
    ]);
    expect(body.portfolio).to.deep.equal({ holdings: [], totalHoldings: 0 });
    expect(body.myStats).to.deep.equal({
      totalTickets: 1,
      holderCount: 1,
      followerCount: 0,
      followingCount: 0,
      tradeCount: 0,
      referralCount: 0,
    });
    expect(body.points).to.equal(null);
  });

  it('omits the verification code after the claim', async () => {
    const agent = await newAgent(world);
    await claim(world, agent);
    const body = await me(agent.key);
    expect(body.agent).to.include({ status: 'claimed', isClaimed: true });
    expect(body.agent).not.to.have.property('verificationCode');
  });

  it('returns the portfolio, the statistics and the season points', async () => {
    const agent = await addListedAgent(world, { followerCount: 4, followingCount: 5 }, { supply: 7, holderCount: 3 });
    const other = await addListedAgent(world, { name: 'Other' }, { supply: 4 });
    await addAgent(world, { referredBy: agent.wallet, referredAt: world.clock.now() });
    await addHolding(world, { agent: other.wallet, holder: agent.wallet, amount: 2 });
    await runSql(world.deps, 'insert into wallet_ledger values ($1, 6, 1, 0, 0)', [agent.wallet]);
    await addSeason(world, 1, -1, 1, world.clock.now());
    await runSql(
      world.deps,
      `insert into agent_season_points (season, agent, rank, total_points, price_points, computed_at)
       values (1, $1, 1, 2.5, 1.5, $2)`,
      [agent.wallet, world.clock.now()],
    );
    const body = await me(agent.key);
    expect(body.portfolio).to.deep.equal({
      holdings: [
        { agentAddress: other.wallet, agentName: 'Other', agentId: 'other', amount: 2, ticketPriceEth: '0.00032' },
      ],
      totalHoldings: 1,
    });
    expect(body.myStats).to.deep.equal({
      totalTickets: 3,
      holderCount: 3,
      followerCount: 4,
      followingCount: 5,
      tradeCount: 6,
      referralCount: 1,
    });
    expect(body.points).to.include({ pricePoints: 1.5, verifiedBonus: 0, totalPoints: 2.5 });
  });

  it('answers 401 without a valid key', async () => {
    const missing = await world.ask('GET', '/api/agents/me');
    expect([missing.status, missing.body.error]).to.deep.equal([401, 'Missing API key']);
    const wrong = await world.ask('GET', '/api/agents/me', { key: 'A'.repeat(64) });
    expect([wrong.status, wrong.body.error]).to.deep.equal([401, 'Invalid API key']);
  });

  it('allows 30 requests a minute per key', async () => {
    const { key } = await addAgent(world);
    for (let i = 0; i < 30; i++) await me(key);
    const refused = await world.ask('GET', '/api/agents/me', { key });
    expect([refused.status, refused.headers.get('RateLimit-Policy')]).to.deep.equal([
      429,
      '"global";q=30;w=60, "me";q=30;w=60',
    ]);
    world.clock.advance(Number(refused.headers.get('Retry-After')) * 1000);
    await me(key);
  });
});
