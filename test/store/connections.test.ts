// Nightly: it depends on real time.
import type { SqlEntityManager } from '@mikro-orm/sql';
import { expect } from 'chai';
import { inRequest, outageOf } from '../../src/outage.js';
import { INDEX, JOB, REQUEST, type Timeouts, withTimeouts } from '../../src/store/connections/timeouts.js';
import { type Database, openDatabase, poolOf } from '../../src/store/database.js';
import { openSql, type Sql } from '../../src/store/sql.js';
import { type Fault, FaultyLine } from '../support/chain/faulty-line.js';
import { serverUrl, testDatabase } from '../support/database.js';
import { eventually } from '../support/service/process.js';

/** The size of the connection pool. */
const ALL = 20;
/** Short time limits keep the tests fast. */
const SHORT: Timeouts = { statementMs: 500, lockMs: 300, idleMs: 500, answerMs: 800 };

const timed = async (work: Promise<unknown>): Promise<{ ms: number; error: unknown }> => {
  const begun = performance.now();
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { ms: performance.now() - begun, error };
};
const codeOf = (error: unknown): string | undefined => outageOf(error)?.code;

if (serverUrl === undefined) {
  describe('connections to PostgreSQL', () => {
    it('are not tested: DATABASE_URL is not set');
  });
} else {
  describe('connections to PostgreSQL', () => {
    let line: FaultyLine;
    let orm: Database;
    let sql: Sql;
    let direct: Sql;
    const name = `line ${process.pid}`;

    before(async () => {
      const { url, orm: other } = await testDatabase();
      direct = await openSql(other);
      line = await FaultyLine.to(String(url));
    });
    beforeEach(async () => {
      const url = new URL(line.url);
      url.searchParams.set('application_name', name);
      orm = await openDatabase({ url: url.href });
      sql = await openSql(orm);
    });
    afterEach(async () => {
      line.thaw();
      line.slow(0);
      line.reset();
      await orm.close(true);
      await direct("delete from setting where name like 'line %'");
    });
    after(() => line.close());

    const inTransaction = <T>(work: (tx: SqlEntityManager) => Promise<T>): Promise<T> =>
      (orm.em.fork() as SqlEntityManager).transactional(work);
    const write = (key: string) => (tx: SqlEntityManager) =>
      tx.execute("insert into setting (name, value) values (?, 'x')", [`line ${key}`]);
    const stored = async (key: string): Promise<boolean> =>
      (await direct('select 1 as n from setting where name = $1', [`line ${key}`])).length > 0;
    const endAll = () =>
      direct('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [name]);

    for (const [how, cut] of [
      ['the server terminates the sessions', () => endAll()],
      ['the network resets the connections', async () => line.reset()],
    ] as const) {
      it(`return to the pool when ${how} during transactions`, async () => {
        for (let round = 0; round < 2; round++) {
          let open = 0;
          const work = Array.from({ length: ALL }, () =>
            inTransaction(async (tx) => {
              open++;
              await tx.execute('select pg_sleep(3)');
            }).catch((error: unknown) => codeOf(error)),
          );
          await eventually(() => open === ALL, 'not all transactions have begun');
          await cut();
          expect(new Set(await Promise.all(work))).to.deep.equal(new Set(['DATABASE_UNAVAILABLE']));
          expect(await sql('select 1 as n')).to.deep.equal([{ n: 1 }]);
          expect((await timed(inTransaction((tx) => tx.execute('select 1')))).error).to.equal(undefined);
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
        for (let i = 0; i < ALL + 1; i++) {
          void line.at(statement, fault);
          const failing = () =>
            inTransaction(async () => {
              throw new Error('for a rollback');
            });
          const limits = { ...SHORT, answerMs: 100 };
          expect((await timed(withTimeouts(limits, failing))).error).to.be.instanceOf(Error);
        }
        expect((await timed(sql('select 1'))).error).to.equal(undefined);
      });
    }

    it('fail fast with DATABASE_BUSY while the pool is exhausted, and work again afterwards', async () => {
      const taken = Array.from({ length: ALL }, () => sql('select pg_sleep(2)'));
      const first = await timed(sql('select 1'));
      expect(codeOf(first.error)).to.equal('DATABASE_BUSY');
      expect(first.ms).to.be.within(300, 950);
      const next = await Promise.all(Array.from({ length: 50 }, () => timed(sql('select 1'))));
      expect(new Set(next.map(({ error }) => codeOf(error)))).to.deep.equal(new Set(['DATABASE_BUSY']));
      expect(Math.max(...next.map(({ ms }) => ms))).to.be.lessThan(200);
      expect(poolOf(orm)?.state).to.deep.equal({ max: ALL, used: ALL, waiting: 0, refused: 51 });
      await Promise.all(taken);
      expect((await timed(sql('select 1'))).error).to.equal(undefined);
      expect(poolOf(orm)?.state).to.include({ used: 0, refused: 51 });
    });

    it('wait for a connection that is released soon, even with 400 waiting queries', async () => {
      const all = await Promise.all(Array.from({ length: 400 }, () => timed(sql('select pg_sleep(0.01)'))));
      expect(all.filter(({ error }) => error !== undefined)).to.deep.equal([]);
    });

    it('are discarded after a network freeze, together with all connections that were opened before it', async () => {
      await Promise.all(Array.from({ length: ALL }, () => sql('select pg_sleep(0.1)')));
      line.freeze();
      const frozen = await timed(withTimeouts({ ...SHORT }, () => sql('select 1')));
      expect(codeOf(frozen.error)).to.equal('DATABASE_UNAVAILABLE');
      // The statement first waits for its time limits to be set on the connection, at most as long as for a new
      // connection.
      expect(frozen.ms).to.be.lessThan(3500);
      line.thaw();
      const after = await Promise.all(Array.from({ length: ALL }, () => timed(sql('select 1'))));
      expect(after.filter(({ error }) => error !== undefined)).to.deep.equal([]);
      expect(Math.max(...after.map(({ ms }) => ms))).to.be.lessThan(2000);
    });

    it('time out within 3 s when opened over a frozen network', async () => {
      line.reset();
      await new Promise((resolve) => setTimeout(resolve, 100));
      line.freeze();
      const { ms, error } = await timed(sql('select 1'));
      expect(codeOf(error)).to.equal('DATABASE_UNAVAILABLE');
      expect(ms).to.be.within(2500, 4500);
    });

    it('set the time limits of request, index or job on the server', async () => {
      const shown = (limits: Timeouts) =>
        withTimeouts(limits, () =>
          sql<{ statement: string; lock: string; idle: string }>(
            `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
             current_setting('idle_in_transaction_session_timeout') as idle`,
          ),
        );
      const request = [{ statement: '5s', lock: '4s', idle: '5s' }];
      expect(await shown(REQUEST)).to.deep.equal(request);
      expect(await shown(INDEX)).to.deep.equal([{ statement: '30s', lock: '10s', idle: '15s' }]);
      expect(await shown(JOB)).to.deep.equal([{ statement: '10min', lock: '1min', idle: '10s' }]);
      expect(await shown(REQUEST)).to.deep.equal(request);
    });

    it('cancel a slow statement, a long lock wait and an idle transaction', async () => {
      const slow = await timed(withTimeouts(SHORT, () => sql('select pg_sleep(5)')));
      expect(codeOf(slow.error)).to.equal('DATABASE_BUSY');
      await withTimeouts(JOB, () =>
        inTransaction(async (tx) => {
          await tx.execute('lock table setting in access exclusive mode');
          const waiting = await timed(withTimeouts(SHORT, () => sql('select * from setting')));
          expect(codeOf(waiting.error)).to.equal('DATABASE_BUSY');
          expect(waiting.ms).to.be.lessThan(700);
        }),
      );
      const paused = withTimeouts(SHORT, () =>
        inTransaction(async (tx) => {
          await write('paused')(tx);
          await new Promise((resolve) => setTimeout(resolve, 900));
          await tx.execute('select 1');
        }),
      );
      expect(codeOf((await timed(paused)).error)).to.equal('DATABASE_UNAVAILABLE');
      expect(await stored('paused')).to.equal(false);
    });

    for (const [fault, kept] of [
      ['lose', true],
      ['drop', false],
      ['freeze', false],
    ] as const satisfies readonly (readonly [Fault, boolean])[]) {
      it(`report OUTCOME_UNKNOWN after the network fault "${fault}" at a commit`, async () => {
        void line.at(/commit/, fault);
        const { error } = await timed(withTimeouts(SHORT, () => inTransaction(write(`end ${fault}`))));
        expect(codeOf(error)).to.equal('OUTCOME_UNKNOWN');
        expect(await stored(`end ${fault}`)).to.equal(kept);
      });
    }

    it('report DATABASE_UNAVAILABLE when lost before the commit, and change nothing', async () => {
      void line.at(/insert/, 'lose');
      const { error } = await timed(inTransaction(write('before')));
      expect(codeOf(error)).to.equal('DATABASE_UNAVAILABLE');
      expect(await stored('before')).to.equal(false);
    });

    it('report OUTCOME_UNKNOWN when lost after the request has committed a transaction', async () => {
      const code = await inRequest(async () => {
        await inTransaction(write('first'));
        void line.at(/select/, 'drop');
        return codeOf((await timed(sql('select 1'))).error);
      });
      expect(code).to.equal('OUTCOME_UNKNOWN');
      const refused = await inRequest(async () => {
        await inTransaction(write('first')).catch(() => {});
        void line.at(/select/, 'drop');
        return codeOf((await timed(sql('select 1'))).error);
      });
      expect(refused, 'the insert was refused, so nothing was committed').to.equal('DATABASE_UNAVAILABLE');
    });

    it('allow a long statement to run within the limit of the server', async () => {
      const { error, ms } = await timed(withTimeouts(JOB, () => sql('select pg_sleep(16)')));
      expect(error).to.equal(undefined);
      expect(ms).to.be.greaterThan(15_900);
    });
  });
}
