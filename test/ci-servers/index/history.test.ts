import { expect } from 'chai';
import fc from 'fast-check';
import type { Deps } from '../../../src/deps.js';
import { trendingAgents } from '../../../src/features/agents/lists/agents.js';
import { agentsByWallets } from '../../../src/features/agents/queries.js';
import { ensureCursor } from '../../../src/index/cursor.js';
import { applyRange, catchUp } from '../../../src/index/ingest.js';
import type { Database } from '../../../src/store/database.js';
import { storedFacts } from '../../support/chain/facts.js';
import { emptyTables, serverUrl, testDatabase } from '../../support/database.js';
import { forks, type History, histories, historyChain, rangeOf, wallets } from '../../support/market/histories.js';
import { oracle, oracleDay } from '../../support/market/oracle.js';
import { addAgent } from '../../support/market/rows.js';
import { useWorld } from '../../support/world.js';

const deep = process.env.DEEP_TESTS !== undefined;
const runs = deep && serverUrl !== undefined ? 100 : 25;
const seed = Number(process.env.TEST_SEED ?? 20_261_121);

/**
 * One delivery of blocks to the index. For 'next', these are the `length` blocks after the cursor, and for 'anywhere' those after
 * `from`. 'catch up' brings all blocks up to the last of those. The transaction fails if `fails` is 0.
 */
type Delivery = {
  readonly how: 'catch up' | 'next' | 'anywhere';
  readonly from: number;
  readonly length: number;
  readonly fails: number;
};

const delivery: fc.Arbitrary<Delivery> = fc.record({
  how: fc.constantFrom('catch up', 'next', 'next', 'anywhere'),
  from: fc.nat(200),
  length: fc.integer({ min: 1, max: 40 }),
  fails: fc.nat(3),
});

/** A plan has several rounds. The deliveries of a round run at the same time. */
const plans = (rounds: number): fc.Arbitrary<Delivery[][]> =>
  fc.array(fc.array(delivery, { minLength: 1, maxLength: 6, size: 'max' }), { maxLength: rounds, size: 'max' });
/** The deliveries of the first two rounds of a plan. */
const rounds = (plan: readonly Delivery[][]): Delivery[] => plan.slice(0, 2).flat();

describe('indexing a random history in random deliveries', () => {
  const world = useWorld();
  let orm: Database;

  before(async () => {
    ({ orm } = await testDatabase());
  });

  async function begin(history: History, current = () => history): Promise<Deps> {
    await emptyTables(orm);
    const clock = { now: () => history.endsAt };
    const deps = { ...world.deps, clock, chain: historyChain(current, world.deps.chain) };
    await ensureCursor(deps, async () => 1);
    // Four wallets get profiles, so trades of their tickets store notifications.
    for (const [i, wallet] of wallets.slice(0, 4).entries()) await addAgent({ ...world, deps }, { wallet, name: `Told ${i}` });
    return deps;
  }

  /** The clock is read after all other writes. So a clock that throws makes the transaction fail at its end. */
  const failing = (deps: Deps): Deps => {
    const now = () => {
      throw new Error('cut short');
    };
    return { ...deps, clock: { now } };
  };

  async function bring(deps: Deps, history: History, { how, from, length, fails }: Delivery): Promise<void> {
    const ours = fails === 0 ? failing(deps) : deps;
    const [cursor] = await deps.sql<{ block: number }>('select block_number as block from indexer_cursor');
    const first = how === 'next' ? (cursor?.block ?? 0) + 1 : Math.min(from + 1, history.head);
    const last = Math.min(history.head, first + length - 1);
    if (first > last) return;
    const brought = how === 'catch up' ? catchUp(ours, last) : applyRange(ours, rangeOf(history, first, last));
    await brought.catch((error: Error) => expect(error.message).to.equal('cut short'));
  }

  const notices = (deps: Deps) =>
    deps.sql<Record<string, unknown>>('select recipient, type, subject, data from notification order by recipient, subject');

  it(`gives the same rows as the oracle and a fresh index, in ${runs} runs`, async () => {
    await fc.assert(
      fc.asyncProperty(histories(60), plans(8), async (history, rounds) => {
        const deps = await begin(history);
        for (const round of rounds) await Promise.all(round.map((one) => bring(deps, history, one)));
        expect(await catchUp(deps, history.head)).to.equal(true);
        await checkDay(deps, history);
        expect(await deps.sql('select block_number, fault from indexer_cursor')).to.deep.equal([
          { block_number: history.head, fault: null },
        ]);
        await checkFacts(deps, history);
      }),
      { seed, numRuns: runs },
    );
  });

  it(`leaves no row of a chain that a reorg replaced, in ${runs} runs`, async () => {
    await fc.assert(
      fc.asyncProperty(forks(25), plans(4), plans(3), async ({ old, now }, before, after) => {
        let current = old;
        const deps = await begin(now, () => current);
        for (const round of before) await Promise.all(round.map((one) => bring(deps, current, one)));
        const switched = Promise.resolve().then(() => {
          current = now;
        });
        // Ranges of the old chain may still be applied after the switch to the new chain.
        const late = rounds(before).map((one) => bring(deps, old, one));
        await Promise.all([...late, switched, ...rounds(after).map((one) => bring(deps, current, one))]);
        for (const round of after) await Promise.all(round.map((one) => bring(deps, current, one)));
        expect(await catchUp(deps, now.head)).to.equal(true);
        await checkFacts(deps, now);
      }),
      { seed, numRuns: runs },
    );
  });

  async function checkDay(deps: Deps, history: History): Promise<void> {
    const [agents, { trends }] = await Promise.all([agentsByWallets(deps, wallets), trendingAgents(deps, 50)]);
    for (const { wallet, volume24h, txCount24h, priceChange24h } of agents.values()) {
      const day = oracleDay(history.facts, wallet, history.endsAt);
      expect([volume24h, txCount24h, priceChange24h]).to.deep.equal([day.volume, day.trades, day.change]);
      const trend = trends.find((one) => one.wallet === wallet);
      expect(trend !== undefined).to.equal(day.trades > 0);
      if (trend === undefined) continue;
      expect([trend.volume, trend.txCount, trend.uniqueTraders, trend.newHolders24h, trend.priceChange24h]).to.deep.equal([
        day.volume,
        day.trades,
        day.traders,
        day.newHolders,
        day.change,
      ]);
    }
  }

  /** Compares the stored rows with the oracle, the chain and a fresh index. */
  async function checkFacts(deps: Deps, history: History): Promise<void> {
    const { facts, hashOf, head } = history;
    expect(await storedFacts(deps)).to.deep.equal(oracle(facts));
    const stored = await deps.sql<{ number: number; hash: string }>('select number, hash from chain_block');
    for (const { number, hash } of stored) expect(hash).to.equal(hashOf(number));
    const numbers = stored.map(({ number }) => number);
    expect(numbers).to.include.members([...facts.map(({ blockNumber }) => blockNumber), head]);
    const told = await notices(deps);
    const fresh = await begin(history);
    expect(await applyRange(fresh, rangeOf(history, 1, head))).to.equal(true);
    expect(await storedFacts(fresh)).to.deep.equal(oracle(facts));
    expect(await notices(fresh)).to.deep.equal(told);
  }
});
