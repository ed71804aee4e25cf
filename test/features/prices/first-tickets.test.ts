import { expect } from 'chai';
import type { ContractTransactionReceipt } from 'ethers';
import { reconcile } from '../../../src/index/reorg.js';
import { emptyIndex, expectWholeIndex, indexAll } from '../../support/chain/indexed.js';
import { freshIp, refusal, success } from '../../support/market/agents.js';
import { newTrader, type Trader } from '../../support/market/traders.js';
import type { Json } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';

/** Cost of the tickets 1 to 5 with fees: (1 + 4 + 9 + 16 + 25) / 50000 ETH, plus 10 %. */
const COST_OF_FIVE = 1_210_000_000_000_000n;

describe('a registration with first tickets', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let trader: Trader;
  let registered: ContractTransactionReceipt;

  beforeEach(async () => {
    await world.chain.reset();
    await emptyIndex(world.deps);
    trader = await newTrader(world.chain);
    registered = await trader.registerWithTickets('First', 5);
  });

  const catchUpAll = () => indexAll(world.deps);
  const expectOracle = () => expectWholeIndex(world.deps);
  const read = async (path: string, key?: string) =>
    success(await world.ask('GET', path, { key, headers: { ...freshIp(), 'cache-control': 'no-cache' } })) as Json;
  async function post(txHash = registered.hash): Promise<string> {
    const body = { name: 'First', walletAddress: trader.wallet, txHash };
    const { agent } = success(await world.ask('POST', '/api/agents', { body, headers: freshIp() })) as Json;
    return agent.apiKey;
  }
  const record = (key: string, amount = 5) =>
    world.ask('POST', '/api/tickets/buy', {
      key,
      body: { txHash: registered.hash, agentAddress: trader.wallet, amount, thesis: 'My own start' },
      headers: freshIp(),
    });

  it('appears in feed, trades, card, PnL and candles', async () => {
    const key = await post();
    await catchUpAll();
    const { feed } = await read('/api/feed');
    expect(feed.map(({ type, amount }: Json) => [type, amount])).to.deep.equal([
      ['BOUGHT', 5],
      ['REGISTERED', undefined],
    ]);
    const { trades } = await read('/api/agents/me/trades', key);
    expect(trades).to.have.length(1);
    expect(trades[0]).to.include({
      type: 'AGENT_BUY',
      amount: 5,
      total: String(COST_OF_FIVE),
      txHash: registered.hash,
    });
    const { agent } = await read('/api/agents/first');
    expect(agent).to.include({ totalSupply: 6, holderCount: 1 });
    const { unrealized, fees } = await read('/api/agents/me/pnl', key);
    // The five tickets bring 90 % of their price and cost 110 % of it.
    const position = { agentAddress: trader.wallet, amount: 6, sellableAmount: 5, pnlWei: '-220000000000000' };
    expect(unrealized.holdings).to.have.length(1);
    expect(unrealized.holdings[0]).to.include(position);
    expect(fees.earnedWei).to.equal('55000000000000');
    // Holdings are tickets in other agents.
    expect((await read('/api/agents/first/holdings')).holdings).to.deep.equal([]);
    const { candles } = await read('/api/agents/first/candles');
    expect(candles.at(-1)).to.include({ open: '20000000000000', close: '720000000000000' });
    await expectOracle();
  });

  it('is recorded by POST /api/tickets/buy once, before or after the indexer', async () => {
    const key = await post();
    const { trade, position } = success(await record(key)) as Json;
    expect(trade).to.include({ type: 'AGENT_BUY', amount: 5, thesis: 'My own start', total: String(COST_OF_FIVE) });
    expect(position.amount).to.equal(6);
    expect(refusal(await record(key))).to.equal('409 Transaction already recorded');
    expect(refusal(await record(key, 4))).to.equal('422 Transaction verification failed');
    await catchUpAll();
    expect((await read('/api/agents/me/trades', key)).trades).to.have.length(1);
    await expectOracle();
  });

  it('is taken back as a whole by a reorg, and returns with the same event ids', async () => {
    const key = await post();
    success(await record(key));
    const { provider } = world.chain;
    const ids = async () => (await read('/api/feed')).feed.map(({ id }: Json) => id);
    const before = await ids();
    const raw = await provider.send('eth_getRawTransactionByHash', [registered.hash]);

    await provider.send('anvil_reorg', [1, []]);
    await provider.send('evm_mine', []);
    await reconcile(world.deps);
    await catchUpAll();
    expect(await ids()).to.deep.equal([]);
    expect(await world.deps.sql('select 1 from ticket_holding')).to.deep.equal([]);
    await expectOracle();

    await provider.broadcastTransaction(raw);
    await catchUpAll();
    expect(await ids()).to.deep.equal(before);
    const { trades } = await read('/api/agents/me/trades', key);
    expect(trades).to.have.length(1);
    expect(trades[0]).to.include({ type: 'AGENT_BUY', thesis: 'My own start' });
    await expectOracle();
  });

  it('of no tickets is a registration without a trade, and returns all ether', async () => {
    const other = await newTrader(world.chain);
    const before = await world.chain.provider.getBalance(other.wallet);
    const receipt = await other.registerWithTickets('Empty', 0);
    expect(before - (await world.chain.provider.getBalance(other.wallet))).to.equal(receipt.fee);
    await catchUpAll();
    await expectOracle();
    expect(await world.deps.sql('select 1 from transaction where agent = $1', [other.wallet])).to.deep.equal([]);
  });
});
