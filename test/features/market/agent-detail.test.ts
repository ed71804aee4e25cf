import { expect } from 'chai';
import { freshIp, newAgent, refusal, success } from '../../support/market/agents.js';
import { addAgent, addHolding, addListedAgent, addMarket, randomWallet } from '../../support/market/rows.js';
import { useWorld } from '../../support/world.js';

const AT = new Date('2026-01-01T00:00:00.000Z');
type Body = Record<string, unknown>;

describe('GET /api/agents/{address}', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const detail = (reference: string, query = '') =>
    world.ask('GET', `/api/agents/${reference}${query}`, { headers: freshIp() });
  const agentIn = ({ status, body }: { status: number; body: Body }) => {
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.agent as Body;
  };

  let agent: { wallet: string };
  let fan: { wallet: string };
  let stranger: string;

  before(async () => {
    stranger = randomWallet();
    fan = await addListedAgent(world, { name: 'Fan', avatarUrl: 'https://example.com/f.png' });
    agent = await addListedAgent(
      world,
      {
        name: 'Main Agent',
        createdAt: AT,
        claimedAt: AT,
        claimPostId: '1',
        description: 'What it does',
        bio: 'Who it is',
        referredBy: fan.wallet,
        referredAt: AT,
      },
      { supply: 9, holderCount: 3 },
    );
    await addAgent(world, { referredBy: agent.wallet, referredAt: AT });
    await addHolding(world, { agent: agent.wallet, holder: fan.wallet, amount: 3, since: AT });
    await addHolding(world, { agent: agent.wallet, holder: stranger, amount: 5, since: AT });
  });

  it('returns the profile and the holders, largest holding first', async () => {
    const body = success(await detail(agent.wallet));
    const { holders, ...profile } = body.agent as Body;
    expect(profile).to.deep.equal({
      id: agent.wallet,
      name: 'Main Agent',
      agentId: 'main_agent',
      walletAddress: agent.wallet,
      avatarUrl: null,
      isClaimed: true,
      socialHandle: null,
      totalSupply: 9,
      holderCount: 3,
      followerCount: 0,
      followingCount: 0,
      ticketPrice: '1620000000000000',
      ticketPriceEth: '0.00162',
      volume24h: 0,
      volume24hWei: '0',
      txCount24h: 0,
      priceChange24h: 0,
      createdAt: AT.toISOString(),
      description: 'What it does',
      bio: 'Who it is',
      status: 'claimed',
      referredBy: 'fan',
      referralCount: 1,
      walletType: 'external',
    });
    const since = AT.toISOString();
    expect((holders as Body[]).slice(0, 2)).to.deep.equal([
      { address: stranger, name: null, agentId: null, avatarUrl: null, amount: 5, since },
      { address: fan.wallet, name: 'Fan', agentId: 'fan', avatarUrl: 'https://example.com/f.png', amount: 3, since },
    ]);
    expect((holders as Body[])[2]).to.include({ address: agent.wallet, amount: 1 });
  });

  it('accepts an agentId, a name, or an address in any case', async () => {
    for (const reference of ['main_agent', 'Main%20Agent', `0x${agent.wallet.slice(2).toUpperCase()}`]) {
      expect(agentIn(await detail(reference)).id, reference).to.equal(agent.wallet);
    }
  });

  it('returns the ticket balance of a wallet only when asked for it', async () => {
    expect(agentIn(await detail('main_agent'))).to.not.have.property('ticketBalance');
    const balance = async (holder: string) =>
      agentIn(await detail('main_agent', `?holderAddress=${holder}`)).ticketBalance;
    expect(await balance(stranger)).to.equal(5);
    expect(await balance(`0x${fan.wallet.slice(2).toUpperCase()}`)).to.equal(3);
    expect(await balance(randomWallet())).to.equal(0);
  });

  it('returns at most 100 holders', async () => {
    const { wallet } = await addListedAgent(world, { name: 'Crowded' }, { supply: 203, holderCount: 102 });
    const wallets = Array.from({ length: 101 }, randomWallet).toSorted().toReversed();
    for (const holder of wallets) await addHolding(world, { agent: wallet, holder, amount: 2 });
    const holders = agentIn(await detail('crowded')).holders as Body[];
    expect(holders.map(({ address }) => address)).to.deep.equal(wallets.slice(0, 100));
  });

  it('returns an agent without an indexed market as holder of its first ticket', async () => {
    const { wallet, name } = await newAgent(world);
    const found = agentIn(await detail(wallet, `?holderAddress=${wallet}`));
    expect(found).to.include({ totalSupply: 1, holderCount: 1, status: 'pending_claim', ticketBalance: 1 });
    expect(found.holders).to.have.length(1);
    expect((found.holders as Body[])[0]).to.include({ address: wallet, name, amount: 1 });
    expect(agentIn(await detail(wallet, `?holderAddress=${stranger}`)).ticketBalance).to.equal(0);
  });

  it('answers 404 for a wallet that is not registered at the service', async () => {
    const onChainOnly = randomWallet();
    await addMarket(world, onChainOnly);
    for (const reference of [onChainOnly, randomWallet(), 'nobody', '0x12', '%E2%82%AC']) {
      expect(refusal(await detail(reference)), reference).to.equal('404 Agent not found');
    }
  });
});

describe('GET /api/agents/{address}/holdings', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const holdings = (query = '', reference = 'holder') =>
    world.ask('GET', `/api/agents/${reference}/holdings${query}`, { headers: freshIp() });

  let first: { wallet: string };
  let unnamed: string;

  before(async () => {
    unnamed = randomWallet();
    const holder = await addListedAgent(world, { name: 'Holder' });
    first = await addListedAgent(world, { name: 'First', avatarUrl: 'https://example.com/1.png' }, { supply: 5 });
    await addMarket(world, unnamed, { supply: 3 });
    await addHolding(world, { agent: first.wallet, holder: holder.wallet, amount: 4 });
    await addHolding(world, { agent: unnamed, holder: holder.wallet, amount: 2 });
  });

  it('returns the positions in other agents at the current price, largest first', async () => {
    const body = success(await holdings());
    expect(body).to.deep.equal({
      success: true,
      holdings: [
        {
          agentAddress: first.wallet,
          agentName: 'First',
          agentId: 'first',
          agentAvatarUrl: 'https://example.com/1.png',
          amount: 4,
          ticketPriceEth: '0.0005',
          valueEth: '0.002',
        },
        {
          agentAddress: unnamed,
          agentName: null,
          agentId: null,
          agentAvatarUrl: null,
          amount: 2,
          ticketPriceEth: '0.00018',
          valueEth: '0.00036',
        },
      ],
      total: 2,
    });
  });

  it('pages by page and limit', async () => {
    const { body } = await holdings('?limit=1&page=2');
    expect((body.holdings as Body[]).map(({ agentAddress }) => agentAddress)).to.deep.equal([unnamed]);
    expect(body.total).to.equal(2);
    expect((await holdings('?page=2')).body).to.deep.equal({ success: true, holdings: [], total: 2 });
  });

  it('is empty for an agent without positions, and answers 404 for an unknown agent', async () => {
    expect((await holdings('', first.wallet)).body).to.deep.equal({ success: true, holdings: [], total: 0 });
    expect(refusal(await holdings('', unnamed))).to.equal('404 Agent not found');
  });
});
