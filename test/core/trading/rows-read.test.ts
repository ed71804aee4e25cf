import { expect } from 'chai';
import type { Traded } from '../../../src/chain/logs/facts.js';
import type { ChainRange } from '../../../src/chain/logs/ranges.js';
import { ensureCursor } from '../../../src/core/trading/commands/cursor.js';
import { applyRange } from '../../../src/core/trading/commands/ingest.js';
import type { Deps } from '../../../src/deps.js';
import { sqlIn } from '../../../src/store/sql.js';
import { emptyTables, testDatabase } from '../../support/database.js';
import { useWorld } from '../../support/world.js';

const agent = `0x${'a'.repeat(40)}`;
const trader = `0x${'b'.repeat(40)}`;
const hashOf = (block: number): string => `0x${block.toString(16).padStart(64, '0')}`;
/** In one agent, all of one trader, who holds three thousand tickets of it at the end in as many lots. */
const HISTORY = 6000;
const HELD = 3000;

async function readIn(tx: Deps['em']): Promise<Map<string, number>> {
  const rows = await sqlIn(tx)<{ table: string; rows: string }>(
    `select relname as table, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows
     from pg_stat_xact_user_tables`,
  );
  return new Map(rows.map((row) => [row.table, Number(row.rows)]));
}

describe('one sale in a long history', () => {
  const world = useWorld();
  const start = Date.UTC(2026, 0, 1);

  const trade = (block: number, kind: Traded['kind'], supply: number): Traded => ({
    kind,
    trader,
    agent,
    amount: 1,
    price: 1000n,
    protocolFee: 10n,
    agentFee: 10n,
    supply,
    blockNumber: block,
    blockHash: hashOf(block),
    logIndex: 0,
    txHash: hashOf(block),
    ordinal: 0,
    time: new Date(start + block * 600_000),
  });
  const range = (from: number, to: number, facts: ChainRange['facts']): ChainRange => ({
    from,
    to,
    parentHash: hashOf(from - 1),
    endHash: hashOf(to),
    facts,
  });

  it('reads as many rows as it would in a short one', async () => {
    const { orm } = await testDatabase();
    await emptyTables(orm);
    const hashes = async (numbers: readonly number[]) => numbers.map(hashOf);
    const deps: Deps = { ...world.deps, market: { ...world.deps.market, hashes } };
    await ensureCursor(deps, async () => 1);
    const facts: ChainRange['facts'][number][] = [
      { ...trade(1, 'bought', 1), kind: 'registered', agent, name: 'Ada', agentId: 'ada' },
    ];
    let supply = 1;
    for (let block = 2; block <= HISTORY; block++) {
      const buys = block % 2 === 0 || block > HISTORY - HELD;
      supply += buys ? 1 : -1;
      facts.push(trade(block, buys ? 'bought' : 'sold', supply));
    }
    expect(await applyRange(deps, range(1, HISTORY, facts))).to.equal(true);
    await deps.sql('analyze');

    let read: [table: string, rows: number][] = [];
    const counting = {
      fork: (...options: Parameters<Deps['em']['fork']>) => {
        const em = deps.em.fork(...options);
        return {
          transactional: <T>(work: (tx: typeof em) => Promise<T>) =>
            em.transactional(async (tx) => {
              // What an earlier transaction of the connection has read may not be put away yet.
              const before = await readIn(tx as typeof em);
              const result = await work(tx as typeof em);
              const after = await readIn(tx as typeof em);
              read = [...after].map(([table, rows]) => [table, rows - (before.get(table) ?? 0)]);
              return result;
            }),
        };
      },
    } as unknown as Deps['em'];
    const next = HISTORY + 1;
    const sale = trade(next, 'sold', supply - 1);
    expect(await applyRange({ ...deps, em: counting }, range(next, next, [sale]))).to.equal(true);
    const rows = read.map(([, count]) => count).filter((count) => count > 0);
    expect(rows.length).to.be.greaterThan(3);
    expect(Math.max(...rows), JSON.stringify(read)).to.be.below(20);
  });

  it('finds by an index what was told of it, for when it did not happen after all', async () => {
    const { orm } = await testDatabase();
    const lines = await orm.em.transactional(async (tx) => {
      await tx.execute('set local enable_seqscan = off');
      return tx.execute<{ 'QUERY PLAN': string }[]>(
        "explain delete from notification where subject = any('{a,b}'::varchar[])",
      );
    });
    expect(lines.map((line) => line['QUERY PLAN']).join(' ')).to.include('notification_subject');
  });
});
