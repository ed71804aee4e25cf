import { expect } from 'chai';
import type { ContractTransactionReceipt } from 'ethers';
import { expectWholeIndex, indexAll } from '../../../../support/chain/indexed.js';
import { askAs, refusal, success } from '../../../../support/market/agents.js';
import { newTrader, type Trader } from '../../../../support/market/traders.js';
import type { Json } from '../../../../support/service/graphql.js';
import { useWorld } from '../../../../support/world.js';

/** Cost of the tickets 1 to 5 with fees: (1 + 4 + 9 + 16 + 25) / 50000 ETH, plus 10 %. */
const COST_OF_FIVE = 1_210_000_000_000_000n;

describe('a registration with first tickets', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let trader: Trader;
  let registered: ContractTransactionReceipt;
  let agent: { readonly key: string };

  before(async () => {
    trader = await newTrader(world.chain);
    registered = await trader.registerWithTickets('First', 5);
    const body = { name: 'First', walletAddress: trader.wallet, txHash: registered.hash };
    const { apiKey } = success(await world.ask('POST', '/api/agents', { body }));
    agent = { key: String(apiKey) };
  });

  it('is recorded only once by POST /api/tickets/buy', async () => {
    const record = (amount = 5) => {
      const body = { txHash: registered.hash, agentAddress: trader.wallet, amount, thesis: 'My own start' };
      return world.ask('POST', '/api/tickets/buy', { key: agent.key, body });
    };
    const { trade, position } = success(await record()) as Json;
    expect(trade).to.include({ type: 'AGENT_BUY', amount: 5, thesis: 'My own start', total: String(COST_OF_FIVE) });
    expect(position.amount).to.equal(6);
    expect(refusal(await record())).to.equal('409 Transaction already recorded');
    expect(refusal(await record(4))).to.equal('422 Transaction verification failed');
  });

  it('appears once in feed, trades, card, PnL and candles', async () => {
    await indexAll(world.deps);
    const read = (path: string): Promise<Json> => askAs(world, agent, 'GET', path);
    const { feed } = await read('/api/feed');
    expect(feed.map(({ type, amount }: Json) => [type, amount])).to.deep.equal([
      ['BOUGHT', 5],
      ['REGISTERED', undefined],
    ]);
    const { trades } = await read('/api/agents/me/trades');
    expect(trades).to.have.length(1);
    const { hash: txHash } = registered;
    expect(trades[0]).to.include({ type: 'AGENT_BUY', amount: 5, total: String(COST_OF_FIVE), txHash });
    expect((await read('/api/agents/first')).agent).to.include({ totalSupply: 6, holderCount: 1 });
    const { unrealized, fees } = await read('/api/agents/me/pnl');
    // The five tickets bring 90 % of their price and cost 110 % of it, so the loss is 20 % of it.
    const position = { agentAddress: trader.wallet, amount: 6, sellableAmount: 5, pnlWei: '-220000000000000' };
    expect(unrealized.holdings).to.have.length(1);
    expect(unrealized.holdings[0]).to.include(position);
    expect(fees.earnedWei).to.equal('55000000000000');
    // The list only has tickets of other agents, so it is empty.
    expect((await read('/api/agents/first/holdings')).holdings).to.deep.equal([]);
    const { candles } = await read('/api/agents/first/candles');
    expect(candles.at(-1)).to.include({ open: '20000000000000', close: '720000000000000' });
    await expectWholeIndex(world.deps);
  });
});
