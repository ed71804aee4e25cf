import { join } from 'node:path';
import { expect } from 'chai';
import { reindexUntil } from '../../../src/cli/commands/reindex.js';
import type { Deps } from '../../../src/deps.js';
import { ensureCursor, readCursor, setFault } from '../../../src/index/cursor.js';
import { Indexer } from '../../../src/index/indexer.js';
import { openDatabase } from '../../../src/service/orm.js';
import { type DatabaseTarget, migrate } from '../../../src/store/database.js';
import { storedFacts } from '../../support/chain/facts.js';
import { alone, indexAll } from '../../support/chain/indexed.js';
import { createDatabase, serverUrl } from '../../support/database.js';
import { oracle } from '../../support/market/oracle.js';
import { addAgent } from '../../support/market/rows.js';
import { startTraffic, type Traffic } from '../../support/market/traffic.js';
import { callProgram } from '../../support/service/command.js';
import { endProcesses, eventually, freshDirectory, replicaEnv } from '../../support/service/process.js';
import { runSql, storeOf } from '../../support/store.js';
import { testTimes } from '../../support/times.js';
import { useWorld } from '../../support/world.js';

const run = (env: Record<string, string>, interrupt = new AbortController().signal) =>
  callProgram(reindexUntil(interrupt), [], env);

