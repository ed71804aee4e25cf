import { expect } from 'chai';
import { ensureCursor } from '../../../src/index/cursor.js';
import { freshIp, newAgent, refusal, success, type TestAgent } from '../../support/market/agents.js';
import { addTrade } from '../../support/market/rows.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

describe('trades over REST', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let ada: TestAgent;
  let bob: TestAgent;

  before(async () => {
    await ensureCursor(world.deps, async () => 1);
    ada = await newAgent(world, { name: 'Ada' });
    bob = await newAgent(world, { name: 'Bob' });
  });

  const record = (side: 'buy' | 'sell', agent: TestAgent, body: Record<string, unknown>) =>
    world.ask('POST', `/api/tickets/${side}`, { key: agent.key, body, headers: freshIp() });

  it('records a buy once, with its thesis and position', async () => {
    const { hash } = await bob.trader.buy(ada.wallet, 3);
    const body = { txHash: hash, agentAddress: ada.wallet, amount: 3, thesis: '<b>Good</b> a < b' };
    const answers = await Promise.all([record('buy', bob, body), record('buy', bob, body), record('buy', bob, body)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409]);
    const made = answers.find(({ status }) => status === 201)?.body as Record<string, never>;
    // The price is 1 + 4 + 9 = 14 squares.
    expect(made.trade).to.include({
      type: 'AGENT_BUY',
      amount: 3,
      price: '280000000000000',
      protocolFee: '14000000000000',
      agentFee: '14000000000000',
      total: '308000000000000',
      thesis: 'Good a < b',
      agentName: 'Ada',
      buyerOrSellerName: 'Bob',
      costBasis: null,
    });
    expect(made.position).to.deep.equal({ amount: 3, avgCostBasis: 0.000102666666666666 });
  });

  it('records a sale with its realized PnL by FIFO', async () => {
    const { hash } = await bob.trader.sell(ada.wallet, 2);
    const body = success(await record('sell', bob, { txHash: hash, agentAddress: ada.wallet, amount: 2 }));
    const trade = body.trade as Record<string, unknown>;
    // The payout is 13 squares minus 10 %, 234000000000000. The cost is floor(308000000000000 * 2 / 3) = 205333333333333.
    expect(trade).to.include({
      type: 'AGENT_SELL',
      total: '234000000000000',
      costBasisWei: '205333333333333',
      realizedPnlWei: '28666666666667',
    });
    expect(body.position).to.deep.equal({ amount: 1, avgCostBasis: 0.000102666666666667 });
  });

  it('refuses a wrong thesis, and then accepts the trade', async () => {
    const { hash } = await bob.trader.buy(ada.wallet, 1);
    const body = { txHash: hash, agentAddress: ada.wallet, amount: 1 };
    const refused = await record('buy', bob, { ...body, thesis: 'see www.example' });
    expect(refusal(refused)).to.equal('400 Thesis must not contain URLs');
    expect((await record('buy', bob, body)).status).to.equal(201);
  });

  it('shows the owner its newest 50 trades, and other callers the newest 5, page by page', async () => {
    const cleo = await newAgent(world, { name: 'Cleo' });
    const made: string[] = [];
    for (let i = 0; i < 52; i++) {
      const blockNumber = 9_000_000 + i;
      made.unshift((await addTrade(world, { trader: cleo.wallet, agent: bob.wallet, blockNumber })).txHash);
    }
    const shown = async (query: string, key?: string) => {
      const body = success(await world.ask('GET', `/api/agents/cleo/trades${query}`, key ? { key } : {}));
      return { hashes: (body.trades as { txHash: string }[]).map(({ txHash }) => txHash), pages: body.pagination };
    };
    const five = { page: 1, limit: 50, total: 5, totalPages: 1, hasMore: false };
    for (const key of [undefined, bob.key]) {
      expect(await shown('', key)).to.deep.equal({ hashes: made.slice(0, 5), pages: five });
      expect(await shown('?page=2', key)).to.deep.equal({ hashes: [], pages: { ...five, page: 2 } });
      const middle = { page: 2, limit: 2, total: 5, totalPages: 3, hasMore: true };
      expect(await shown('?page=2&limit=2', key)).to.deep.equal({ hashes: made.slice(2, 4), pages: middle });
      const last = { ...middle, page: 3, hasMore: false };
      expect(await shown('?page=3&limit=2', key)).to.deep.equal({ hashes: made.slice(4, 5), pages: last });
    }
    const all = { page: 1, limit: 50, total: 50, totalPages: 1, hasMore: false };
    expect(await shown('', cleo.key)).to.deep.equal({ hashes: made.slice(0, 50), pages: all });
    const third = { page: 3, limit: 20, total: 50, totalPages: 3, hasMore: false };
    expect(await shown('?page=3&limit=20', cleo.key)).to.deep.equal({ hashes: made.slice(40, 50), pages: third });
    expect((await shown('?page=4&limit=20', cleo.key)).hashes).to.deep.equal([]);
    expect((await shown('?side=received', cleo.key)).pages).to.deep.equal({ ...all, total: 0, totalPages: 0 });
    await runSql(world.deps, 'delete from transaction where trader = $1', [cleo.wallet]);
  });

  it('has totals in every PnL that add up to the wei', async () => {
    for (const agent of [ada, bob]) {
      const { body } = await world.ask('GET', '/api/agents/me/pnl', { key: agent.key });
      const pnl = body as {
        realized: Sum;
        unrealized: Sum;
        fees: { earnedWei: string };
        summary: { totalPnlWei: string };
      };
      const parts = [pnl.realized.totalWei, pnl.unrealized.totalWei, pnl.fees.earnedWei].map(BigInt);
      expect(parts.reduce((sum, part) => sum + part, 0n)).to.equal(BigInt(pnl.summary.totalPnlWei));
      const open = (await world.ask('GET', `/api/agents/${agent.wallet}/pnl`)).body;
      expect(open).to.deep.equal({ success: true, summary: pnl.summary });
    }
  });
});

type Sum = { totalWei: string };
