import { expect } from 'chai';
import type { Chain, OnChainMarket } from '../../../src/chain/chain.js';
import { Audit } from '../../../src/index/audit.js';
import { ensureCursor, moveCursor, readCursor } from '../../../src/index/cursor.js';
import type { RepairOutcome } from '../../../src/index/repair.js';
import { sqlIn } from '../../../src/store/sql.js';
import { emptyTables, testDatabase } from '../../support/database.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

const hashOf = (block: number) => `0x${block.toString(16).padStart(64, '0')}`;

describe('the audit of an index with two pages of agents', () => {
  const world = useWorld();
  const living = new AbortController().signal;
  /** Number of agents in each page that was compared with the contract. */
  let pages: number[];
  /** Supply of the first agent of a page in the contract. In the index it is 1, so any other value is a difference. */
  let supply: number;
  /** What each repair reports. */
  let outcome: RepairOutcome;
  /** Called whenever the audit reads the contract's state. */
  let stateRead: () => void;

  beforeEach(async () => {
    await emptyTables((await testDatabase()).orm);
    await ensureCursor(world.deps, async () => 1);
    // 1,500 agents, because a page has at most 1,000.
    await runSql(
      world.deps,
      `insert into market (wallet, name, agent_id, supply, holder_count, fees_earned, trade_count, volume, tx_hash, ordinal,
         block_number, log_index, registered_at, event_id)
       select '0x' || lpad(i::text, 40, '0'), 'n' || i, 'id' || i, 1, 1, 0, 0, 0, '0x' || lpad(i::text, 64, '0'), 0, 1, i, now(),
         lpad(i::text, 22, 'e') from generate_series(1, 1500) i`,
    );
    await reach(50);
    pages = [];
    supply = 1;
    outcome = 'nothing';
    stateRead = () => {};
    world.logged.length = 0;
  });

  /** Moves the cursor to a block, as the indexer does. */
  async function reach(block: number): Promise<void> {
    await runSql(world.deps, 'insert into chain_block values ($1, $2) on conflict do nothing', [block, hashOf(block)]);
    await world.deps.write((tx) => moveCursor(sqlIn(tx), block, world.clock.now()));
  }

  /** Makes an audit of this market. Each call of `run` compares one page, because its interval is 0. */
  function start(): { readonly run: (term?: AbortSignal) => Promise<boolean> } {
    const chain: Chain = {
      ...world.deps.chain,
      hashes: async (blocks) => blocks.map(hashOf),
      async stateAt(_block, wallets) {
        pages.push(wallets.length);
        stateRead();
        const states = wallets.map((_, i): OnChainMarket => ({ supply: i === 0 ? supply : 1, pendingFees: 0n }));
        return { agentCount: 1500, states };
      },
    };
    const audit = new Audit({ ...world.deps, chain }, { run: async () => outcome }, 0);
    return { run: async (term = living) => audit.run((await readCursor(world.deps)).blockNumber, term) };
  }

  const provedTo = async () => (await readCursor(world.deps)).provedTo;

  it('proves the blocks indexed before it began, once all pages match the contract', async () => {
    const { run } = start();
    await run();
    expect(await provedTo()).to.equal(0);
    await reach(60);
    await run();
    expect(pages).to.deep.equal([1000, 500]);
    expect(await provedTo()).to.equal(50);
    await run();
    await run();
    expect(await provedTo()).to.equal(60);
    // No block is newer than the last pass, so this run compares nothing.
    await run();
    expect(pages).to.deep.equal([1000, 500, 1000, 500]);
  });

  it('goes on after a page that differs for no known cause, and proves nothing', async () => {
    const { run } = start();
    supply = 2;
    expect(await run()).to.equal(false);
    supply = 1;
    await run();
    expect(pages).to.deep.equal([1000, 500]);
    expect(await provedTo()).to.equal(0);
    expect(world.logged.map(({ msg }) => msg)).to.deep.equal(['the contract state differs from the index; no cause was found']);
    await run();
    await run();
    expect(await provedTo()).to.equal(50);
  });

  for (const done of ['repaired', 'unfinished'] as const) {
    it(`begins again at once after a repair with the outcome "${done}"`, async () => {
      const { run } = start();
      await run();
      supply = 2;
      outcome = done;
      expect(await run()).to.equal(true);
      supply = 1;
      await run();
      expect(pages).to.deep.equal([1000, 500, 1000]);
      expect(world.logged).to.deep.equal([]);
    });
  }

  it('begins again in a new term', async () => {
    const { run } = start();
    await run();
    await run(new AbortController().signal);
    expect(pages).to.deep.equal([1000, 1000]);
    expect(await provedTo()).to.equal(0);
  });

  it('proves nothing if its term ends during the last page', async () => {
    const { run } = start();
    const term = new AbortController();
    await run(term.signal);
    stateRead = () => term.abort();
    await run(term.signal);
    expect(pages).to.deep.equal([1000, 500]);
    expect(await provedTo()).to.equal(0);
  });
});
