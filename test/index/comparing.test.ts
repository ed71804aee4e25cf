// CI: it searches the blocks of a chain, which is expensive.
import { expect } from 'chai';
import { RangeSize, readInParts } from '../../src/chain/logs/range-size.js';
import type { Market } from '../../src/chain/market.js';
import { AppError } from '../../src/errors.js';
import { auditPage, type Differences, repairIndex, Search } from '../../src/index/audit.js';
import { readCursor } from '../../src/index/cursor.js';
import { applyRange, catchUp } from '../../src/index/ingest.js';
import { repairBlock } from '../../src/index/repair.js';
import { storedFacts } from '../support/chain/facts.js';
import { useLossyIndex } from '../support/chain/lossy-index.js';
import { thrownBy } from '../support/refused.js';
import { useWorld } from '../support/world.js';

const living = new AbortController().signal;

describe('the search for missing facts', () => {
  const world = useWorld();
  const suite = useLossyIndex(world);

  /**
   * Builds an index that misses one trade in the given number of blocks. Returns the audit's differences and the block of
   * the trade.
   */
  async function lose(blocks: number): Promise<{ differences: Differences; lost: number }> {
    const [agent, buyer] = suite.traffic.traders;
    const receipt = await buyer?.buy(agent?.wallet ?? '', 3);
    await suite.mine(blocks);
    const { market, node } = await suite.over(1);
    node.lacks.add('eth_getBlockReceipts');
    node.omits = ({ transactionHash }) => transactionHash === receipt?.hash;
    const { blockNumber } = await readCursor(world.deps);
    // In long ranges, the market does not check the bloom filters of blocks.
    for await (const range of readInParts(market, blockNumber + 1, await suite.head(), new RangeSize())) {
      expect(await applyRange(world.deps, range)).to.equal(true);
    }
    expect(await suite.isWhole()).to.equal(false);
    const page = await auditPage(world.deps, '');
    if (typeof page === 'string') throw new Error(page);
    return { differences: page.differences, lost: receipt?.blockNumber ?? 0 };
  }

  /** A market that records the ranges it reads, and knows the state only at some blocks. */
  function noting(knows: (block: number) => boolean, failure: Error = new Error('header not found')) {
    const read: [number, number][] = [];
    const { market } = world.deps;
    const noted: Market = {
      ...market,
      stateAt: async (block, wallets) => {
        if (knows(block)) return market.stateAt(block, wallets);
        throw failure;
      },
      range: async (from, to, fromReceipts) => {
        if (fromReceipts !== true) read.push([from, to]);
        return market.range(from, to, fromReceipts);
      },
    };
    return { deps: { ...world.deps, market: noted }, read };
  }

  it('waits while the state at the cursor is temporarily unknown', async () => {
    const { differences } = await lose(100);
    const search = new Search();
    let unknown = true;
    for (const failure of [new Error('header not found'), new AppError('CHAIN_UNAVAILABLE')]) {
      const { deps, read } = noting(() => !unknown, failure);
      unknown = true;
      expect(await repairIndex(deps, differences, search, living)).to.equal('nothing');
      expect(read).to.deep.equal([]);
      unknown = false;
    }
    expect(await repairIndex(noting(() => true).deps, differences, search, living)).to.equal('repaired');
    expect(await catchUp(world.deps, await suite.head())).to.equal(true);
    expect(await suite.isWhole()).to.equal(true);
  });

  it('compares the logs when the state at the cursor remains unknown', async () => {
    const { differences } = await lose(100);
    const search = new Search();
    const { deps } = noting(() => false);
    const healed: string[] = [];
    for (let i = 0; i < 3; i++) healed.push(await repairIndex(deps, differences, search, living));
    expect(healed).to.deep.equal(['nothing', 'nothing', 'repaired']);
  });

  it('fails like the RPC when the RPC answers nothing', async () => {
    const { differences } = await lose(10);
    const { deps } = noting(() => false, new AppError('CHAIN_UNAVAILABLE'));
    const away: Market = { ...deps.market, blockNumber: () => Promise.reject(new AppError('CHAIN_UNAVAILABLE')) };
    const repair = repairIndex({ ...deps, market: away }, differences, new Search(), living);
    expect(await thrownBy(repair)).to.include({ code: 'CHAIN_UNAVAILABLE' });
  });

  it('reads a limited number of blocks per run and continues where it stopped', async () => {
    const { differences, lost } = await lose(250);
    const search = new Search(100);
    const { deps, read } = noting((block) => block >= differences.block - 5);
    expect(new Search().blocksPerCall).to.equal(2000);
    for (const outcome of ['unfinished', 'unfinished', 'repaired']) {
      read.length = 0;
      const { to = differences.block } = search;
      expect(await repairIndex(deps, differences, search, living)).to.equal(outcome);
      expect(Math.max(...read.map(([, last]) => last))).to.equal(to);
      expect(Math.min(...read.map(([first]) => first))).to.be.greaterThan(to - 100);
    }
    expect((await readCursor(world.deps)).blockNumber).to.equal(lost);
    expect(search.to).to.equal(undefined);
  });

  it('ends at the first indexed block and then starts over', async () => {
    await suite.traffic.act(3);
    await catchUp(world.deps, await suite.head());
    const { blockNumber } = await readCursor(world.deps);
    const [first] = await world.deps.sql<{ number: number }>('select min(number)::int as number from chain_block');
    const search = new Search();
    // The state contradicts the logs of the chain, so no block matches.
    const { deps, read } = noting((block) => block >= blockNumber);
    const differences = { block: blockNumber, agents: [], count: true };
    const lying: Market = {
      ...deps.market,
      stateAt: async (block, wallets) => ({ ...(await deps.market.stateAt(block, wallets)), agentCount: 4711 }),
    };
    expect(await repairIndex({ ...deps, market: lying }, differences, search, living)).to.equal('nothing');
    expect(Math.min(...read.map(([from]) => from))).to.equal((first?.number ?? -1) + 1);
    expect(search.to).to.equal(undefined);
  });

  it('stops when the replica loses its leadership', async () => {
    const { differences } = await lose(400);
    const stored = await storedFacts(world.deps);
    const term = new AbortController();
    const { deps, read } = noting((block) => block >= differences.block - 5);
    const ending: Market = {
      ...deps.market,
      range: async (from, to, fromReceipts) => {
        const range = await deps.market.range(from, to, fromReceipts);
        if (read.length === 2) term.abort();
        return range;
      },
    };
    expect(await repairIndex({ ...deps, market: ending }, differences, new Search(), term.signal)).to.equal(
      'unfinished',
    );
    expect(read).to.have.length(2);
    expect(await storedFacts(world.deps)).to.deep.equal(stored);
  });

  describe('in a block without receipts', () => {
    it('keeps a trade that a list of logs lacks', async () => {
      const { market, node } = await suite.over(1);
      const [agent, buyer] = suite.traffic.traders;
      const bought = await buyer?.buy(agent?.wallet ?? '', 2);
      const block = bought?.blockNumber ?? 0;
      await suite.mine(3);
      await catchUp(world.deps, await suite.head());
      const stored = await storedFacts(world.deps);
      node.omits = ({ transactionHash }) => transactionHash === bought?.hash;
      node.lacks.add('eth_getBlockReceipts');
      expect(await repairBlock({ ...world.deps, market }, block)).to.equal('unknown');
      // The block remains undecided with a node that returns empty receipts.
      node.lacks.clear();
      node.distort = ({ method }, result) => (method === 'eth_getBlockReceipts' ? [] : result);
      expect(await repairBlock({ ...world.deps, market }, block)).to.equal('unknown');
      expect(await storedFacts(world.deps)).to.deep.equal(stored);
    });

    it('keeps an invented trade until receipts contradict it', async () => {
      const { market, node } = await suite.over(1);
      const [agent, buyer] = suite.traffic.traders;
      await catchUp(world.deps, await suite.head());
      const before = await readCursor(world.deps);
      const block = (await buyer?.buy(agent?.wallet ?? '', 2))?.blockNumber ?? 0;
      const range = await world.deps.market.range(before.blockNumber + 1, block);
      const last = range.facts.at(-1);
      if (last?.kind !== 'bought') throw new Error('no purchase');
      const invented = { ...last, logIndex: last.logIndex + 9, ordinal: last.ordinal + 1, supply: last.supply + 2 };
      expect(await applyRange(world.deps, { ...range, facts: [...range.facts, invented] })).to.equal(true);
      expect(await suite.isWhole()).to.equal(false);
      node.lacks.add('eth_getBlockReceipts');
      expect(await repairBlock({ ...world.deps, market }, block)).to.equal('unknown');
      expect(await suite.isWhole()).to.equal(false);
      node.lacks.clear();
      expect(await repairBlock({ ...world.deps, market }, block)).to.equal('repaired');
      expect(await suite.isWhole()).to.equal(true);
    });
  });
});
