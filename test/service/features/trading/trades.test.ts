import { expect } from 'chai';
import { Curvet } from '../../../../client/src/curvet.js';
import { callData } from '../../../../src/chain/contract-interface.js';
import { type Pnl, pnlOf } from '../../../../src/features/trading/pnl.js';
import { readCursor } from '../../../../src/index/cursor.js';
import { Indexer } from '../../../../src/index/indexer.js';
import type { Sql } from '../../../../src/store/sql.js';
import { alone, indexAll } from '../../../support/chain/indexed.js';
import { patientClock } from '../../../support/client/scripted.js';
import { newAgent, refusal, success, type TestAgent, tradeOnChain } from '../../../support/market/agents.js';
import { addTrade } from '../../../support/market/rows.js';
import { newTrader } from '../../../support/market/traders.js';
import type { Json } from '../../../support/service/graphql.js';
import { mcpClient, useTool } from '../../../support/service/mcp.js';
import { eventually } from '../../../support/service/process.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

const ETHER = '0de0b6b3a7640000';

/** Contract code that forwards its input to the market twice, each time with one ether. It also accepts ether. */
const twice = (market: string): string => {
  const call = `6000600036600067${ETHER}73${market.slice(2)}5af150`;
  const body = `366000600037${call}${call}`;
  const end = (5 + body.length / 2).toString(16).padStart(2, '0');
  return `0x361560${end}57${body}5b00`;
};

