// Runs with few others: an answer must come within 400 ms of a timeout.
import { expect } from 'chai';
import { freshIp, newAgent, type TestAgent } from '../../../support/market/agents.js';
import { newTrader, owner } from '../../../support/market/traders.js';
import { withoutChain } from '../../../support/parts.js';
import { useWorld, type World } from '../../../support/world.js';

type Transaction = { to: string; from: string; data: string; value: string; gasLimit: string };

describe('GET /api/tickets/quote', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let seller: TestAgent;
  let buyer: TestAgent;

  const quote = (given: Record<string, string>) => {
    const query = new URLSearchParams({
      action: 'buy',
      agent: seller.wallet,
      amount: '1',
      walletAddress: buyer.wallet,
      ...given,
    });
    return world.ask('GET', `/api/tickets/quote?${query}`, { key: buyer.key });
  };
  const balanceOf = async (agent: string, holder: string) =>
    Number(await owner(world.chain).getFunction('ticketBalance')(agent, holder));
  const send = async ({ body }: { body: Record<string, unknown> }) => {
    const receipt = await (await buyer.trader.signer.sendTransaction(body.transaction as Transaction)).wait();
    if (!receipt) throw new Error('no receipt');
    return receipt;
  };

  before(async () => {
    [seller, buyer] = [await newAgent(world), await newAgent(world)];
  });
  // The clock moves on, so that the rate limit of the key does not apply.
  beforeEach(() => world.clock.advance(60_000));

  it('returns a buy with a transaction that is ready to sign', async () => {
    const answer = await quote({ amount: '3' });
    expect(answer.status).to.equal(200);
    const { transaction, note, ...figures } = answer.body;
    // The price is (1 + 4 + 9) / 50000 ETH. Each fee is 5 % of the price, and the slippage is 5 % of the total.
    expect(JSON.stringify(figures)).to.equal(
      JSON.stringify({
        success: true,
        action: 'buy',
        agent: seller.wallet,
        amount: 3,
        basePrice: '0.00028',
        protocolFee: '0.000014',
        agentFee: '0.000014',
        totalCost: '0.000308',
        maxCost: '0.0003234',
        slippagePercent: '5',
      }),
    );
    expect(Object.keys(answer.body).slice(-2)).to.deep.equal(['transaction', 'note']);
    expect(note).to.match(/^Sign and send transaction as it is.*POST \/api\/tickets\/buy attaches a thesis to it\.$/);
    const { data, ...call } = transaction as Transaction;
    expect(JSON.stringify(call)).to.equal(
      JSON.stringify({
        to: world.chain.contract,
        from: buyer.wallet,
        value: `0x${323_400_000_000_000n.toString(16)}`,
        gasLimit: '0x30d40',
      }),
    );
    expect(data).to.match(/^0x[0-9a-f]{200}$/);
    await send(answer);
    expect(await balanceOf(seller.wallet, buyer.wallet)).to.equal(3);
  });

  it('returns a sale with a transaction that is ready to sign', async () => {
    const before = world.clock.now();
    const answer = await quote({ action: 'sell', amount: '2' });
    const { transaction, balanceAt, ...figures } = answer.body;
    // The price is (4 + 9) / 50000 ETH. The fees are 10 % of it, and the slippage is 5 % of the rest.
    expect(JSON.stringify(figures)).to.equal(
      JSON.stringify({
        success: true,
        action: 'sell',
        agent: seller.wallet,
        amount: 2,
        basePrice: '0.00026',
        protocolFee: '0.000013',
        agentFee: '0.000013',
        totalCost: '0.000234',
        minPayout: '0.0002223',
        slippagePercent: '5',
        ticketBalance: 3,
      }),
    );
    expect(Object.keys(answer.body).slice(-3)).to.deep.equal(['ticketBalance', 'balanceAt', 'transaction']);
    expect(new Date(String(balanceAt)).toISOString()).to.equal(balanceAt);
    expect(new Date(String(balanceAt))).to.be.within(before, world.clock.now());
    expect(transaction).to.include({ to: world.chain.contract, from: buyer.wallet, value: '0x0', gasLimit: '0x30d40' });
    await send(answer);
    expect(await balanceOf(seller.wallet, buyer.wallet)).to.equal(1);
  });

  it('returns a buy that succeeds after the price rose by less than 5 %', async () => {
    const agent = await newAgent(world);
    for (let i = 0; i < 3; i++) await agent.trader.buy(agent.wallet, 20);
    const quoted = await quote({ agent: agent.wallet });
    await agent.trader.buy(agent.wallet, 1);
    await send(quoted);
    expect(await balanceOf(agent.wallet, buyer.wallet)).to.equal(1);
  });

  it('sets a gas limit of at least three times the gas of the most expensive trade', async () => {
    await world.chain.reset();
    const [first, agent] = [await newTrader(world.chain), await newTrader(world.chain)];
    await agent.register('Dearest');
    // No trade happened before, so the buy writes only new storage slots, which cost the most gas.
    const bought = await first.buy(agent.wallet, 20);
    expect(Number(bought.gasUsed)).to.be.below(66_000);
    expect(Number((await first.sell(agent.wallet, 20)).gasUsed)).to.be.below(66_000);
  });
});

