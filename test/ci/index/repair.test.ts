import { expect } from 'chai';
import type { Chain } from '../../../src/chain/chain.js';
import { RangeSize, readInParts } from '../../../src/chain/logs/range-size.js';
import type { Deps } from '../../../src/deps.js';
import { AppError } from '../../../src/errors/errors.js';
import { Audit } from '../../../src/index/audit.js';
import { readCursor } from '../../../src/index/cursor.js';
import { applyRange, catchUp } from '../../../src/index/ingest.js';
import { Repair, repairBlock } from '../../../src/index/repair.js';
import { storedFacts } from '../../support/chain/facts.js';
import { useLossyIndex } from '../../support/chain/lossy-index.js';
import { reorganise } from '../../support/market/traffic.js';
import { thrownBy } from '../../support/refused.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

/** The term of a leader that goes on leading. */
const living = new AbortController().signal;

describe('the repair of an index', () => {
  const world = useWorld();
  const suite = useLossyIndex(world);
  const cursor = async () => (await readCursor(world.deps)).blockNumber;
  const provedTo = async () => (await readCursor(world.deps)).provedTo;
  const repair = (deps: Deps, term = living) => new Repair(deps).run(term);
  const audit = async (deps: Deps = world.deps) => new Audit(deps, new Repair(deps), 0).run(await cursor(), living);
  const catchUpAll = async () => expect(await catchUp(world.deps, await suite.head())).to.equal(true);

  /** Builds an index that lacks one trade, which is `blocks` blocks older than the cursor. Returns the block of the trade. */
  async function lose(blocks: number): Promise<number> {
    const [agent, buyer] = suite.traffic.traders;
    const receipt = await buyer?.buy(agent?.wallet ?? '', 3);
    await suite.mine(blocks);
    const { chain, node } = await suite.over(1);
    node.lacks.add('eth_getBlockReceipts');
    node.omits = ({ transactionHash }) => transactionHash === receipt?.hash;
    // In long ranges, the market does not check the bloom filters of the blocks. So it does not notice that a log is missing.
    for await (const range of readInParts(chain, (await cursor()) + 1, await suite.head(), new RangeSize())) {
      expect(await applyRange(world.deps, range)).to.equal(true);
    }
    expect(await suite.isWhole()).to.equal(false);
    return receipt?.blockNumber ?? 0;
  }

  /** A market that records the ranges that the repair reads. `parts` replaces some of its functions. */
  function noting(parts: Partial<Chain> = {}) {
    const read: { readonly from: number; readonly to: number; readonly fromReceipts: boolean }[] = [];
    const chain: Chain = {
      ...world.deps.chain,
      range: async (from, to, fromReceipts = false) => {
        read.push({ from, to, fromReceipts });
        return world.deps.chain.range(from, to, fromReceipts);
      },
      ...parts,
    };
    return { deps: { ...world.deps, chain }, read };
  }

  it('reads only blocks that no audit has proved equal, from their receipts', async () => {
    await suite.traffic.act(5);
    await catchUpAll();
    expect(await audit()).to.equal(false);
    const proved = await cursor();
    expect(await provedTo()).to.equal(proved);
    const lost = await lose(250);
    const { deps, read } = noting();
    expect(await repair(deps)).to.equal('repaired');
    expect(await cursor()).to.equal(lost);
    expect(await provedTo()).to.equal(proved);
    expect(Math.min(...read.map(({ from }) => from))).to.equal(proved + 1);
    expect(read.every(({ fromReceipts }) => fromReceipts)).to.equal(true);
    await catchUpAll();
    expect(await suite.isWhole()).to.equal(true);
    expect(await audit()).to.equal(false);
    expect(await provedTo()).to.equal(await cursor());
  });

  it('continues over several calls in a long chain', async () => {
    const lost = await lose(20);
    const { deps, read } = noting();
    // Each call reads at most four blocks.
    const search = new Repair(deps, 4);
    for (let from = (await provedTo()) + 1; from <= lost; from += 4) {
      read.length = 0;
      expect(await search.run(living)).to.equal(from + 4 > lost ? 'repaired' : 'unfinished');
      expect(read[0]).to.deep.equal({ from, to: from + 3, fromReceipts: true });
    }
    expect(await cursor()).to.equal(lost);
  });

  it('continues after the blocks that it has read when a read fails, and starts over at the end', async () => {
    await suite.traffic.act(3);
    await suite.mine(250);
    await catchUpAll();
    const froms: number[] = [];
    let isAway = true;
    const { range } = world.deps.chain;
    const { deps } = noting({
      range: async (from, to, fromReceipts) => {
        froms.push(from);
        if (isAway && from > 200) throw new AppError('CHAIN_UNAVAILABLE');
        return range(from, to, fromReceipts);
      },
    });
    const search = new Repair(deps);
    const first = (await provedTo()) + 1;
    expect(await thrownBy(search.run(living))).to.include({ code: 'CHAIN_UNAVAILABLE' });
    isAway = false;
    for (const from of [200, first]) {
      froms.length = 0;
      expect(await search.run(living)).to.equal('nothing');
      // A range has at most 16 blocks. The second search continues at the range that failed, near block 200.
      expect(Math.min(...froms)).to.be.within(from, from + 15);
    }
  });

  it('does not change an index in which it can repair only a later block', async () => {
    const [agent, buyer] = suite.traffic.traders;
    const lost = [await buyer?.buy(agent?.wallet ?? '', 3), await buyer?.buy(agent?.wallet ?? '', 2)].map((one) => one?.hash);
    await suite.mine(30);
    const { chain, node } = await suite.over(1);
    node.lacks.add('eth_getBlockReceipts');
    node.omits = ({ transactionHash }) => lost.includes(String(transactionHash));
    for await (const range of readInParts(chain, (await cursor()) + 1, await suite.head(), new RangeSize())) {
      expect(await applyRange(world.deps, range)).to.equal(true);
    }
    // Only the second purchase can be read now. It does not fit without the first, because the supply would be wrong.
    node.omits = ({ transactionHash }) => transactionHash === lost[0];
    const indexed = await storedFacts(world.deps);
    expect(await audit({ ...world.deps, chain })).to.equal(false);
    expect(suite.said('no cause was found')).to.have.length(1);
    expect(await storedFacts(world.deps)).to.deep.equal(indexed);
    node.omits = undefined;
    expect(await audit({ ...world.deps, chain })).to.equal(true);
    await catchUpAll();
    expect(await suite.isWhole()).to.equal(true);
  });

  it('reads from another URL than the one with which the index differs', async () => {
    const lost = await lose(20);
    const { chain, nodes } = await suite.over(2);
    // The first URL omits all logs, also from receipts.
    for (const name of ['omits', 'omitsInReceipts'] as const) if (nodes[0]) nodes[0][name] = () => true;
    expect(await audit({ ...world.deps, chain })).to.equal(true);
    expect(await cursor()).to.equal(lost);
  });

  it('finds nothing in an index that is equal to the chain', async () => {
    await suite.traffic.act(3);
    await catchUpAll();
    const stored = await storedFacts(world.deps);
    // The state has a wrong number of agents, so it contradicts the logs of the chain although the index is right.
    const { deps, read } = noting({
      stateAt: async (block, wallets) => ({ ...(await world.deps.chain.stateAt(block, wallets)), agentCount: 4711 }),
    });
    const before = await provedTo();
    expect(await audit(deps)).to.equal(false);
    expect(Math.max(...read.map(({ to }) => to))).to.equal(await cursor());
    expect(suite.said('no cause was found')).to.have.length(1);
    expect(await provedTo()).to.equal(before);
    expect(await storedFacts(world.deps)).to.deep.equal(stored);
  });

  it('waits while the RPC does not know the state, and proves nothing', async () => {
    await lose(100);
    const before = await provedTo();
    for (const failure of [new Error('header not found'), new AppError('CHAIN_UNAVAILABLE')]) {
      const { deps, read } = noting({ stateAt: () => Promise.reject(failure) });
      expect(await audit(deps)).to.equal(false);
      expect(read).to.deep.equal([]);
      expect(await provedTo()).to.equal(before);
    }
    expect(await audit()).to.equal(true);
    await catchUpAll();
    expect(await suite.isWhole()).to.equal(true);
  });

  it('fails like the RPC when the RPC answers nothing', async () => {
    await lose(10);
    const away = () => Promise.reject(new AppError('CHAIN_UNAVAILABLE'));
    const { deps } = noting({ stateAt: away, blockNumber: away });
    expect(await thrownBy(audit(deps))).to.include({ code: 'CHAIN_UNAVAILABLE' });
  });

  it('stops when the replica loses its leadership', async () => {
    await lose(400);
    const stored = await storedFacts(world.deps);
    const term = new AbortController();
    const { deps } = noting({
      range: async (from, to, fromReceipts) => {
        term.abort();
        return world.deps.chain.range(from, to, fromReceipts);
      },
    });
    expect(await repair(deps, term.signal)).to.equal('unfinished');
    expect(await storedFacts(world.deps)).to.deep.equal(stored);
  });

  describe('that follows a reorg', () => {
    /** Replaces the newest blocks of the chain. Returns the newest indexed block that remains. */
    async function replace(removed: readonly string[]): Promise<number> {
      await reorganise(world.chain.provider, removed.length, removed, removed.length);
      await suite.mine(2);
      const stored = await world.deps.sql<{ number: number; hash: string }>('select number, hash from chain_block');
      const hashes = await world.deps.chain.hashes(stored.map(({ number }) => number));
      return Math.max(...stored.filter(({ hash }, i) => hash === hashes[i]).map(({ number }) => number));
    }

    it('does not count blocks as proved that replaced proved ones', async () => {
      await suite.traffic.act(5);
      const removed = await suite.traffic.act(4);
      await catchUpAll();
      await audit();
      expect(await provedTo()).to.equal(await cursor());
      const common = await replace(removed);
      expect(common).to.be.lessThan(await cursor());
      await catchUpAll();
      expect(await provedTo()).to.equal(common);
    });

    it('does not count blocks as proved that were replaced during the audit', async () => {
      await suite.traffic.act(5);
      const removed = await suite.traffic.act(4);
      await catchUpAll();
      const indexed = await cursor();
      const [row] = await world.deps.sql<{ hash: string }>('select hash from chain_block where number = $1', [indexed]);
      let common = indexed;
      const { deps } = noting({
        stateAt: async (block, wallets) => {
          const state = await world.deps.chain.stateAt(block, wallets);
          common = await replace(removed);
          await catchUpAll();
          return state;
        },
        // The node still returns the hash of the old fork.
        hashes: async () => [row?.hash ?? null],
      });
      await audit(deps);
      expect(common).to.be.lessThan(indexed);
      expect(await provedTo()).to.equal(common);
    });
  });

  describe('in a block without receipts', () => {
    it('keeps a trade that a list of logs lacks', async () => {
      const { chain, node } = await suite.over(1);
      const [agent, buyer] = suite.traffic.traders;
      const bought = await buyer?.buy(agent?.wallet ?? '', 2);
      const block = bought?.blockNumber ?? 0;
      await suite.mine(3);
      await catchUp(world.deps, await suite.head());
      const stored = await storedFacts(world.deps);
      node.omits = ({ transactionHash }) => transactionHash === bought?.hash;
      node.lacks.add('eth_getBlockReceipts');
      expect(await repairBlock({ ...world.deps, chain }, block)).to.equal('unknown');
      // A node that returns empty receipts proves nothing either, so the block stays undecided.
      node.lacks.clear();
      node.distort = ({ method }, result) => (method === 'eth_getBlockReceipts' ? [] : result);
      expect(await repairBlock({ ...world.deps, chain }, block)).to.equal('unknown');
      expect(await storedFacts(world.deps)).to.deep.equal(stored);
    });

    it('does not count a block as proved that it repairs', async () => {
      const block = await lose(5);
      await runSql(world.deps, 'update indexer_cursor set proved_to = block_number, audit_from = block_number');
      expect(await repairBlock(world.deps, block)).to.equal('repaired');
      expect(await cursor()).to.equal(block);
      expect(await provedTo()).to.equal(block - 1);
    });

    it('keeps an invented trade until receipts contradict it', async () => {
      const { chain, node } = await suite.over(1);
      const [agent, buyer] = suite.traffic.traders;
      await catchUp(world.deps, await suite.head());
      const before = await readCursor(world.deps);
      const block = (await buyer?.buy(agent?.wallet ?? '', 2))?.blockNumber ?? 0;
      const range = await world.deps.chain.range(before.blockNumber + 1, block);
      const last = range.facts.at(-1);
      if (last?.kind !== 'bought') throw new Error('no purchase');
      // A further purchase of 2 tickets in the same transaction, which the chain does not have.
      const invented = { ...last, logIndex: last.logIndex + 9, ordinal: last.ordinal + 1, supply: last.supply + 2 };
      expect(await applyRange(world.deps, { ...range, facts: [...range.facts, invented] })).to.equal(true);
      expect(await suite.isWhole()).to.equal(false);
      node.lacks.add('eth_getBlockReceipts');
      expect(await repair({ ...world.deps, chain })).to.equal('nothing');
      expect(await suite.isWhole()).to.equal(false);
      node.lacks.clear();
      expect(await repair({ ...world.deps, chain })).to.equal('repaired');
      expect(await suite.isWhole()).to.equal(true);
    });
  });
});