describe('the trading API', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let ada: TestAgent;
  let bob: TestAgent;

  before(async () => {
    ada = await newAgent(world, { name: 'Ada' });
    bob = await newAgent(world, { name: 'Bob' });
  });

  const record = (side: 'buy' | 'sell', { key }: TestAgent, body: Record<string, unknown>) =>
    world.ask('POST', `/api/tickets/${side}`, { key, body });
  const get = async (path: string, key?: string): Promise<Json> => success(await world.ask('GET', `/api/${path}`, { key }));

  it('records a buy once, with its thesis and position', async () => {
    const body = { ...(await tradeOnChain(bob, 'buy', ada, 3)), thesis: '<b>Good</b> a < b' };
    const answers = await Promise.all([record('buy', bob, body), record('buy', bob, body), record('buy', bob, body)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409]);
    const made = answers.find(({ status }) => status === 201)?.body as Json;
    // The price of 3 tickets is 1 + 4 + 9 = 14 times 20000000000000 wei.
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
    const { trade, position } = success(await record('sell', bob, await tradeOnChain(bob, 'sell', ada, 2)));
    // The payout is 4 + 9 = 13 times 20000000000000 wei, minus 10 %: 234000000000000. The cost of 2 of the 3 tickets is
    // floor(308000000000000 * 2 / 3) = 205333333333333.
    expect(trade).to.include({
      type: 'AGENT_SELL',
      total: '234000000000000',
      costBasisWei: '205333333333333',
      realizedPnlWei: '28666666666667',
    });
    expect(position).to.deep.equal({ amount: 1, avgCostBasis: 0.000102666666666667 });
  });

  it('refuses a wrong thesis, and then accepts the trade', async () => {
    const body = await tradeOnChain(bob, 'buy', ada, 1);
    const refused = await record('buy', bob, { ...body, thesis: 'see www.example' });
    expect(refusal(refused)).to.equal('400 Thesis must not contain URLs');
    expect((await record('buy', bob, body)).status).to.equal(201);
  });

  it('pages owners through their newest 50 trades, or all with `before`, and shows others the newest 5', async () => {
    const cleo = await newAgent(world, { name: 'Cleo' });
    const made: { hash: string; id: string }[] = [];
    for (let i = 0; i < 120; i++) {
      const blockNumber = 9_000_000 + i;
      const { txHash, eventId } = await addTrade(world, { trader: cleo.wallet, agent: bob.wallet, blockNumber });
      made.unshift({ hash: txHash, id: eventId });
    }
    const ledger = 'insert into wallet_ledger (wallet, trade_count, sell_count, bought, realized) values ($1, 120, 0, 0, 0)';
    await runSql(world.deps, ledger, [cleo.wallet]);
    const hashes = made.map(({ hash }) => hash);
    const idOf = (position: number) => made[position]?.id;
    const shown = async (query: string, key?: string) => {
      const { trades, total, pagination: pages } = await get(`agents/cleo/trades${query}`, key);
      return { hashes: trades.map(({ txHash }: Json) => txHash), total, pages };
    };
    const five = { page: 1, limit: 5, total: 5, totalPages: 1, hasMore: false };
    for (const key of [undefined, bob.key]) {
      for (const query of [
        '',
        '?page=2',
        '?page=0',
        '?limit=51',
        '?page=2&limit=2',
        '?limit=x',
        '?page=1&page=2',
        '?pag=2',
        `?before=${idOf(9)}`,
      ])
        expect(await shown(query, key), query).to.deep.equal({ hashes: hashes.slice(0, 5), total: 120, pages: five });
    }
    for (const path of ['agents/cleo/trades', 'agents/me/trades', `agents/${cleo.wallet}/trades`])
      for (const wrong of ['page=0', 'limit=51', 'before=x'])
        expect(refusal(await world.ask('GET', `/api/${path}?${wrong}`, { key: cleo.key }))).to.equal(
          `400 Invalid query parameter: ${wrong.split('=')[0]}`,
        );
    const all = { page: 1, limit: 50, total: 50, totalPages: 1, hasMore: false };
    const newest = { hashes: hashes.slice(0, 50), total: 120, pages: all };
    expect(await shown('', cleo.key)).to.deep.equal(newest);
    const third = { page: 3, limit: 20, total: 50, totalPages: 3, hasMore: false };
    expect(await shown('?page=3&limit=20', cleo.key)).to.deep.include({ hashes: hashes.slice(40, 50), pages: third });
    expect((await shown('?page=4&limit=20', cleo.key)).hashes).to.deep.equal([]);
    const older = `?before=${idOf(49)}`;
    expect(await shown(older, cleo.key)).to.deep.equal({ ...newest, hashes: hashes.slice(50, 100) });
    expect(await shown(`${older}&page=3&limit=20`, cleo.key)).to.deep.include({
      hashes: hashes.slice(90, 100),
      pages: third,
    });
    const rest = { page: 1, limit: 50, total: 20, totalPages: 1, hasMore: false };
    expect(await shown(`?before=${idOf(99)}`, cleo.key)).to.deep.include({ hashes: hashes.slice(100), pages: rest });
    const received = await shown('?side=received', cleo.key);
    expect(received).to.deep.include({ total: 0, pages: { ...all, total: 0, totalPages: 0 } });

    const owner = new Curvet({ baseUrl: world.url, apiKey: cleo.key, clock: patientClock });
    const read = (list: AsyncIterable<{ readonly txHash: string }>) => Array.fromAsync(list, ({ txHash }) => txHash);
    for (const query of [{}, { limit: 20 }, { limit: 50 }, { limit: 7 }])
      expect(await read(owner.agents.trades('me', query)), JSON.stringify(query)).to.deep.equal(hashes);
    expect(await read(owner.agents.trades('cleo', { page: 2, limit: 30 }))).to.deep.equal(hashes.slice(30));
    const stranger = new Curvet({ baseUrl: world.url, apiKey: bob.key, clock: patientClock });
    for (const query of [{}, { limit: 5 }, { limit: 2 }, { page: 2 }])
      expect(await read(stranger.agents.trades('cleo', query))).to.deep.equal(hashes.slice(0, 5));

    const tool = async (key: string, given: Record<string, unknown>) => {
      const client = await mcpClient(world, { key });
      const { trades, total } = await useTool(client, 'get_trades', given);
      return { hashes: trades.map(({ txHash }: Json) => txHash), total };
    };
    expect(await tool(cleo.key, { before: idOf(99), limit: 2 })).to.deep.equal({
      hashes: hashes.slice(100, 102),
      total: 120,
    });
    expect(await tool(bob.key, { agent: 'cleo', before: idOf(99), limit: 2 })).to.deep.equal({
      hashes: hashes.slice(0, 5),
      total: 120,
    });
    await runSql(world.deps, 'delete from transaction where trader = $1', [cleo.wallet]);
  });

  it('returns a PnL whose totals add up to the wei', async () => {
    for (const { wallet, key } of [ada, bob]) {
      const { realized, unrealized, fees, summary } = await get('agents/me/pnl', key);
      const total = BigInt(realized.totalWei) + BigInt(unrealized.totalWei) + BigInt(fees.earnedWei);
      expect(total).to.equal(BigInt(summary.totalPnlWei));
      expect(await get(`agents/${wallet}/pnl`)).to.deep.equal({ success: true, summary });
    }
  });

  /** Buys two tickets of Ada in two trades of one transaction, by contract code at the wallet. */
  async function buyTwice(wallet: string) {
    const { provider, contract } = world.chain;
    await provider.send('anvil_setCode', [wallet, twice(contract)]);
    // 100 ETH.
    await provider.send('anvil_setBalance', [wallet, '0x56bc75e2d63100000']);
    const sender = await newTrader(world.chain);
    const data = callData('buyTickets', [ada.wallet, 1, 10n ** 18n]);
    const sent = await sender.signer.sendTransaction({ to: wallet, data, gasLimit: 1_000_000 });
    expect((await sent.wait())?.logs).to.have.length(2);
    return { txHash: sent.hash, agentAddress: ada.wallet, amount: 1 };
  }

  it('records each of two identical trades once under concurrent requests', async () => {
    const twin = await newAgent(world, { name: 'Twin wallet' });
    const made = await buyTwice(twin.wallet);
    const answers = await Promise.all(['left', 'right', 'none'].map((thesis) => record('buy', twin, { ...made, thesis })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 201, 409]);
    const thesesOf = (trades: Json[]) => trades.map(({ thesis }) => thesis).sort();
    const given = answers.filter(({ status }) => status === 201).map(({ body }) => body.trade);
    expect(thesesOf((await get('agents/twin_wallet/trades')).trades)).to.deep.equal(thesesOf(given));
  });

  it('hides a thesis that another wallet wrote before a reorg, and accepts that of the trader', async () => {
    const dora = await newAgent(world, { name: 'Dora' });
    const bought = await tradeOnChain(dora, 'buy', ada, 4);
    const claim = 'insert into thesis (tx_hash, ordinal, author, text, created_at) values ($1, 0, $2, $3, $4)';
    await runSql(world.deps, claim, [bought.txHash, ada.wallet, 'of another trade', world.clock.now()]);
    await indexAll(world.deps);
    const shown = async () => {
      const { trades } = await get('agents/dora/trades');
      const { feed } = await get('feed?type=BOUGHT', dora.key);
      return [trades, feed].map((list) => list.find(({ txHash }: Json) => txHash === bought.txHash)?.thesis);
    };
    expect(await shown()).to.deep.equal([null, null]);
    expect(success(await record('buy', dora, { ...bought, thesis: 'mine' })).trade).to.include({ thesis: 'mine' });
    expect(await shown()).to.deep.equal(['mine', 'mine']);
    expect(refusal(await record('buy', dora, { ...bought, thesis: 'again' }))).to.equal('409 Transaction already recorded');
  });

  it('refuses a trade that a contract made for the caller', async () => {
    const made = await buyTwice(`0x${'ab'.repeat(20)}`);
    expect(refusal(await record('buy', bob, made))).to.equal('422 Transaction verification failed');
  });

  it('records a trade without a position while the index lags by more than 2,000 blocks', async () => {
    const eve = await newAgent(world, { name: 'Eve' });
    // Mines 100 blocks (0x64) at a time, 2,100 together.
    for (let mined = 0; mined <= 2000; mined += 100) await world.chain.provider.send('anvil_mine', ['0x64']);
    const bought = await tradeOnChain(eve, 'buy', ada, 3);
    const sold = await tradeOnChain(eve, 'sell', ada, 2);
    const { blockNumber } = await readCursor(world.deps);
    const buy = success(await record('buy', eve, { ...bought, thesis: 'patience' }));
    const sell = success(await record('sell', eve, sold)) as Json;
    expect([buy.position, sell.position]).to.deep.equal([null, null]);
    expect(buy.trade).to.include({ type: 'AGENT_BUY', thesis: 'patience', amount: 3, txHash: bought.txHash });
    const { realizedPnl, realizedPnlWei, costBasis, costBasisWei, ...fixed } = sell.trade;
    expect(fixed.type).to.equal('AGENT_SELL');
    expect([realizedPnl, realizedPnlWei, costBasis, costBasisWei]).to.deep.equal([null, null, null, null]);
    expect(refusal(await record('sell', eve, sold))).to.equal('409 Transaction already recorded');
    expect(await readCursor(world.deps)).to.include({ blockNumber });

    const indexer = new Indexer(world.deps, { leadership: alone, pollMs: 20 });
    const traded = async () => (await get('agents/eve/trades')).trades;
    await eventually(async () => (await traded()).length === 2).finally(() => indexer.stop());
    const [sale, purchase] = await traded();
    expect(sale).to.deep.include(fixed).and.to.have.property('realizedPnlWei').that.is.a('string');
    expect(purchase).to.deep.equal(buy.trade);
  });

  it('returns a PnL that includes a trade in all figures or in none, while the trade is indexed', async () => {
    const figures = ({ summary, sales, holdings }: Pnl) => ({ summary, count: sales.count, holdings });
    const trader = await newTrader(world.chain);
    await trader.register('Seller');
    await trader.buy(trader.wallet, 5);
    await trader.sell(trader.wallet, 1);
    await indexAll(world.deps);
    const seen = new Set<number>();
    for (let answered = 0; answered < 3; answered++) {
      const before = await pnlOf(world.deps, trader.wallet);
      await trader.sell(trader.wallet, 1);
      // The index applies the sale after the database has answered `answered` statements of `pnlOf`.
      let turn = 0;
      let arrived: Promise<unknown> | undefined;
      const late: Sql = async (text, values) => {
        const position = turn++;
        if (position > answered) {
          arrived ??= indexAll(world.deps);
          await arrived;
        }
        return world.deps.sql(text, values);
      };
      const read = await pnlOf({ ...world.deps, sql: late }, trader.wallet);
      await indexAll(world.deps);
      const after = await pnlOf(world.deps, trader.wallet);
      expect(figures(read)).to.deep.be.oneOf([figures(before), figures(after)]);
      const realized = read.sales.newest.reduce((sum, { realizedPnl }) => sum + (realizedPnl ?? 0n), 0n);
      expect([read.sales.newest.length, realized]).to.deep.equal([read.sales.count, read.summary.realized]);
      seen.add(turn);
    }
    expect(Math.max(...seen)).to.be.greaterThan(1);
  });
});
