import type { SqlEntityManager } from '@mikro-orm/sql';
import { expect } from 'chai';
import { outageOf } from '../../../src/observe/database-errors.js';
import { inRequest } from '../../../src/observe/request-scope.js';
import { openDatabase } from '../../../src/service/orm.js';
import type { ConnectionPool } from '../../../src/store/connections/pool.js';
import { INDEX, JOB, REQUEST, type StatementTimeouts, withTimeouts } from '../../../src/store/connections/timeouts.js';
import type { Database } from '../../../src/store/database.js';
import { openSql, poolOf, type Sql } from '../../../src/store/sql.js';
import { type Fault, FaultyLine } from '../../support/chain/faulty-line.js';
import { serverUrl, testDatabase } from '../../support/database.js';
import { thrownBy } from '../../support/refused.js';
import { eventually } from '../../support/service/process.js';
import { type ManualTimes, manualTimes, testTimes } from '../../support/times.js';

/** Size of the connection pool, and maximum number of statements that wait for a connection. */
const [ALL, MOST_WAITING] = [20, 1000];

const codeOf = async (work: Promise<unknown>): Promise<string | undefined> => outageOf(await thrownBy(work))?.code;

if (serverUrl !== undefined) {
  describe('connections to PostgreSQL', () => {
    let line: FaultyLine;
    let orm: Database;
    let sql: Sql;
    let times: ManualTimes;
    let other: Database;
    let direct: Sql;
    const name = `line ${process.pid}`;

    before(async () => {
      const { url, orm: opened } = await testDatabase();
      other = opened;
      direct = await openSql(other);
      line = await FaultyLine.to(String(url));
    });
    beforeEach(async () => {
      const url = new URL(line.url);
      url.searchParams.set('application_name', name);
      times = manualTimes(testTimes);
      orm = await openDatabase({ url: url.href }, { times });
      sql = await openSql(orm);
    });
    afterEach(async () => {
      line.thaw();
      line.reset();
      await orm.close(true);
      await direct("delete from setting where name like 'line %'");
    });
    after(() => line.close());

    const inTransaction = <T>(work: (tx: SqlEntityManager) => Promise<T>, database = orm): Promise<T> =>
      (database.em.fork() as SqlEntityManager).transactional(work);
    const write = (key: string) => (tx: SqlEntityManager) =>
      tx.execute("insert into setting (name, value) values (?, 'x')", [`line ${key}`]);
    const stored = async (key: string): Promise<boolean> =>
      (await direct('select 1 as n from setting where name = $1', [`line ${key}`])).length > 0;
    const sessions = (condition: string, what = 'pid') =>
      direct(`select ${what} from pg_stat_activity where application_name = $1 and ${condition}`, [name]);
    /** Calls `work` while another session has locked the table of settings. */
    const whileLocked = (work: () => Promise<void>): Promise<void> =>
      inTransaction(async (tx) => {
        await tx.execute('lock table setting');
        await work();
      }, other);
    /** Injects the fault at the statement. Time only passes if the connection freezes, because otherwise the connection ends. */
    async function strike(statement: RegExp, fault: Fault): Promise<void> {
      await line.at(statement, fault);
      if (fault === 'freeze') times.advance(REQUEST.answerMs * times.factor);
    }

    for (const [how, cut] of [
      ['the server terminates the sessions', () => sessions('true', 'pg_terminate_backend(pid)')],
      ['the network resets the connections', async () => line.reset()],
    ] as const) {
      it(`return to the pool when ${how} during transactions`, async () => {
        for (let round = 0; round < 2; round++) {
          let open = 0;
          const work = Array.from({ length: ALL }, () =>
            codeOf(
              inTransaction(async (tx) => {
                open++;
                await tx.execute('select pg_sleep(600)');
              }),
            ),
          );
          await eventually(() => open === ALL, 'not all transactions have begun');
          await cut();
          expect(new Set(await Promise.all(work))).to.deep.equal(new Set(['DATABASE_UNAVAILABLE']));
          expect(await sql('select 1 as n')).to.deep.equal([{ n: 1 }]);
          await inTransaction((tx) => tx.execute('select 1'));
        }
      });
    }

    for (const [fault, statement] of [
      ['drop', /begin/],
      ['lose', /begin/],
      ['freeze', /begin/],
      ['lose', /rollback/],
      ['freeze', /rollback/],
    ] as const) {
      it(`return to the pool after the network fault "${fault}" at ${statement.source}`, async () => {
        // If a fault lost its connection to the pool, none would be left for the last round.
        for (let i = 0; i < ALL + 1; i++) {
          const struck = strike(statement, fault);
          const failing = inTransaction(async () => {
            throw new Error('for a rollback');
          });
          expect(await thrownBy(failing)).to.be.instanceOf(Error);
          await struck;
        }
        await sql('select 1');
      });
    }

    it('refuse queries with DATABASE_BUSY while all are taken or too many queries wait, and work afterwards', async () => {
      const small = await openDatabase({ url: line.url }, { times: manualTimes({ databaseConnect: 120_000 }) });
      const pool = poolOf(small) as ConnectionPool;
      const taken = await Promise.all(Array.from({ length: ALL }, () => pool.connect()));
      // All connections are open, so this only limits the wait for a free one. On a
      // slow machine, it would be too short to open one.
      Reflect.set(pool.options, 'connectionTimeoutMillis', 200);
      const { refused } = pool.state;
      const ask = () => codeOf(pool.query({ text: 'select 1' }));
      const waiting = Array.from({ length: MOST_WAITING }, ask);
      const states = [pool.state];
      const refusedAtOnce = ask();
      states.push(pool.state);
      const codes = new Set(await Promise.all([...waiting, refusedAtOnce]));
      for (const lease of taken) lease.release();
      await pool.query({ text: 'select 1' });
      states.push(pool.state);
      await small.close(true);
      expect(codes).to.deep.equal(new Set(['DATABASE_BUSY']));
      expect(states).to.deep.equal([
        { max: ALL, used: ALL, waiting: MOST_WAITING, refused },
        { max: ALL, used: ALL, waiting: MOST_WAITING, refused: refused + 1 },
        { max: ALL, used: 0, waiting: 0, refused: refused + MOST_WAITING + 1 },
      ]);
    });

    it('are lent to 400 queries in turn', async () => {
      await Promise.all(Array.from({ length: 400 }, () => sql('select 1')));
    });

    it('are all replaced after a network freeze', async () => {
      const backends = async () =>
        (await Promise.all(Array.from({ length: ALL }, () => sql<{ pid: number }>('select pg_backend_pid() as pid'))))
          .flat()
          .map(({ pid }) => pid);
      const before = await backends();
      line.freeze();
      const frozen = codeOf(withTimeouts(JOB, () => sql('select 1')));
      await eventually(() => times.waiting.length > 0, 'the statement has no timeout');
      // Before the statement, its time limits are set on the connection. This may take at most as long as opening a connection.
      expect(times.waiting).to.deep.equal([times.databaseConnect]);
      times.advance(times.databaseConnect);
      expect(await frozen).to.equal('DATABASE_UNAVAILABLE');
      line.thaw();
      // A statement over a frozen connection must fail instead of waiting forever, so its timeout passes here.
      line.onSent = (text, isFrozen) => {
        if (isFrozen && text.includes('pg_backend_pid')) times.advance(REQUEST.answerMs * times.factor);
      };
      expect((await backends()).filter((pid) => before.includes(pid))).to.deep.equal([]);
    });

    it('time out when opened over a frozen network', async () => {
      line.freeze();
      const opening = openDatabase({ url: line.url }, { times: manualTimes({ databaseConnect: 50 }) });
      expect(await codeOf(opening)).to.equal('DATABASE_UNAVAILABLE');
    });

    it('set the time limits of requests, the index and jobs on the server', async () => {
      const shown = async (limits: StatementTimeouts) => {
        const settings = await withTimeouts(limits, () =>
          sql<{ ms: number }>(
            `select setting::int as ms from pg_settings
             where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name desc`,
          ),
        );
        return settings.map(({ ms }) => ms / times.factor);
      };
      const request = [5000, 4000, 5000];
      expect(await shown(REQUEST)).to.deep.equal(request);
      expect(await shown(INDEX)).to.deep.equal([30_000, 10_000, 15_000]);
      expect(await shown(JOB)).to.deep.equal([600_000, 60_000, 10_000]);
      expect(await shown(REQUEST)).to.deep.equal(request);
    });

    it('set TCP keepalive on the server, so that a dead replica releases its locks, and no JIT compilation', async () => {
      const keepalive = `select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_keepalives_count') as count,
        current_setting('jit') as jit`;
      const rows = await Promise.all(Array.from({ length: 5 }, () => inTransaction((tx) => tx.execute(keepalive))));
      expect(rows.flat()).to.deep.equal(Array.from({ length: 5 }, () => ({ idle: '3', count: '2', jit: 'off' })));
    });

    // `times.factor`, usually 100, multiplies the limits in this test and in the next two. So 5 ms become half a second.
    it('cancel a slow statement', async () => {
      const slow = withTimeouts({ ...REQUEST, statementMs: 5 }, () => sql('select pg_sleep(600)'));
      expect(await codeOf(slow)).to.equal('DATABASE_BUSY');
    });

    it('cancel a long lock wait', async () => {
      await whileLocked(async () => {
        const waiting = withTimeouts({ ...REQUEST, lockMs: 5 }, () => sql('select * from setting'));
        expect(await codeOf(waiting)).to.equal('DATABASE_BUSY');
      });
    });

    it('cancel an idle transaction', async () => {
      const paused = withTimeouts({ ...REQUEST, idleMs: 5 }, () =>
        inTransaction(async (tx) => {
          await write('paused')(tx);
          await eventually(async () => (await sessions('true')).length === 0, 'the session did not end');
          await tx.execute('select 1');
        }),
      );
      expect(await codeOf(paused)).to.equal('DATABASE_UNAVAILABLE');
      expect(await stored('paused')).to.equal(false);
    });

    for (const [fault, kept] of [
      ['lose', true],
      ['drop', false],
      ['freeze', false],
    ] as const satisfies readonly (readonly [Fault, boolean])[]) {
      it(`report OUTCOME_UNKNOWN after the network fault "${fault}" at a commit`, async () => {
        void strike(/commit/, fault);
        expect(await codeOf(inTransaction(write(`end ${fault}`)))).to.equal('OUTCOME_UNKNOWN');
        expect(await stored(`end ${fault}`)).to.equal(kept);
      });
    }

    it('report DATABASE_UNAVAILABLE when lost before the commit, and change nothing', async () => {
      void line.at(/insert/, 'lose');
      expect(await codeOf(inTransaction(write('before')))).to.equal('DATABASE_UNAVAILABLE');
      expect(await stored('before')).to.equal(false);
    });

    it('report OUTCOME_UNKNOWN when lost after the request has committed a transaction', async () => {
      const code = await inRequest(async () => {
        await inTransaction(write('first'));
        void line.at(/select/, 'drop');
        return codeOf(sql('select 1'));
      });
      expect(code).to.equal('OUTCOME_UNKNOWN');
      const refused = await inRequest(async () => {
        await inTransaction(write('first')).catch(() => {});
        void line.at(/select/, 'drop');
        return codeOf(sql('select 1'));
      });
      expect(refused, 'the insert was refused, so nothing was committed').to.equal('DATABASE_UNAVAILABLE');
    });
  });
}