describe('GET /api/tickets/quote with invalid input', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let seller: TestAgent;
  let buyer: TestAgent;
  const ask = (given: Record<string, string | undefined>, from: World = world, key = buyer.key) => {
    const query = { action: 'buy', agent: seller.wallet, amount: '1', walletAddress: buyer.wallet, ...given };
    const sent = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return from.ask('GET', `/api/tickets/quote?${new URLSearchParams(sent)}`, { key, headers: freshIp() });
  };

  before(async () => {
    [seller, buyer] = [await newAgent(world), await newAgent(world)];
    await buyer.trader.buy(seller.wallet, 2);
  });
  beforeEach(() => world.clock.advance(60_000));

  const refusals: [given: Record<string, string | undefined>, status: number, error: string][] = [
    [{ action: undefined }, 400, 'Missing required field: action'],
    [{ action: 'hold' }, 400, 'Invalid query parameter: action'],
    [{ type: 'sell' }, 400, 'Invalid query parameter: type'],
    [{ agent: undefined }, 400, 'Missing required field: agent'],
    [{ agent: 'tester' }, 400, 'Invalid address format'],
    [{ amount: undefined }, 400, 'Missing required field: amount'],
    [{ amount: '21' }, 400, 'Amount must be between 1 and 20'],
    [{ amount: '1.5' }, 400, 'Amount must be between 1 and 20'],
    [{ walletAddress: undefined }, 400, 'Missing required field: walletAddress'],
    [{ walletAddress: '0x1' }, 400, 'Invalid address format'],
    [{ action: 'sell', amount: '3' }, 400, 'Insufficient ticket balance'],
    [{ agent: `0x${'ab'.repeat(20)}` }, 404, 'Agent not found'],
    [{ walletAddress: `0x${'ab'.repeat(20)}` }, 403, 'Not authorized'],
  ];
  for (const [given, status, error] of refusals) {
    it(`refuses ${JSON.stringify(given)}: ${error}`, async () => {
      const { status: actual, body } = await ask(given);
      expect([actual, body.success, body.error]).to.deep.equal([status, false, error]);
    });
  }

  it('states how many tickets can be sold and which wallet address to send', async () => {
    const hintOf = async (given: Record<string, string>, key = buyer.key) => (await ask(given, world, key)).body.hint;
    expect(await hintOf({ action: 'sell', amount: '3' })).to.match(/^The wallet holds 2 of these tickets/);
    const none = { action: 'sell', agent: buyer.wallet, walletAddress: seller.wallet };
    expect(await hintOf(none, seller.key)).to.match(/^The wallet holds 0 of these tickets/);
    const ownMarket = { action: 'sell', agent: buyer.wallet };
    expect(await hintOf(ownMarket)).to.match(/^At most 0 can be sold now/);
    expect(await hintOf({ walletAddress: seller.wallet })).to.match(/wallet of the key as walletAddress/);
  });

  it('refuses to sell the last ticket', async () => {
    const { status, body } = await ask(
      { action: 'sell', agent: seller.wallet, walletAddress: seller.wallet },
      world,
      seller.key,
    );
    // The seller may sell its first ticket while others hold tickets. The buyer holds the only ticket of its own
    // market.
    expect([status, body.ticketBalance]).to.deep.equal([200, 1]);
    const ownMarket = { action: 'sell', agent: buyer.wallet };
    const last = await ask(ownMarket);
    expect([last.status, last.body.error]).to.deep.equal([400, 'Cannot sell the last ticket']);
  });

  it('refuses to quote a buy of an agent that is registered on the chain only', async () => {
    const stranger = await newTrader(world.chain);
    await stranger.register('Stranger');
    const { status, body } = await ask({ agent: stranger.wallet });
    expect([status, body.error]).to.deep.equal([404, 'Agent not found']);
  });

  it('accepts type instead of action, and addresses in any case', async () => {
    const { status, body } = await ask({
      action: undefined,
      type: 'sell',
      agent: `0x${seller.wallet.slice(2).toUpperCase()}`,
      walletAddress: `0x${buyer.wallet.slice(2).toUpperCase()}`,
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ action: 'sell', agent: seller.wallet });
  });

  it('answers 401 without a valid key', async () => {
    const path = '/api/tickets/quote';
    const missing = await world.ask('GET', path, { headers: freshIp() });
    expect([missing.status, missing.body.error]).to.deep.equal([401, 'Missing API key']);
    const wrong = await world.ask('GET', path, { key: 'x'.repeat(64), headers: freshIp() });
    expect([wrong.status, wrong.body.error]).to.deep.equal([401, 'Invalid API key']);
  });

  it('answers 503 within 3 seconds when the chain is unreachable', async () => {
    await withoutChain(world, async (away) => {
      for (const action of ['buy', 'sell']) {
        const started = performance.now();
        const { status, body } = await ask({ action }, away);
        expect([status, body.error]).to.deep.equal([503, 'Chain RPC unavailable']);
        expect(performance.now() - started).to.be.below(3400);
      }
    });
  });
});
