import { expect } from 'chai';
import { newAgent, refusal, success } from '../../../../support/market/agents.js';
import { addHolding, addListedAgent, addMarket, addTrade, randomWallet } from '../../../../support/market/rows.js';
import type { Json } from '../../../../support/service/graphql.js';
import { useWorld } from '../../../../support/world.js';

const ETH = 10n ** 18n;
const HOUR = 3_600_000;
const SINCE = new Date('2026-01-01T00:00:00.000Z');
const anyCase = (wallet: string) => `0x${wallet.slice(2).toUpperCase()}`;

describe('agents over REST', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const created = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n));
  const ago = (hours: number) => new Date(world.clock.now().getTime() - hours * HOUR);
  const get = (path: string) => world.ask('GET', `/api/${path}`);
  const list = async (query = ''): Promise<Json> => success(await get(`agents${query}`));
  const detail = async (reference: string): Promise<Json> => success(await get(`agents/${reference}`)).agent;
  const namesOf = (agents: Json[]) => agents.map(({ name }) => name);

  let alpha: { wallet: string };
  let beta: { wallet: string };
  /** This agent exists on the chain but has no profile at the service, so the lists must leave it out. */
  let stranger: string;

  before(async () => {
    stranger = randomWallet();
    await addMarket(world, stranger, { supply: 50, holderCount: 50 });
    const pictured = { name: 'Beta', avatarUrl: 'https://example.com/b.png', createdAt: created(2) };
    beta = await addListedAgent(world, pictured, { supply: 10, holderCount: 2 });
    alpha = await addListedAgent(
      world,
      {
        name: 'Alpha One',
        createdAt: created(1),
        avatarUrl: 'https://example.com/a.png',
        description: 'What it does',
        bio: 'Who it is',
        claimedAt: created(9),
        claimPostId: '1',
        socialHandle: 'alpha',
        followerCount: 7,
        followingCount: 3,
        referredBy: beta.wallet,
        referredAt: created(1),
      },
      { supply: 6, holderCount: 4 },
    );
    await addListedAgent(world, { name: 'gamma_one', createdAt: created(3) }, { supply: 3, holderCount: 3 });
    const referred = { referredBy: alpha.wallet, referredAt: created(4) };
    await addListedAgent(world, { name: 'Delta', createdAt: created(4), ...referred }, { supply: 1, holderCount: 1 });
    await addHolding(world, { agent: alpha.wallet, holder: beta.wallet, amount: 3, since: SINCE });
    await addHolding(world, { agent: alpha.wallet, holder: stranger, amount: 5, since: SINCE });
    await addHolding(world, { agent: stranger, holder: beta.wallet, amount: 2 });
    await addTrade(world, { agent: stranger, trader: beta.wallet, price: 9n * ETH });
    // The supply of Alpha was 3 when the last 24 hours began, because the log index orders the two trades of the same block.
    for (const [hours, blockNumber, logIndex, amount, supplyAfter, price] of [
      [25, 1_000_000, 1, 1, 3, ETH],
      [25, 1_000_000, 0, 1, 2, ETH],
      [23, 1_000_001, 0, 2, 5, ETH / 4n],
      // This price has one wei more than a floating-point number of ETH can hold, so rounding would be visible.
      [1, 1_000_002, 0, 1, 6, ETH / 8n + 1n],
    ] as const) {
      const place = { blockTime: ago(hours), blockNumber, logIndex };
      await addTrade(world, { agent: alpha.wallet, trader: beta.wallet, ...place, amount, supplyAfter, price });
    }
    const first = { amount: 9, supplyAfter: 10, price: ETH, blockTime: ago(2) };
    await addTrade(world, { agent: beta.wallet, trader: alpha.wallet, ...first });
  });

  it('are listed newest first', async () => {
    const { agents, pagination } = await list();
    expect(namesOf(agents)).to.deep.equal(['Delta', 'gamma_one', 'Beta', 'Alpha One']);
    expect(agents[3]).to.deep.equal({
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
    expect(agents[0]).to.include({ volume24h: 0, txCount24h: 0, priceChange24h: 0, avatarUrl: null });
    // Beta had no trade more than 24 hours ago, so its price change starts at the registration.
    expect(agents[2]).to.include({ volume24h: 1, txCount24h: 1, priceChange24h: 9900 });
    expect(pagination).to.deep.equal({ page: 1, limit: 20, total: 4, totalPages: 1, hasMore: false });
  });

  const lists: [query: string, names: string[], total?: number][] = [
    ['sort=newest&sortOrder=asc', ['Alpha One', 'Beta', 'gamma_one', 'Delta']],
    ['sort=holders&sortBy=holders&sortOrder=asc', ['Delta', 'Beta', 'gamma_one', 'Alpha One']],
    ['sortBy=holders', ['Alpha One', 'gamma_one', 'Beta', 'Delta']],
    ['sort=volume&search=one&limit=1&page=2', ['gamma_one'], 2],
    ['sort=priceChange24h&sortOrder=asc&limit=2&page=2', ['Alpha One', 'Beta'], 4],
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
  for (const [query, expected, total = expected.length] of lists) {
    it(`are filtered and sorted by ?${query}`, async () => {
      const { agents, pagination } = await list(`?${query}`);
      expect([...namesOf(agents), pagination.total]).to.deep.equal([...expected, total]);
    });
  }

  it('are listed in pages, with an empty page after the last', async () => {
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

  for (const [query, error] of [
    ['sort=price&sortBy=holders', 'Invalid query parameter: sortBy'],
    ['minPrice=1e-3', 'Invalid query parameter: minPrice'],
    ['maxPrice=0.0000000000000000001', 'Invalid query parameter: maxPrice'],
    ['search=%20', 'Invalid query parameter: search'],
    [`search=${'a'.repeat(51)}`, 'search is too long'],
  ]) {
    it(`are not listed for ?${query}, which is answered with 400`, async () => {
      expect(refusal(await get(`agents?${query}`))).to.equal(`400 ${error}`);
    });
  }

  it('are ranked by supply', async () => {
    const { body } = await get('leaderboard');
    const rows = body.leaderboard as Json[];
    expect(rows.map(({ rank, name, totalSupply }) => [rank, name, totalSupply])).to.deep.equal([
      [1, 'Beta', 10],
      [2, 'Alpha One', 6],
      [3, 'gamma_one', 3],
      [4, 'Delta', 1],
    ]);
    expect(body.total).to.equal(4);
    expect((await get('leaderboard?limit=2')).body).to.deep.equal({ ...body, leaderboard: rows.slice(0, 2) });
  });

  it('have a profile with the fields of the list, more texts, and the holders, largest holding first', async () => {
    const { holders, ...profile } = await detail('alpha_one');
    expect(profile).to.deep.equal({
      ...(await list('?agentId=alpha_one')).agents[0],
      description: 'What it does',
      bio: 'Who it is',
      identity: null,
      status: 'claimed',
      referredBy: 'beta',
      referralCount: 1,
      walletType: 'external',
    });
    const [avatarUrl, since] = ['https://example.com/b.png', SINCE.toISOString()];
    expect(holders.slice(0, 2)).to.deep.equal([
      { address: stranger, walletAddress: stranger, name: null, agentId: null, avatarUrl: null, amount: 5, since },
      { address: beta.wallet, walletAddress: beta.wallet, name: 'Beta', agentId: 'beta', avatarUrl, amount: 3, since },
    ]);
    expect(holders[2]).to.include({ address: alpha.wallet, amount: 1 });
  });

  it('are found by agentId, name, or address in any case, and by no other reference', async () => {
    for (const reference of ['alpha_one', 'Alpha%20One', anyCase(alpha.wallet)])
      expect((await detail(reference)).id, reference).to.equal(alpha.wallet);
    for (const reference of [stranger, randomWallet(), 'nobody', '0x12', '%E2%82%AC'])
      expect(refusal(await get(`agents/${reference}`)), reference).to.equal('404 Agent not found');
  });

  it('show the ticket balance of a wallet only when asked for it', async () => {
    expect(await detail('alpha_one')).to.not.have.property('ticketBalance');
    const balance = async (holder: string) => (await detail(`alpha_one?holderAddress=${holder}`)).ticketBalance;
    expect(await balance(stranger)).to.equal(5);
    expect(await balance(anyCase(beta.wallet))).to.equal(3);
    expect(await balance(randomWallet())).to.equal(0);
  });

  it('have positions in other agents at the current price, largest first', async () => {
    const holdings = [
      {
        agentAddress: alpha.wallet,
        agentName: 'Alpha One',
        agentId: 'alpha_one',
        agentAvatarUrl: 'https://example.com/a.png',
        amount: 3,
        ticketPriceEth: '0.00072',
        valueEth: '0.00216',
      },
      {
        agentAddress: stranger,
        agentName: null,
        agentId: null,
        agentAvatarUrl: null,
        amount: 2,
        ticketPriceEth: '0.05',
        valueEth: '0.1',
      },
    ];
    const held = async (query: string) => success(await get(`agents/${query}`));
    const all = { success: true, holdings, total: 2 };
    expect(await held('beta/holdings')).to.deep.equal(all);
    expect(await held('beta/holdings?limit=1&page=2')).to.deep.equal({ ...all, holdings: holdings.slice(1) });
    expect(await held('beta/holdings?page=2')).to.deep.equal({ ...all, holdings: [] });
    expect(await held('delta/holdings')).to.deep.equal({ success: true, holdings: [], total: 0 });
    expect(refusal(await get(`agents/${stranger}/holdings`))).to.equal('404 Agent not found');
  });

  it('are shown with their first ticket before their market is indexed', async () => {
    const { wallet, name } = await newAgent(world, { name: 'Fresh' });
    const first = { id: wallet, totalSupply: 1, holderCount: 1, ticketPriceEth: '0.00002' };
    expect((await list('?limit=1')).agents[0]).to.include(first);
    expect((await list('?maxSupply=1')).pagination.total).to.equal(2);
    const found = await detail(`${wallet}?holderAddress=${wallet}`);
    expect(found).to.include({ ...first, status: 'pending_claim', ticketBalance: 1 });
    expect(found.holders).to.have.length(1);
    expect(found.holders[0]).to.include({ address: wallet, name, amount: 1 });
    expect((await detail(`${wallet}?holderAddress=${stranger}`)).ticketBalance).to.equal(0);
  });

  it('show at most 100 holders in their profile', async () => {
    const { wallet } = await addListedAgent(world, { name: 'Crowded' }, { supply: 203, holderCount: 102 });
    // Equal holdings are listed by descending address. The first ticket of the agent itself is the smallest holding, so it is not
    // listed.
    const wallets = Array.from({ length: 101 }, randomWallet).toSorted().toReversed();
    for (const holder of wallets) await addHolding(world, { agent: wallet, holder, amount: 2 });
    const { holders } = await detail('crowded');
    expect(holders.map(({ address }: Json) => address)).to.deep.equal(wallets.slice(0, 100));
  });
});
