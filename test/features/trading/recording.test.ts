// Server: transactions run at the same time on PostgreSQL only.
import { expect } from 'chai';
import { callData } from '../../../src/chain/contract-interface.js';
import { readCursor } from '../../../src/index/cursor.js';
import { Indexer } from '../../../src/index/indexer.js';
import { alone, indexAll } from '../../support/chain/indexed.js';
import { freshIp, newAgent, refusal, success, type TestAgent } from '../../support/market/agents.js';
import { newTrader } from '../../support/market/traders.js';
import { eventually } from '../../support/service/process.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

const ETHER = '0de0b6b3a7640000';

/** Contract code that forwards its input to the market twice, each time with one ether, and accepts ether. */
const twice = (market: string): string => {
  const call = `6000600036600067${ETHER}73${market.slice(2)}5af150`;
  const body = `366000600037${call}${call}`;
  const end = (5 + body.length / 2).toString(16).padStart(2, '0');
  return `0x361560${end}57${body}5b00`;
};

describe('recording a trade', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let ada: TestAgent;
  let bob: TestAgent;

  before(async () => {
    ada = await newAgent(world, { name: 'Ada' });
    bob = await newAgent(world, { name: 'Bob' });
  });

  const record = (side: 'buy' | 'sell', { key }: TestAgent, txHash: string, amount = 1, thesis?: string) =>
    world.ask('POST', `/api/tickets/${side}`, {
      key,
      body: { txHash, agentAddress: ada.wallet, amount, thesis },
      headers: freshIp(),
    });

  /** Buys one ticket of Ada twice in one transaction, through contract code at the wallet. */
  async function buyTwice(wallet: string): Promise<string> {
    const { provider, contract } = world.chain;
    await provider.send('anvil_setCode', [wallet, twice(contract)]);
    await provider.send('anvil_setBalance', [wallet, '0x56bc75e2d63100000']);
    const sender = await newTrader(world.chain);
    const data = callData('buyTickets', [ada.wallet, 1, 10n ** 18n]);
    const sent = await sender.signer.sendTransaction({ to: wallet, data, gasLimit: 1_000_000 });
    expect((await sent.wait())?.logs).to.have.length(2);
    return sent.hash;
  }

  it('records each of two identical trades once under concurrent requests', async () => {
    const twin = await newAgent(world, { name: 'Twin wallet' });
    const hash = await buyTwice(twin.wallet);
    const answers = await Promise.all(['left', 'right', 'none'].map((thesis) => record('buy', twin, hash, 1, thesis)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 201, 409]);
    const given = answers.filter(({ status }) => status === 201).map(({ body }) => body.trade as { thesis: string });
    const { trades } = success(await world.ask('GET', '/api/agents/twin_wallet/trades'));
    const stored = (trades as { thesis: string }[]).map(({ thesis }) => thesis);
    expect(stored.sort()).to.deep.equal(given.map(({ thesis }) => thesis).sort());
  });

  it('hides the thesis of another wallet from before a reorg, and accepts that of the trader', async () => {
    const cleo = await newAgent(world, { name: 'Cleo' });
    const { hash } = await cleo.trader.buy(ada.wallet, 4);
    const ordinal = 0;
    const claim =
      'insert into trade_claim (tx_hash, ordinal, claimant, thesis, created_at) values ($1, $2, $3, $4, $5)';
    await runSql(world.deps, claim, [hash, ordinal, ada.wallet, 'of another trade', world.clock.now()]);
    await indexAll(world.deps);
    const shown = async () => {
      const { trades } = success(await world.ask('GET', '/api/agents/cleo/trades'));
      const { feed } = success(await world.ask('GET', `/api/feed?type=BOUGHT`, { key: cleo.key }));
      return [trades, feed].map(
        (list) => (list as Record<string, unknown>[]).find(({ txHash }) => txHash === hash)?.thesis,
      );
    };
    expect(await shown()).to.deep.equal([null, null]);
    expect(success(await record('buy', cleo, hash, 4, 'mine')).trade).to.include({ thesis: 'mine' });
    expect(await shown()).to.deep.equal(['mine', 'mine']);
    expect(refusal(await record('buy', cleo, hash, 4, 'again'))).to.equal('409 Transaction already recorded');
  });

  it('refuses a trade that a contract made for the caller', async () => {
    const wrapper = `0x${'ab'.repeat(20)}`;
    expect(refusal(await record('buy', bob, await buyTwice(wrapper)))).to.equal('422 Transaction verification failed');
  });

  it('records a trade without a position while the index lags by more than 2,000 blocks', async () => {
    for (let mined = 0; mined <= 2000; mined += 100) await world.chain.provider.send('anvil_mine', ['0x64']);
    const { hash: bought } = await bob.trader.buy(ada.wallet, 3);
    const { hash: sold } = await bob.trader.sell(ada.wallet, 2);
    const { blockNumber } = await readCursor(world.deps);
    const buy = success(await record('buy', bob, bought, 3, 'patience'));
    const sell = success(await record('sell', bob, sold, 2));
    expect(buy.position).to.equal(null);
    expect(buy.trade).to.include({ type: 'AGENT_BUY', thesis: 'patience', amount: 3, txHash: bought });
    expect(sell).to.deep.include({ position: null });
    expect(sell.trade).to.include({ type: 'AGENT_SELL', costBasis: null, realizedPnl: null, realizedPnlWei: null });
    expect(refusal(await record('sell', bob, sold, 2))).to.equal('409 Transaction already recorded');
    expect(await readCursor(world.deps)).to.include({ blockNumber });

    const indexer = new Indexer(world.deps, { leadership: alone, pollMs: 20 });
    const traded = async () =>
      success(await world.ask('GET', '/api/agents/bob/trades')).trades as Record<string, unknown>[];
    await eventually(async () => (await traded()).length === 2).finally(() => indexer.stop());
    const [sale, purchase] = await traded();
    const { realizedPnl, realizedPnlWei, costBasis, costBasisWei, ...fixed } = sell.trade as Record<string, unknown>;
    expect([realizedPnl, realizedPnlWei, costBasis, costBasisWei]).to.deep.equal([null, null, null, null]);
    expect(sale).to.deep.include(fixed).and.to.have.property('realizedPnlWei').that.is.a('string');
    expect(purchase).to.deep.equal(buy.trade);
  });
});
