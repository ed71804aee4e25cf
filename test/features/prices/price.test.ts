import { expect } from 'chai';
import { freshIp, success } from '../../support/market/agents.js';
import { newTrader, type Trader } from '../../support/market/traders.js';
import { withParts } from '../../support/parts.js';
import { useWorld } from '../../support/world.js';

const FOUR_TICKETS = 4;

describe('GET /api/price', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let trader: Trader;
  const price = (query: string) => world.ask('GET', `/api/price?${query}`, { headers: freshIp() });

  before(async () => {
    trader = await newTrader(world.chain);
    await trader.register('Priced');
    await trader.buy(trader.wallet, FOUR_TICKETS);
  });

  it('returns the buy price of one ticket, even for an agent that exists only on the chain', async () => {
    const body = success(await price(`agent=${trader.wallet}`));
    // The price is 5 * 5 / 50000 ETH, and the fees are 10 % of it.
    expect(body).to.deep.equal({
      success: true,
      agent: trader.wallet,
      amount: 1,
      type: 'buy',
      price: '500000000000000',
      priceEth: '0.0005',
      priceUsd: 1.25,
      priceAfterFee: '550000000000000',
      priceAfterFeeEth: '0.00055',
      priceAfterFeeUsd: 1.38,
      protocolFeeEth: '0.000025',
      agentFeeEth: '0.000025',
      totalSupply: 5,
    });
  });

  it('returns the payout of a sale and, with slippage, the minimum payout, rounded down', async () => {
    const { body } = await price(`agent=${trader.wallet}&amount=2&type=sell&slippage=0.5`);
    // The price is (3 * 3 + 4 * 4) / 50000 ETH, and the fees are 10 % of it.
    expect(body).to.deep.equal({
      success: true,
      agent: trader.wallet,
      amount: 2,
      type: 'sell',
      price: '500000000000000',
      priceEth: '0.0005',
      priceUsd: 1.25,
      priceAfterFee: '450000000000000',
      priceAfterFeeEth: '0.00045',
      priceAfterFeeUsd: 1.13,
      protocolFeeEth: '0.000025',
      agentFeeEth: '0.000025',
      totalSupply: 5,
      slippagePercent: '0.5',
      minPayout: '447750000000000',
      minPayoutEth: '0.00044775',
    });
  });

  it('returns the maximum cost of a buy with slippage', async () => {
    const { body } = await price(`agent=${trader.wallet}&amount=1&type=buy&slippage=12.25`);
    expect(body).to.include({
      slippagePercent: '12.25',
      maxTotalCost: '617375000000000',
      maxTotalCostEth: '0.000617375',
    });
    expect((await price(`agent=${trader.wallet}&slippage=0`)).body).to.include({
      slippagePercent: '0',
      maxTotalCost: '550000000000000',
    });
    expect((await price(`agent=${trader.wallet}&slippage=50.00`)).body.slippagePercent).to.equal('50');
  });

  it('splits the fees as the contract does', async () => {
    const market = { ...world.deps.market, feeSplit: async () => ({ protocolBps: 750n, agentBps: 250n }) };
    await withParts(world, { market }, async (other) => {
      const { body } = await other.ask('GET', `/api/price?agent=${trader.wallet}`, { headers: freshIp() });
      expect(body).to.include({
        protocolFeeEth: '0.0000375',
        agentFeeEth: '0.0000125',
        priceAfterFee: '550000000000000',
      });
    });
  });

  const refusals: [query: string, error: string][] = [
    ...['0', '21', '-1', '1.0', '1e1', '0x1', '%201', '', 'many'].map((amount): [string, string] => [
      `agent=AGENT&amount=${amount}`,
      'Amount must be between 1 and 20',
    ]),
    ...['50.01', '51', '-1', '1e1', '0.123', '.5', '5.', '', 'NaN'].map((slippage): [string, string] => [
      `agent=AGENT&slippage=${slippage}`,
      'Invalid query parameter: slippage',
    ]),
    ['agent=AGENT&type=sell&amount=5', 'Cannot sell the last ticket'],
    ['agent=AGENT&type=sell&amount=20', 'Cannot sell the last ticket'],
  ];
  for (const [query, error] of refusals) {
    it(`refuses ?${query}: ${error}`, async () => {
      const { status, body } = await price(query.replace('AGENT', trader.wallet));
      expect([status, body.success, body.error]).to.deep.equal([400, false, error]);
      expect(body.hint).to.be.a('string').that.is.not.empty;
      if (error === 'Cannot sell the last ticket') expect(body.hint).to.match(/^At most 4 can be sold now/);
    });
  }

  it('reads the fee split from the chain once in ten minutes', async () => {
    const { provider } = world.chain;
    const call = provider.call.bind(provider);
    let asked = 0;
    provider.call = (tx) => {
      asked++;
      return call(tx);
    };
    try {
      // The other call reads the supply.
      for (const [minutes, calls] of [
        [10, 2],
        [0, 1],
        [10, 2],
      ] as const) {
        world.clock.advance(minutes * 60_000);
        asked = 0;
        success(await price(`agent=${trader.wallet}`));
        expect(asked).to.equal(calls);
      }
    } finally {
      provider.call = call;
    }
  });
});
