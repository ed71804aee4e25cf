import { expect } from 'chai';
import type { Chain } from '../../../src/chain/chain.js';
import { AppError } from '../../../src/errors/errors.js';
import { readCursor } from '../../../src/index/cursor.js';
import { applyRange, catchUp } from '../../../src/index/ingest.js';
import { firstAfter, topicOf, useLossyIndex, withSupply } from '../../support/chain/lossy-index.js';
import { type Call, status } from '../../support/chain/node.js';
import type { Log, Relay } from '../../support/chain/relay.js';
import { newTrader } from '../../support/market/traders.js';
import { useWorld } from '../../support/world.js';

describe('an index whose RPC is faulty', () => {
  const world = useWorld();
  const suite = useLossyIndex(world);
  const of = (hash: string) => (log: Log) => log.transactionHash === hash;
  const indexed = async (chain: Chain) => expect(await catchUp({ ...world.deps, chain }, await suite.head())).to.equal(true);

  it('reads a trade in the head block from its receipts', async () => {
    const { chain, nodes } = await suite.over(1);
    await indexed(chain);
    const [hash = ''] = await suite.traffic.act(1);
    for (const node of nodes) node.omits = of(hash);
    await indexed(chain);
    expect(nodes[0]?.omitted).to.be.greaterThan(0);
    expect(await suite.isWhole()).to.equal(true);
    // A node without receipts of blocks makes the index request the logs of that single block.
    const [next = ''] = await suite.traffic.act(1);
    for (const node of nodes) {
      node.lacks.add('eth_getBlockReceipts');
      node.omits = (log) => of(next)(log) && node.asked.at(-1) !== 'eth_getLogs';
    }
    await indexed(chain);
    expect(await suite.isWhole()).to.equal(true);
  });

  it('requests no receipts when the bloom filter of a block excludes a log', async () => {
    const { chain, nodes } = await suite.over(1);
    await indexed(chain);
    // 12 blocks in total. Only ranges of at most 16 blocks are read with the bloom filters of their blocks.
    await suite.mine(8);
    await suite.traffic.act(4);
    await indexed(chain);
    expect(nodes[0]?.asked).to.include('eth_getLogs').and.not.include('eth_getBlockReceipts');
  });

  for (const urls of [1, 2]) {
    it(`restores the missing one of two trades in a block, and announces it once, over ${urls} URL${urls === 1 ? '' : 's'}`, async () => {
      const { chain, node } = await suite.over(urls);
      await suite.traffic.act(5);
      suite.start({ chain });
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

  for (const kind of ['AgentRegistered', 'TicketsBought', 'AgentFeesWithdrawn']) {
    it(`repairs a missing ${kind} in a long range without a later trade`, async () => {
      await suite.traffic.act(30);
      const [agent, buyer] = suite.traffic.traders;
      await (await newTrader(world.chain)).register('Newcomer');
      await buyer?.buy(agent?.wallet ?? '', 20);
      // The withdrawal fails if the agent has withdrawn less than a day ago, which does not matter here.
      await agent?.withdraw().catch(() => undefined);
      await suite.mine(5);
      const logs = await world.chain.provider.getLogs({
        address: world.chain.contract,
        topics: [topicOf(kind)],
        fromBlock: 1,
      });
      const lost = logs.at(-1)?.transactionHash;
      expect(lost, 'the chain has such a log').to.be.a('string');
      const { chain, nodes } = await suite.over(2);
      for (const node of nodes) node.omits = of(lost ?? '');
      suite.start({ chain });
      await suite.becomesWhole();
      expect(nodes[0]?.omitted).to.be.greaterThan(0);
    });
  }

  for (const finder of ['the audit of states', 'contradictions'] as const) {
    it(`completes a backfill of which every list lacks eight logs, by ${finder}`, async () => {
      const [agent, buyer, other] = suite.traffic.traders;
      const lost = new Set<string>();
      for (let i = 0; i < 8; i++) {
        lost.add((await buyer?.buy(agent?.wallet ?? '', 1))?.hash ?? '');
        await suite.mine(20);
        // A later trade in the same market contradicts an index that lacks the purchase.
        if (finder === 'contradictions') await other?.buy(agent?.wallet ?? '', 1);
        await suite.mine(20);
      }
      const { chain, node } = await suite.over(1);
      node.omits = (log) => lost.has(String(log.transactionHash));
      suite.start({ chain }, finder === 'contradictions' ? { auditMs: Number.POSITIVE_INFINITY } : {});
      await suite.becomesWhole();
      // After the first incomplete block, the index reads the other blocks from receipts, so it reports only once.
      if (finder === 'the audit of states') expect(suite.said('lacked facts')).to.have.length(1);
    });
  }

  // Every purchase leaves a supply of 4711, which contradicts the index.
  const wrong = (logs: unknown) => (logs as Log[]).map((log) => withSupply(log, 4711));
  const trade = () => suite.traffic.traders[4]?.buy(suite.traffic.traders[0]?.wallet ?? '', 1);
  /** Makes a trade whose log the node returns with a wrong supply. */
  async function contradict(node: Relay): Promise<void> {
    node.distort = ({ method }, result) => (method === 'eth_getLogs' ? wrong(result) : result);
    node.lacks.add('eth_getBlockReceipts');
    await trade();
  }
  /** Whether the index has stopped. It then stores the reason as its fault. */
  const hasStopped = async () => (await readCursor(world.deps)).fault !== null;

  it('recovers from a contradiction without the audit of states', async () => {
    const { chain, nodes } = await suite.over(2);
    await suite.traffic.act(5);
    suite.start({ chain }, { auditMs: Number.POSITIVE_INFINITY });
    await suite.becomesWhole();
    const { found, omits } = firstAfter(await suite.head());
    for (const node of nodes) node.omits = omits;
    const hashes = await suite.together();
    await suite.until(async () => (await readCursor(world.deps)).blockNumber >= (await suite.head()));
    expect(await suite.isWhole()).to.equal(false);
    // The trade at place i of `together` is in the market of trader i. Another trade in that market contradicts the index.
    const agent = suite.traffic.traders[hashes.indexOf(found.hash ?? '')]?.wallet ?? '';
    await suite.traffic.traders[5]?.buy(agent, 2);
    await suite.becomesWhole();
    expect(suite.said('indexing failed')).to.not.deep.equal([]);
  });

  it('stops only after every RPC URL has returned the contradiction', async () => {
    const { chain, nodes } = await suite.over(3);
    await suite.traffic.act(4);
    suite.start({ chain, config: { ...world.deps.config, START_BLOCK: 7 } });
    await suite.becomesWhole();
    const asked = new Set<Relay>();
    for (const node of nodes) {
      node.distort = ({ method }, result) => {
        if (method !== 'eth_getLogs' && method !== 'eth_getBlockReceipts') return result;
        asked.add(node);
        if (method === 'eth_getLogs') return wrong(result);
        return (result as { logs: Log[] }[]).map((receipt) => ({ ...receipt, logs: wrong(receipt.logs) }));
      };
    }
    await trade();
    await suite.until(hasStopped);
    expect((await readCursor(world.deps)).fault).to.match(
      /contradicts the index .*npm run reindex from a START_BLOCK \(now 7\) before the contract's block/,
    );
    expect(asked.size).to.equal(3);
    // `world.deps.chain` reads the chain without a relay, so it returns the correct logs.
    const { blockNumber } = await readCursor(world.deps);
    const next = await world.deps.chain.range(blockNumber + 1, await suite.head());
    expect(await applyRange(world.deps, next)).to.equal(false);
  });

  it('retries after a stop and continues when the chain is correct again', async () => {
    const { chain, node } = await suite.over(1);
    await suite.traffic.act(4);
    suite.start({ chain });
    await suite.becomesWhole();
    await contradict(node);
    await suite.until(hasStopped);
    node.distort = undefined;
    await suite.until(async () => !(await hasStopped()));
    world.logged.length = 0;
    await suite.becomesWhole();
  });

  it('stops at a contradiction, even if the repair fails each time', async () => {
    const { chain, node } = await suite.over(1);
    await suite.traffic.act(4);
    const indexed = await suite.head();
    // Fails every read of indexed blocks from their receipts, which only the repair makes.
    const range: Chain['range'] = (from, to, fromReceipts) =>
      fromReceipts && to <= indexed ? Promise.reject(new AppError('RATE_LIMITED')) : chain.range(from, to, fromReceipts);
    const stateAt = () => Promise.reject(new Error('header not found'));
    const failing: Chain = { ...chain, range, stateAt };
    suite.start({ chain: failing }, { auditMs: Number.POSITIVE_INFINITY });
    await suite.becomesWhole();
    await contradict(node);
    await suite.until(hasStopped);
    expect(suite.said('repairing the index failed')).to.not.deep.equal([]);
  });

  /** Ways in which an RPC refuses the contract's state at a given block. `isOld` says whether a call asks for that. */
  const refusals: Record<string, (node: Relay, isOld: (call: Call) => boolean) => void> = {
    'answers 403': (node, isOld) => {
      node.overrides = (calls) => (calls.some(isOld) ? status(403) : undefined);
    },
    'answers 429': (node, isOld) => {
      node.overrides = (calls) => (calls.some(isOld) ? status(429) : undefined);
    },
    'reports a missing state': (node, isOld) => {
      node.distort = (call, result) => {
        if (isOld(call)) throw new Error('missing trie node');
        return result;
      };
    },
  };

  for (const [how, refuse] of Object.entries(refusals)) {
    it(`is complete after a contradiction, over an RPC that ${how} for the state of a block`, async () => {
      await suite.traffic.act(10);
      const [agent, buyer] = suite.traffic.traders;
      const lost = (await buyer?.buy(agent?.wallet ?? '', 3))?.hash ?? '';
      await suite.mine(40);
      const { chain, node } = await suite.over(1);
      let refused = 0;
      refuse(node, ({ method, params }) => {
        const isOld = method === 'eth_call' && params[1] !== 'latest';
        if (isOld) refused++;
        return isOld;
      });
      node.omits = of(lost);
      suite.start({ chain });
      await suite.until(async () => (await readCursor(world.deps)).blockNumber >= (await suite.head()) && refused > 0);
      expect(await suite.isWhole()).to.equal(false);
      await buyer?.buy(agent?.wallet ?? '', 1);
      await suite.becomesWhole();
      expect(node.omitted).to.be.greaterThan(0);
    });
  }
});
