import type { SqlEntityManager } from '@mikro-orm/sql';
import { expect } from 'chai';
import type { Fact, Traded } from '../../../../../src/chain/logs/facts.js';
import type { Deps } from '../../../../../src/deps.js';
import { applyRange } from '../../../../../src/index/ingest.js';
import { sqlIn, type Write } from '../../../../../src/store/sql.js';
import { emptyIndex } from '../../../../support/chain/indexed.js';
import { rangeOf } from '../../../../support/market/histories.js';
import { runSql } from '../../../../support/store.js';
import { useWorld } from '../../../../support/world.js';

const agent = `0x${'a'.repeat(40)}`;
const trader = `0x${'b'.repeat(40)}`;
const hashOf = (block: number): string => `0x${block.toString(16).padStart(64, '0')}`;
/** Number of trades. One trader makes them all in one agent, and holds 3,000 tickets in as many lots at the end. */
const HISTORY = 6000;
const HELD = 3000;

async function readIn(tx: SqlEntityManager): Promise<Map<string, number>> {
  const rows = await sqlIn(tx)<{ table: string; rows: string }>(
    `select relname as table, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows
     from pg_stat_xact_user_tables`,
  );
  return new Map(rows.map((row) => [row.table, Number(row.rows)]));
}

describe('indexing one sale in a long history', () => {
  const world = useWorld();
  const start = Date.UTC(2026, 0, 1);

  const trade = (block: number, kind: Traded['kind'], supply: number): Traded => ({
    kind,
    trader,
    agent,
    supply,
    amount: 1,
    price: 1000n,
    protocolFee: 10n,
    agentFee: 10n,
    blockNumber: block,
    blockHash: hashOf(block),
    txHash: hashOf(block),
    logIndex: 0,
    ordinal: 0,
    time: new Date(start + block * 600_000),
  });
  it('reads fewer than 20 rows of each table', async () => {
    const hashes = async (numbers: readonly number[]) => numbers.map(hashOf);
    const deps: Deps = { ...world.deps, chain: { ...world.deps.chain, hashes } };
    await emptyIndex(deps);
    const facts: Fact[] = [{ ...trade(1, 'bought', 1), kind: 'registered', agent, name: 'Ada', agentId: 'ada' }];
    const next = HISTORY + 1;
    const range = (from: number, to: number) => rangeOf({ facts, hashOf, head: next, endsAt: world.clock.now() }, from, to);
    let supply = 1;
    for (let block = 2; block <= HISTORY; block++) {
      const buys = block % 2 === 0 || block > HISTORY - HELD;
      supply += buys ? 1 : -1;
      facts.push(trade(block, buys ? 'bought' : 'sold', supply));
    }
    expect(await applyRange(deps, range(1, HISTORY))).to.equal(true);
    await runSql(deps, 'analyze');

    let read: [table: string, rows: number][] = [];
    const counting: Write = (work) =>
      deps.write(async (tx) => {
        // The statistics may still contain rows that an earlier transaction of the connection has read, so these are subtracted.
        const before = await readIn(tx);
        const result = await work(tx);
        const after = await readIn(tx);
        read = [...after].map(([table, rows]) => [table, rows - (before.get(table) ?? 0)]);
        return result;
      });
    facts.push(trade(next, 'sold', supply - 1));
    expect(await applyRange({ ...deps, write: counting }, range(next, next))).to.equal(true);
    const rows = read.map(([, count]) => count).filter((count) => count > 0);
    expect(rows.length).to.be.greaterThan(3);
    // A query that scans the lots or the trades would read thousands of rows of a table.
    expect(Math.max(...rows), JSON.stringify(read)).to.be.below(20);
  });
});
