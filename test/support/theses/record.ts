import { expect } from 'chai';
import type { Deps } from '../../../src/deps.js';
import { judge } from '../../../src/features/theses/judge.js';
import { ensureCursor } from '../../../src/index/cursor.js';
import { catchUp } from '../../../src/index/ingest.js';
import { emptyTables, testDatabase } from '../database.js';
import { historyChain } from '../market/histories.js';
import { runSql } from '../store.js';
import type { World } from '../world.js';
import { type CallHistory, chainOf, type Reason } from './call-history.js';
import type { ExpectedOutcome, ExpectedThesis } from './call-oracle.js';
import type { ExpectedRecord } from './record-oracle.js';

/** The record of theses of a service whose chain is a history. */
export function recordOf(world: World) {
  let [current, now] = [{ facts: [], reasons: [], end: new Date() } as CallHistory, new Date()];
  let chain = chainOf(current);
  const depsNow = (): Deps => ({
    ...world.deps,
    config: { ...world.deps.config, chainEmbedded: false },
    clock: { now: () => now },
    chain: historyChain(() => chain, world.deps.chain),
  });

  /** Empties all tables. The index begins at block 1 of the history. */
  async function begin(history: CallHistory): Promise<void> {
    [current, chain, now] = [history, chainOf(history), history.end];
    await emptyTables((await testDatabase()).orm);
    await ensureCursor(depsNow(), async () => 1);
  }

  /** Stores the reasons that have come by now. A reason that is stored already stays. */
  async function store(reasons: readonly Reason[]): Promise<void> {
    const come = reasons.filter(({ at }) => at <= now);
    await runSql(
      depsNow(),
      `insert into reason (tx_hash, ordinal, author, given_at, confidence)
       select * from unnest($1::varchar[], $2::int[], $3::varchar[], $4::timestamptz[], $5::int[])
       on conflict do nothing`,
      [
        come.map((r) => r.txHash),
        come.map((r) => r.ordinal),
        come.map((r) => r.author),
        come.map((r) => r.at.toISOString()),
        come.map((r) => r.confidence),
      ],
    );
  }

  /** Brings the clock, the reasons and the index to the state of a history, and judges. Returns the clock. */
  async function reach(history: CallHistory): Promise<Date> {
    [current, chain, now] = [history, chainOf(history), new Date(history.end.getTime() + 60_000)];
    await store(history.reasons);
    const deps = depsNow();
    while (!(await catchUp(deps, chain.head))) {
      // A lag of more than 2,000 blocks is read in parts.
      const [cursor] = await deps.sql<{ block: number }>('select block_number as block from indexer_cursor');
      expect(await catchUp(deps, Number(cursor?.block) + 2000)).to.equal(true);
    }
    // Two replicas judge at the same time.
    await Promise.all([judge(deps), judge(deps)]);
    return now;
  }

  /** The stored record, by the hash of the trade. */
  async function stored(): Promise<Map<string, ExpectedThesis>> {
    const { sql } = world.deps;
    const theses = await sql<{ hash: string; eligibility: string | null }>(
      `select h.tx_hash as hash, h.eligibility from reason h join transaction t on t.tx_hash = h.tx_hash and t.ordinal = h.ordinal
       where h.author = t.trader`,
    );
    type Outcome = Omit<ExpectedOutcome, 'value' | 'fakeCost'> & { hash: string; value: bigint; fakeCost: bigint | null };
    const outcomes = await sql<Outcome>(
      `select tx_hash as hash, horizon, move, benchmark, paid, value, weight, controls, fake_cost as "fakeCost", sold_half as "soldHalf"
       from call_outcome where judged_block is not null order by until`,
    );
    const byHash = Map.groupBy(outcomes, ({ hash }) => hash);
    const outcomesOf = (hash: string) =>
      (byHash.get(hash) ?? []).map(({ hash: _, value, fakeCost, ...others }) => ({
        ...others,
        value: String(value),
        fakeCost: fakeCost === null ? null : String(fakeCost),
      }));
    return new Map(theses.map(({ hash, eligibility }) => [hash, { eligibility, outcomes: outcomesOf(hash) }]));
  }

  /** The stored records of the authors with a call, in the order of their wallets. */
  const records = (): Promise<ExpectedRecord[]> =>
    world.deps.sql<ExpectedRecord>(
      `select author, figures, luck, rank, beyond_luck as "beyondLuck" from thesis_record
       order by author collate "C"`,
    );

  /** Reads everything again into an empty index, with the same reasons. */
  async function again(): Promise<Map<string, ExpectedThesis>> {
    const reasons = await world.deps.sql<Reason>(
      'select tx_hash as "txHash", ordinal, author, given_at as at, confidence from reason',
    );
    const history = { ...current, reasons };
    await begin(history);
    await reach(history);
    return stored();
  }

  return { begin, reach, stored, records, again };
}
