import { expect } from 'chai';
import { success } from '../../../../support/market/agents.js';
import { newTrader, type Trader } from '../../../../support/market/traders.js';
import { withParts } from '../../../../support/parts.js';
import { useWorld } from '../../../../support/world.js';

describe('GET /api/price', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let trader: Trader;
  const price = (query: string) => world.ask('GET', `/api/price?agent=${trader.wallet}${query}`);
  /** A sale of two tickets has the same price as a purchase of one: (3 * 3 + 4 * 4) / 50000 ETH is 5 * 5 / 50000 ETH. */
  const same = {
    success: true,
    price: '500000000000000',
    priceEth: '0.0005',
    priceUsd: 1.25,
    protocolFeeEth: '0.000025',
    agentFeeEth: '0.000025',
    totalSupply: 5,
  };

  before(async () => {
    trader = await newTrader(world.chain);
    await trader.register('Priced');
    await trader.buy(trader.wallet, 4);
  });

  it('returns the buy price of one ticket, even for an agent that exists only on the chain', async () => {
    expect(success(await price(''))).to.deep.equal({
      ...same,
      agent: trader.wallet,
      amount: 1,
      type: 'buy',
      priceAfterFee: '550000000000000',
      priceAfterFeeEth: '0.00055',
      priceAfterFeeUsd: 1.38,
    });
  });

  it('returns the payout of a sale, and its minimum payout with slippage', async () => {
    const { body } = await price('&amount=2&type=sell&slippage=0.5');
    expect(body).to.deep.equal({
      ...same,
      agent: trader.wallet,
      amount: 2,
      type: 'sell',
      priceAfterFee: '450000000000000',
      priceAfterFeeEth: '0.00045',
      priceAfterFeeUsd: 1.13,
      slippagePercent: '0.5',
      minPayout: '447750000000000',
      minPayoutEth: '0.00044775',
    });
  });

  it('returns the maximum cost of a buy with slippage', async () => {
    const bounds: [slippage: string, shown: string, maxTotalCost: string, maxTotalCostEth: string][] = [
      ['12.25', '12.25', '617375000000000', '0.000617375'],
      ['0', '0', '550000000000000', '0.00055'],
      ['50.00', '50', '825000000000000', '0.000825'],
    ];
    for (const [slippage, slippagePercent, maxTotalCost, maxTotalCostEth] of bounds) {
      const { body } = await price(`&amount=1&type=buy&slippage=${slippage}`);
      expect(body).to.include({ slippagePercent, maxTotalCost, maxTotalCostEth });
    }
  });

  it('splits the fees as the contract does', async () => {
    const chain = { ...world.deps.chain, feeSplit: async () => ({ protocolBps: 750n, agentBps: 250n }) };
    await withParts(world, { chain }, async (other) => {
      const { body } = await other.ask('GET', `/api/price?agent=${trader.wallet}`);
      const fees = { protocolFeeEth: '0.0000375', agentFeeEth: '0.0000125' };
      expect(body).to.include({ ...fees, priceAfterFee: '550000000000000' });
    });
  });

  const refusals: [error: string, hint: RegExp, queries: string[]][] = [
    [
      'Amount must be between 1 and 20',
      /^Send amount as an integer from 1 to 20\.$/,
      ['0', '21', '-1', '1.0', '1e1', '0x1', '%201', '', 'many'].map((amount) => `&amount=${amount}`),
    ],
    [
      'Invalid query parameter: slippage',
      /^Send slippage once, as /,
      ['50.01', '51', '-1', '1e1', '0.123', '.5', '5.', '', 'NaN'].map((slippage) => `&slippage=${slippage}`),
    ],
    ['Cannot sell the last ticket', /^At most 4 can be sold now/, ['&type=sell&amount=5', '&type=sell&amount=20']],
  ];
  for (const [error, hint, queries] of refusals) {
    it(`refuses ${queries.join(' ')}: ${error}`, async () => {
      for (const query of queries) {
        const { status, body } = await price(query);
        expect([status, body.success, body.error], query).to.deep.equal([400, false, error]);
        expect(body.hint, query).to.match(hint);
      }
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
      // Every request reads the supply with one call. The second call reads the fee split.
      for (const [minutes, calls] of [
        [10, 2],
        [0, 1],
        [10, 2],
      ] as const) {
        world.clock.advance(minutes * 60_000);
        asked = 0;
        success(await price(''));
        expect(asked).to.equal(calls);
      }
    } finally {
      provider.call = call;
    }
  });
});
