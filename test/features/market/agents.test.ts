import { expect } from 'chai';
import { freshIp, refusal, success } from '../../support/market/agents.js';
import { addAgent, addListedAgent, addMarket, addTrade, randomWallet } from '../../support/market/rows.js';
import { useWorld } from '../../support/world.js';

type Card = Record<string, unknown> & { name: string };
type List = { agents: Card[]; pagination: Record<string, unknown> };
const ETH = 10n ** 18n;
const HOUR = 3_600_000;

describe('GET /api/agents', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const created = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n));
  const ago = (hours: number) => new Date(world.clock.now().getTime() - hours * HOUR);
  const list = async (query = '') => {
    const body = success(await world.ask('GET', `/api/agents${query}`, { headers: freshIp() }));
    return body as List;
  };
  const names = async (query: string) => (await list(query)).agents.map(({ name }) => name);

  let alpha: { wallet: string };

  before(async () => {
    alpha = await addListedAgent(
      world,
      {
        name: 'Alpha One',
        createdAt: created(1),
        avatarUrl: 'https://example.com/a.png',
        claimedAt: created(9),
        claimPostId: '1',
        socialHandle: 'alpha',
        followerCount: 7,
        followingCount: 3,
      },
      { supply: 6, holderCount: 4 },
    );
    const beta = await addListedAgent(world, { name: 'Beta', createdAt: created(2) }, { supply: 10, holderCount: 2 });
    await addListedAgent(world, { name: 'gamma_one', createdAt: created(3) }, { supply: 3, holderCount: 3 });
    await addListedAgent(world, { name: 'Delta', createdAt: created(4) }, { supply: 1, holderCount: 1 });
    // This agent exists on the chain but has no profile at the service.
    const stranger = randomWallet();
    await addMarket(world, stranger, { supply: 50, holderCount: 50 });
    await addTrade(world, { agent: stranger, trader: beta.wallet, price: 9n * ETH });
    // Alpha's day begins at supply 3. The log index orders two trades of the same block.
    for (const [hours, blockNumber, logIndex, amount, supplyAfter, price] of [
      [25, 1_000_000, 1, 1, 3, ETH],
      [25, 1_000_000, 0, 1, 2, ETH],
      [23, 1_000_001, 0, 2, 5, ETH / 4n],
      // One wei more than a floating-point number of ETH can hold.
      [1, 1_000_002, 0, 1, 6, ETH / 8n + 1n],
    ] as const) {
      const place = { blockTime: ago(hours), blockNumber, logIndex };
      await addTrade(world, { agent: alpha.wallet, trader: beta.wallet, ...place, amount, supplyAfter, price });
    }
    const first = { amount: 9, supplyAfter: 10, price: ETH, blockTime: ago(2) };
    await addTrade(world, { agent: beta.wallet, trader: alpha.wallet, ...first });
  });

  it('returns the registered agents, newest first', async () => {
    const body = await list();
    expect(body.agents.map(({ name }) => name)).to.deep.equal(['Delta', 'gamma_one', 'Beta', 'Alpha One']);
    expect(body.agents[3]).to.deep.equal({
      id: alpha.wallet,
      name: 'Alpha One',
      agentId: 'alpha_one',
      walletAddress: alpha.wallet,
      avatarUrl: 'https://example.com/a.png',
      isClaimed: true,
      socialHandle: 'alpha',
      totalSupply: 6,
      holderCount: 4,
      followerCount: 7,
      followingCount: 3,
      ticketPrice: '720000000000000',
      ticketPriceEth: '0.00072',
      volume24h: 0.375,
      volume24hWei: '375000000000000001',
      txCount24h: 2,
      priceChange24h: 300,
      createdAt: '2026-01-01T00:00:01.000Z',
    });
    expect(body.agents[0]).to.include({ volume24h: 0, txCount24h: 0, priceChange24h: 0, avatarUrl: null });
    // Beta had no trade before the day began, so its price change starts at the registration.
    expect(body.agents[2]).to.include({ volume24h: 1, txCount24h: 1, priceChange24h: 9900 });
    expect(body.pagination).to.deep.equal({ page: 1, limit: 20, total: 4, totalPages: 1, hasMore: false });
  });

  const sorted: [query: string, names: string[]][] = [
    ['sort=newest&sortOrder=asc', ['Alpha One', 'Beta', 'gamma_one', 'Delta']],
    ['sort=holders&sortBy=holders&sortOrder=asc', ['Delta', 'Beta', 'gamma_one', 'Alpha One']],
    ['sortBy=holders', ['Alpha One', 'gamma_one', 'Beta', 'Delta']],
    ['sort=volume&search=one&limit=1&page=2', ['gamma_one']],
    ['sort=priceChange24h&sortOrder=asc&limit=2&page=2', ['Alpha One', 'Beta']],
  ];
  for (const [query, expected] of sorted) {
    it(`sorts by ?${query}`, async () => expect(await names(`?${query}`)).to.deep.equal(expected));
  }

  const filtered: [query: string, names: string[]][] = [
    ['agentId=alpha_one', ['Alpha One']],
    ['name=Alpha%20One', ['Alpha One']],
    ['search=ONE', ['gamma_one', 'Alpha One']],
    ['search=%25', []],
    ['search=_', ['gamma_one', 'Alpha One']],
    ['verified=true', ['Alpha One']],
    ['verified=false', ['Delta', 'gamma_one', 'Beta']],
    ['minHolder=2&maxHolder=3', ['gamma_one', 'Beta']],
    ['minSupply=3&maxSupply=6', ['gamma_one', 'Alpha One']],
    // The price filters compare with 0.00002 ETH times the square of the supply.
    ['minPrice=0.00072', ['Beta', 'Alpha One']],
    ['minPrice=0.000720000000000001', ['Beta']],
    ['maxPrice=0.00072', ['Delta', 'gamma_one', 'Alpha One']],
    ['maxPrice=0.000719999999999999', ['Delta', 'gamma_one']],
    ['minPrice=0.0001&maxPrice=0.001&maxSupply=5', ['gamma_one']],
    ['maxPrice=0', []],
    ['maxPrice=999999999999', ['Delta', 'gamma_one', 'Beta', 'Alpha One']],
  ];
  for (const [query, expected] of filtered) {
    it(`filters by ?${query}`, async () => {
      const { agents, pagination } = await list(`?${query}`);
      expect(agents.map(({ name }) => name)).to.deep.equal(expected);
      expect(pagination.total).to.equal(expected.length);
    });
  }

  it('pages, and returns an empty page after the last', async () => {
    const pages = [];
    for (const page of [1, 2, 3]) {
      const { agents, pagination } = await list(`?limit=3&page=${page}`);
      pages.push(agents.length);
      expect(pagination).to.deep.equal({ page, limit: 3, total: 4, totalPages: 2, hasMore: page === 1 });
    }
    expect(pages).to.deep.equal([3, 1, 0]);
    expect((await list('?page=9&verified=true')).pagination).to.include({ total: 1, totalPages: 1, hasMore: false });
    expect((await list('?agentId=nobody')).pagination).to.include({ total: 0, totalPages: 0, hasMore: false });
  });

  it('includes an agent whose market is not indexed yet', async () => {
    const { wallet } = await addAgent(world, { name: 'Fresh', createdAt: created(5) });
    const { agents } = await list('?limit=1');
    expect(agents[0]).to.include({ id: wallet, totalSupply: 1, holderCount: 1, ticketPriceEth: '0.00002' });
    expect((await list('?maxSupply=1')).pagination.total).to.equal(2);
    await addMarket(world, wallet);
  });

  for (const [query, error] of [
    ['sort=price&sortBy=holders', 'Invalid query parameter: sortBy'],
    ['minPrice=1e-3', 'Invalid query parameter: minPrice'],
    ['maxPrice=0.0000000000000000001', 'Invalid query parameter: maxPrice'],
    ['search=%20', 'Invalid query parameter: search'],
    [`search=${'a'.repeat(51)}`, 'search is too long'],
  ]) {
    it(`refuses ?${query}`, async () => {
      const answer = await world.ask('GET', `/api/agents?${query}`, { headers: freshIp() });
      expect(refusal(answer)).to.equal(`400 ${error}`);
    });
  }
});