describe('npm run reindex', () => {
  const world = useWorld();

  let directory: string;
  let target: DatabaseTarget;
  let traffic: Traffic;
  let umask: number;

  before(async () => {
    // The service gives only its own user access to its directory. The test writes files there with the same umask.
    umask = process.umask(0o077);
    traffic = await startTraffic(world.chain, 31);
    await traffic.act(30);
    directory = freshDirectory();
    target = serverUrl === undefined ? { directory: join(directory, 'database') } : { url: await createDatabase(serverUrl) };
    await using((deps) => ensureCursor(deps, async () => 1));
  });
  after(async () => {
    process.umask(umask);
    await endProcesses();
  });

  /** Opens the database only while `use` runs, because the embedded database allows one process at a time. */
  async function using<T>(use: (deps: Deps) => Promise<T>): Promise<T> {
    const orm = await openDatabase(target, { times: testTimes });
    try {
      await migrate(orm, target);
      return await use({ ...world.deps, ...(await storeOf(orm)) });
    } finally {
      await orm.close(true);
    }
  }

  const environment = (): Record<string, string> => ({
    ...replicaEnv(world.chain),
    DATA_DIR: directory,
    EMBEDDED: '1',
    ...('url' in target ? { DATABASE_URL: target.url } : {}),
  });
  const head = (): Promise<number> => world.deps.chain.blockNumber();
  // What the index must contain, computed from the logs by a simple reference implementation.
  const facts = async () => oracle((await world.deps.chain.range(1, await head())).facts);

  it('does not change a correct index', async () => {
    const before = await using(async (deps) => {
      await addAgent({ ...world, deps }, { wallet: traffic.traders[0]?.wallet });
      await indexAll(deps);
      await runSql(deps, 'delete from notification');
      // The blocks are recent enough to create live events, as this row shows. So this test would find those of a rebuild.
      expect(await deps.sql('select 1 from live_event limit 1')).to.have.length(1);
      await runSql(deps, 'delete from live_event');
      return { stored: await storedFacts(deps), cursor: await readCursor(deps) };
    });
    const { code, stdout, stderr } = await run(environment());
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout)
      .to.include(`Block ${await head()} of ${await head()} (100 %)`)
      .and.include('No corrections.');
    await using(async (deps) => {
      expect({ stored: await storedFacts(deps), cursor: await readCursor(deps) }).to.deep.equal(before);
      expect(before.stored).to.deep.equal(await facts());
      // A rebuild must not announce old trades again.
      expect(await deps.sql('select 1 from notification')).to.deep.equal([]);
      expect(await deps.sql('select 1 from live_event')).to.deep.equal([]);
      expect(await deps.sql("select 1 from pg_namespace where nspname = 'curvet_rebuild'")).to.deep.equal([]);
    });
  });

  it('repairs a wrong index, clears the fault and deletes notifications of missing trades', async () => {
    await using(async (deps) => {
      const [{ tx_hash = '' } = {}] = await deps.sql<{ tx_hash: string }>('select tx_hash from transaction limit 1');
      const recipient = traffic.traders[0]?.wallet;
      await runSql(
        deps,
        `insert into notification (recipient, type, subject, message, data, created_at)
         select $1, 'TICKET_BOUGHT', subject, 'told', '{}', now() from unnest($2::text[]) as subject`,
        [recipient, [`trade:0x${'f'.repeat(64)}:0`, `trade:${tx_hash}:0`]],
      );
      // Damages most tables of the index: wrong figures, missing rows, and a trade that is not on the chain.
      await runSql(deps, 'update market set supply = supply + 1, volume = 0');
      await runSql(deps, 'delete from ticket_lot where remaining > 2');
      await runSql(deps, 'delete from candle');
      await runSql(deps, "update wallet_ledger set wallet = '0x' || md5(wallet) || '00000000'");
      await runSql(deps, 'delete from transaction where ordinal = 0 and block_number % 3 = 0');
      await runSql(
        deps,
        "update transaction set tx_hash = '0x' || repeat('f', 64) where block_number in (select max(block_number) from transaction)",
      );
      await setFault(deps, 'deeper than anything');
      await runSql(deps, 'update indexer_cursor set proved_to = block_number');
    });
    const { code, stdout, stderr } = await run(environment());
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(/Corrections: market: \d+ rows removed, \d+ added; transaction: 1 rows removed, \d+ added/);
    await using(async (deps) => {
      expect(await storedFacts(deps)).to.deep.equal(await facts());
      // `provedTo` is 0, because the audit has not yet compared the blocks that the rebuild has read.
      expect(await readCursor(deps)).to.include({ blockNumber: await head(), fault: null, provedTo: 0 });
      const told = await deps.sql<{ subject: string }>('select subject from notification');
      expect(told).to.have.length(1);
      expect(told[0]?.subject).to.not.include('ffff');
    });
  });

  it('changes nothing when it is interrupted', async () => {
    await using((deps) => runSql(deps, 'delete from candle'));
    const { code, stdout, stderr } = await run(environment(), AbortSignal.abort());
    expect([code, stdout, stderr]).to.deep.equal([1, '\nInterrupted: nothing was changed.\n', '']);
    await using(async (deps) => {
      expect(await deps.sql('select 1 from candle')).to.deep.equal([]);
      expect(await deps.sql("select 1 from pg_namespace where nspname = 'curvet_rebuild'")).to.deep.equal([]);
    });
  });

  if (serverUrl !== undefined) {
    it('switches atomically for concurrent readers while the service runs', async () => {
      await using(async (deps) => {
        await runSql(deps, 'delete from transaction');
        const indexer = new Indexer(deps, { leadership: alone, pollMs: 20 });
        const seen = new Set<string>();
        let over = false;
        const reader = (async () => {
          while (!over) {
            const [row] = await deps.sql<{ trades: number; counted: number; lots: bigint; held: bigint }>(
              `select (select count(*) from transaction) as trades, (select sum(trade_count)::int8 from market) as counted,
                 (select sum(remaining) from ticket_lot) as lots, (select sum(amount) from ticket_holding) as held`,
            );
            // Before the switch, `transaction` lacks the deleted rows. After it, no row is
            // missing. A third difference would be a mixture.
            seen.add(String(Number(row?.counted) - Number(row?.trades)));
            expect(String(row?.lots)).to.equal(String(row?.held));
          }
        })();
        const running = run(environment());
        await traffic.act(10);
        const { code, stderr } = await running;
        await traffic.act(2);
        await eventually(async () => (await readCursor(deps)).blockNumber >= (await head()), 'the index does not reach the head');
        over = true;
        await reader;
        await indexer.stop();
        expect([code, stderr]).to.deep.equal([0, '']);
        expect(seen.size).to.equal(2);
        expect(seen.has('0')).to.equal(true);
        expect(await storedFacts(deps)).to.deep.equal(await facts());
      });
    });
  }
});
