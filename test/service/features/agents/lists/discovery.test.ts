import { expect } from 'chai';
import { refusal, success } from '../../../../support/market/agents.js';
import { addHolding, addListedAgent, addMarket, addTrade, randomWallet } from '../../../../support/market/rows.js';
import { runSql } from '../../../../support/store.js';
import { useWorld } from '../../../../support/world.js';

type Body = Record<string, unknown>;
const HOUR = 3_600_000;
const ETH = 10n ** 18n;

describe('GET /api/search', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const read = (query: string) => world.ask('GET', `/api/search${query}`);
  const names = async (q: string) => {
    const body = success(await read(`?q=${encodeURIComponent(q)}`));
    const found = (body.agents as Body[]).map(({ name }) => name);
    expect(body.total).to.equal(found.length);
    return found;
  };

  before(async () => {
    for (const name of ['My Bot', 'botanist', 'Bot', 'Robot', 'a_bot_b', 'BOT-2', 'Other']) {
      await addListedAgent(world, { name });
    }
    await addMarket(world, randomWallet(), { name: 'Bot here not', agentId: 'bot_here_not' });
  });

  it('returns the exact agentId, then prefix matches, then others, and counts those beyond the limit', async () => {
    expect(await names('bot')).to.deep.equal(['Bot', 'BOT-2', 'botanist', 'a_bot_b', 'My Bot', 'Robot']);
    const { body } = await read('?q=bot&limit=2');
    expect((body.agents as Body[]).map(({ agentId }) => agentId)).to.deep.equal(['bot', 'bot-2']);
    expect(body.total).to.equal(6);
  });

  it('ignores case and outer spaces, treats a space as an underscore, and % and _ as literal characters', async () => {
    for (const [q, expected] of [
      ['  BoT-', ['BOT-2']],
      ['my bot', ['My Bot']],
      ['y_bo', ['My Bot']],
      ['%b', []],
      ['b%t', []],
      ['b_t', []],
      ['_bot', ['a_bot_b', 'My Bot']],
    ] as const) {
      expect(await names(q), q).to.deep.equal(expected);
    }
  });

  it('refuses texts that are too short or too long', async () => {
    for (const q of ['b', '%20%20b%20']) expect(refusal(await read(`?q=${q}`))).to.equal('400 Query too short');
    expect(refusal(await read(`?q=${'b'.repeat(51)}`))).to.equal('400 q is too long');
  });
});

describe('GET /api/trending', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const read = (query = '') => world.ask('GET', `/api/trending${query}`);
  const ago = (hours: number) => new Date(world.clock.now().getTime() - hours * HOUR);
  let busy: { wallet: string };
  let calm: { wallet: string };
  let lastTradeAt: Date;

  before(async () => {
    const [ann, bea] = [randomWallet(), randomWallet()];
    busy = await addListedAgent(world, { name: 'Busy' }, { supply: 20, holderCount: 3, registeredAt: ago(72) });
    calm = await addListedAgent(world, { name: 'Calm' }, { supply: 8, holderCount: 2 });
    await addListedAgent(world, { name: 'Asleep' }, { supply: 50 });
    // The ticket price of Busy follows from its supply, which has doubled from 10 to 20 in 24 hours. So the price is four times as
    // high (20² / 10²), a change of 300 %. `price` is what all tickets of a trade cost together. Of the two traders, Bea is a new
    // holder.
    for (const [trader, hours, amount, supplyAfter, price] of [
      [ann, 30, 1, 10, 5n * ETH],
      [ann, 20, 5, 15, 2n * ETH],
      [ann, 19, 3, 18, ETH],
      [bea, 6, 2, 20, ETH],
    ] as const) {
      lastTradeAt = ago(hours);
      await addTrade(world, { agent: busy.wallet, trader, blockTime: lastTradeAt, amount, supplyAfter, price });
    }
    await runSql(world.deps, 'update ticket_holding set since = $1 where agent = $2', [ago(72), busy.wallet]);
    await addHolding(world, { agent: busy.wallet, holder: ann, since: ago(30) });
    await addHolding(world, { agent: busy.wallet, holder: bea, since: ago(6) });
    // Calm registered today. One trader has sold and no longer holds tickets.
    const ofCalm = { agent: calm.wallet, trader: bea };
    await addTrade(world, { ...ofCalm, blockTime: ago(25), supplyAfter: 9 });
    await addTrade(world, { ...ofCalm, type: 'SELL', blockTime: ago(0), supplyAfter: 8, price: ETH });
    // The agent of this market has no profile at the service, so it must not be listed.
    const stranger = randomWallet();
    await addMarket(world, stranger, { supply: 9 });
    await addTrade(world, { agent: stranger, trader: ann, price: 99n * ETH });
  });

  it('ranks the registered agents with a trade in the last 24 hours', async () => {
    const body = success(await read());
    const [first, second] = body.trending as Body[];
    expect(first).to.deep.equal({
      rank: 1,
      agent: {
        id: busy.wallet,
        name: 'Busy',
        agentId: 'busy',
        avatarUrl: null,
        walletAddress: busy.wallet,
        totalSupply: 20,
        holderCount: 3,
        isClaimed: false,
      },
      ticketPriceEth: '0.008',
      priceChange24h: 300,
      volume: 4,
      volume24h: 4,
      volume24hWei: '4000000000000000000',
      txCount: 3,
      uniqueTraders: 2,
      newHolders24h: 1,
      // Volume, traders, price change, recency and new holders give 30 + 25 + 20 + 15 * 0.75 + 10 = 96.25, rounded.
      trendScore: 96,
      lastTradeAt: lastTradeAt.toISOString(),
    });
    // The same parts give 30 / 4 + 25 / 2 + 0 + 15 + 10 = 45. The supply has fallen from 9 to 8, so the price has fallen by 20.99 %
    // (8² / 9² is 0.7901).
    expect(second).to.include({ rank: 2, txCount: 1, newHolders24h: 1, priceChange24h: -20.99, trendScore: 45 });
    expect(body.total).to.equal(2);
    expect(body.updatedAt).to.equal(world.clock.now().toISOString());
    expect((await read('?limit=1')).body).to.deep.include({ trending: [first], total: 2 });
  });

  it('drops a trade after 24 hours', async () => {
    world.clock.advance(19 * HOUR);
    expect((await read()).body.total).to.equal(1);
    world.clock.advance(6 * HOUR);
    expect((await read()).body).to.deep.include({ trending: [], total: 0 });
  });
});
