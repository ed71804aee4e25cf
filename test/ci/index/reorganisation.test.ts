import { expect } from 'chai';
import { RangeRefused } from '../../../src/chain/logs/ranges.js';
import type { Deps } from '../../../src/deps.js';
import { AgentActivity } from '../../../src/features/feed/entities.js';
import { Thesis } from '../../../src/features/theses/entities.js';
import { pruneHashes, readCursor } from '../../../src/index/cursor.js';
import type { Indexer } from '../../../src/index/indexer.js';
import { applyRange, catchUp } from '../../../src/index/ingest.js';
import { reconcile } from '../../../src/index/reorg.js';
import { storedFacts } from '../../support/chain/facts.js';
import { emptyIndex, expectWholeIndex, indexAll } from '../../support/chain/indexed.js';
import { useLossyIndex } from '../../support/chain/lossy-index.js';
import { addAgent } from '../../support/market/rows.js';
import { reorganise } from '../../support/market/traffic.js';
import { eventually } from '../../support/service/process.js';
import { runSql } from '../../support/store.js';
import { testTimes } from '../../support/times.js';
import { useWorld } from '../../support/world.js';

describe('a reorg', () => {
  const world = useWorld();
  const suite = useLossyIndex(world);
  const { head, mine } = suite;
  beforeEach(async () => {
    for (const { wallet } of suite.traffic.traders.slice(0, 4)) await addAgent(world, { wallet });
  });
  /** Starts an indexer on the real clock, which polls every 20 ms. */
  const start = (deps: Partial<Deps> = {}): Indexer => suite.start({ times: testTimes, ...deps }, { pollMs: 20 });

  const catchUpAll = () => indexAll(world.deps);

  /** Checks that the tables equal what `oracle` computes from the current chain, and that a fresh index equals it, too. */
  async function expectFresh(): Promise<void> {
    await expectWholeIndex(world.deps);
    await emptyIndex(world.deps);
    await catchUpAll();
    await expectWholeIndex(world.deps);
  }

  for (const depth of [1, 10, 64]) {
    it(`of ${depth} blocks leaves the same rows as a fresh index of the new chain`, async () => {
      await suite.traffic.act(25);
      await catchUpAll();
      // The blocks that the reorg replaces: up to 30 with one transaction each, and then empty ones.
      const transactions = Math.min(depth, 30);
      // With depth 1, it is one block with two trades. Both are mined again, in the other order, so only their places change.
      const removed = depth === 1 ? await suite.together() : await suite.traffic.act(transactions);
      await mine(depth - transactions);
      const indexer = start();
      await reaches(await head());
      const gone = await storedFacts(world.deps);
      // A thesis for each trade, and a post. They do not come from the chain, so they must survive the reorg.
      const theses = (gone.transaction ?? []).map(({ tx_hash, ordinal, trader }) => ({ tx_hash, ordinal, trader }));
      const trader = suite.traffic.traders[0]?.wallet ?? '';
      for (const { tx_hash, ordinal } of theses) {
        const record = { txHash: String(tx_hash), ordinal: Number(ordinal), author: trader, createdAt: world.clock.now() };
        await world.deps.write((tx) => tx.insert(Thesis, record));
      }
      const post = { id: 'p'.repeat(22), agent: trader, text: 'still here', createdAt: world.clock.now() };
      await world.deps.write((tx) => tx.insert(AgentActivity, post));

      const depths = async () => {
        const { values } = await world.deps.metrics.reorgDepths.get();
        const of = (suffix: string) => values.find(({ metricName = '' }) => metricName.endsWith(suffix))?.value ?? 0;
        return { count: of('_count'), sum: of('_sum') };
      };
      const earlier = await depths();
      // The last argument is the seed that chooses which transactions are mined again.
      await reorganise(world.chain.provider, depth, depth === 1 ? removed.reverse() : removed, depth);
      await mine(1);
      await reaches(await head());
      await indexer.stop();
      const { count, sum } = await depths();
      expect(count).to.equal(earlier.count + 1);
      // The index goes back to the newest common block whose hash is stored, which may be older than the fork.
      expect(sum - earlier.sum).to.be.at.least(depth);
      expect((await storedFacts(world.deps)).transaction).to.not.deep.equal(gone.transaction);
      expect(await world.deps.sql('select 1 from thesis')).to.have.length(theses.length);
      expect(await world.deps.sql('select 1 from agent_activity')).to.have.length(1);
      await expectFresh();
    });
  }

  /** Waits until the index has passed the block, or has reached it with the hash that it has on the current chain. */
  async function reaches(block: number): Promise<void> {
    const [hash] = await world.deps.chain.hashes([block]);
    await eventually(
      async () => {
        const rows = await world.deps.sql(
          'select 1 from indexer_cursor join chain_block on number = block_number where number >= $1 and ($1 < number or hash = $2)',
          [block, hash],
        );
        return rows.length > 0;
      },
      async () => `the index does not reach block ${block}: ${JSON.stringify(await readCursor(world.deps))}`,
    );
  }

  it('that two replicas find is rolled back once, without undoing blocks indexed since', async () => {
    await suite.traffic.act(5);
    const removed = await suite.traffic.act(5);
    await catchUpAll();
    // Replaces the five newest blocks. 4 is the seed that chooses which of their transactions are mined again.
    await reorganise(world.chain.provider, 5, removed, 4);
    const block = await head();
    let quicker: Promise<unknown> | undefined;
    const chain = {
      ...world.deps.chain,
      hashes: async (numbers: readonly number[]) => {
        const found = await world.deps.chain.hashes(numbers);
        // `reconcile` asks for the newest hash alone, and then for many. Now this slower replica has read everything on which its
        // decision depends. The quicker one rolls back and continues.
        if (numbers.length > 1) quicker ??= catchUpAll();
        await quicker;
        return found;
      },
    };
    await reconcile({ ...world.deps, chain });
    expect(quicker).to.not.equal(undefined);
    expect((await readCursor(world.deps)).blockNumber).to.equal(block);
    await expectFresh();
  });

  it('during a backfill leaves no row of the old chain', async () => {
    await suite.traffic.act(15);
    const removed = await suite.traffic.act(20);
    let reads = 0;
    let reorganised: Promise<void> | undefined;
    const chain = {
      ...world.deps.chain,
      // The index reads several ranges ahead. So after the reorg, some ranges of the old chain still wait to be applied.
      range: async (from: number, to: number) => {
        if (to - from >= 4) throw new RangeRefused('at most four blocks');
        // Replaces the 20 newest blocks (with the seed 5). By its eighth read, the index has read some of them.
        if (++reads === 8) reorganised = reorganise(world.chain.provider, 20, removed, 5);
        return world.deps.chain.range(from, to);
      },
    };
    const indexer = start({ chain });
    await eventually(() => reorganised !== undefined, 'the index does not read the blocks');
    await reorganised;
    await mine(3);
    await reaches(await head());
    await indexer.stop();
    await expectFresh();
  });

  it('deeper than the stored hashes stops the index and is logged', async () => {
    await suite.traffic.act(5);
    // Empty blocks, more than the reorg below replaces.
    await mine(600);
    await catchUpAll();
    await mine(1);
    await catchUpAll();
    // Leaves only hashes of the newest 256 blocks: pruning leaves one older hash, which is deleted, too.
    await pruneHashes(world.deps, await head());
    await runSql(world.deps, 'delete from chain_block where number < $1', [(await head()) - 255]);
    // Replaces 300 blocks, so the chain has none of the stored hashes any more.
    await world.chain.provider.send('anvil_reorg', [300, []]);
    await mine(1);
    const indexer = start();
    await eventually(async () => (await readCursor(world.deps)).fault !== null, 'the index reports no fault');
    await indexer.stop();
    const answer = await world.ask('GET', '/ready');
    expect(answer.status).to.equal(503);
    expect(JSON.stringify(answer.body)).to.include('deeper than the stored hashes').and.include('npm run reindex');
    expect(world.logged.filter(({ level }) => level === 60)).to.have.length(1);
    const { blockNumber } = await readCursor(world.deps);
    expect(await catchUp(world.deps, blockNumber)).to.equal(false);
    const range = await world.deps.chain.range(blockNumber + 1, await head());
    expect(await applyRange(world.deps, range)).to.equal(false);
  });

  it('is not assumed because a node lags or has no block', async () => {
    await suite.traffic.act(8);
    await catchUpAll();
    const before = await storedFacts(world.deps);
    const { blockNumber } = await readCursor(world.deps);
    // A node that lacks the three newest blocks.
    const lagging = {
      ...world.deps.chain,
      hashes: async (numbers: readonly number[]) => {
        const hashes = await world.deps.chain.hashes(numbers);
        return hashes.map((hash, i) => ((numbers[i] ?? 0) > blockNumber - 3 ? null : hash));
      },
    };
    // 'behind': a missing block proves nothing, as with a load balancer before the nodes, of which some lag.
    await reconcile({ ...world.deps, chain: lagging }, 'behind');
    expect(await storedFacts(world.deps)).to.deep.equal(before);
    // 'gone': a missing block counts as removed. The indexer assumes that when the chain was shorter than the index for a minute.
    // But a node without any block is empty, and proves no reorg.
    const empty = { ...world.deps.chain, hashes: async (numbers: readonly number[]) => numbers.map(() => null) };
    await reconcile({ ...world.deps, config: { ...world.deps.config, chainEmbedded: false }, chain: empty }, 'gone');
    expect(await storedFacts(world.deps)).to.deep.equal(before);
    expect((await readCursor(world.deps)).fault).to.equal(null);
    // On the embedded chain, 'gone' is the default: it is a single node, so a block that it lacks is gone.
    await reconcile({ ...world.deps, chain: lagging });
    expect((await readCursor(world.deps)).blockNumber).to.equal(blockNumber - 3);
    await catchUpAll();
    await expectFresh();
  });
});
