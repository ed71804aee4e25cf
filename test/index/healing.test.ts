// CI: the index compares itself with the chain, which is expensive.
import { expect } from 'chai';
import type { Market } from '../../src/chain/market.js';
import { catchUp } from '../../src/index/ingest.js';
import { firstAfter, topics, useLossyIndex } from '../support/chain/lossy-index.js';
import type { Log } from '../support/chain/relay.js';
import { newTrader } from '../support/market/traders.js';
import { useWorld } from '../support/world.js';

describe('an index whose RPC omits logs', () => {
  const world = useWorld();
  const suite = useLossyIndex(world);
  const of = (hash: string) => (log: Log) => log.transactionHash === hash;
  const indexed = async (market: Market) =>
    expect(await catchUp({ ...world.deps, market }, await suite.head())).to.equal(true);

  it('reads a trade in the head block from its receipts', async () => {
    const { market, nodes } = await suite.over(1);
    await indexed(market);
    const [hash = ''] = await suite.traffic.act(1);
    for (const node of nodes) node.omits = of(hash);
    await indexed(market);
    expect(nodes[0]?.omitted).to.be.greaterThan(0);
    expect(await suite.isWhole()).to.equal(true);
    // Without receipts, the index requests the logs of that single block.
    const [next = ''] = await suite.traffic.act(1);
    for (const node of nodes) {
      node.lacks.add('eth_getBlockReceipts');
      node.omits = (log) => of(next)(log) && node.asked.at(-1)?.method !== 'eth_getLogs';
    }
    await indexed(market);
    expect(await suite.isWhole()).to.equal(true);
  });

  it('requests no receipts when the bloom filter of a block excludes a log', async () => {
    const { market, nodes } = await suite.over(1);
    await indexed(market);
    await suite.mine(8);
    await suite.traffic.act(4);
    await indexed(market);
    expect(nodes[0]?.asked.filter(({ method }) => method === 'eth_getBlockReceipts')).to.deep.equal([]);
  });

  for (const urls of [1, 2]) {
    it(`restores the missing one of two trades in a block, and announces it once, over ${urls} URL${urls === 1 ? '' : 's'}`, async () => {
      const { market, node } = await suite.over(urls);
      await suite.traffic.act(5);
      suite.start(market);
      await suite.becomesWhole();
      node.omits = firstAfter(await suite.head()).omits;
      await suite.together();
      await suite.becomesWhole();
      expect(node.omitted).to.be.greaterThan(0);
      expect(suite.said('lacked facts')).to.not.deep.equal([]);
      await suite.traffic.act(3);
      await suite.becomesWhole();
      const events = await world.deps.sql<{ subject: string; removed: boolean }>(
        "select subject, removed from live_event where topic = 'trade' order by subject",
      );
      const trades = await world.deps.sql('select event_id as subject, false as removed from transaction order by 1');
      expect(events).to.deep.equal(trades);
    });
  }

  for (const kind of ['AgentRegistered', 'TicketsBought', 'AgentFeesWithdrawn'] as const) {
    it(`repairs a missing ${kind} in a long range without a later trade`, async () => {
      await suite.traffic.act(30);
      const [agent, buyer] = suite.traffic.traders;
      await (await newTrader(world.chain)).register('Newcomer');
      await buyer?.buy(agent?.wallet ?? '', 20);
      // The withdrawal fails if the agent withdrew less than a day ago.
      await agent?.withdraw().catch(() => undefined);
      await suite.mine(5);
      const logs = await world.chain.provider.getLogs({
        address: world.chain.contract,
        topics: [topics[kind] ?? ''],
        fromBlock: 1,
      });
      const lost = logs.at(-1)?.transactionHash;
      expect(lost, 'the chain has such a log').to.be.a('string');
      const { market, nodes } = await suite.over(2);
      for (const node of nodes) node.omits = of(lost ?? '');
      suite.start(market);
      await suite.becomesWhole();
      expect(nodes[0]?.omitted).to.be.greaterThan(0);
    });
  }
});
