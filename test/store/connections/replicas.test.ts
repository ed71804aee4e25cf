// Server: it behaves differently on PostgreSQL or Redis.
import type { SqlEntityManager } from '@mikro-orm/sql';
import { expect } from 'chai';
import { type Database, migrate, openDatabase } from '../../../src/store/database.js';
import { createDatabase, serverUrl } from '../../support/database.js';
import { testTimes } from '../../support/times.js';

if (serverUrl !== undefined) {
  const server = serverUrl;
  describe('replicas that start together', () => {
    const opened: Database[] = [];
    after(() => Promise.all(opened.map((orm) => orm.close(true))));

    it('migrate an empty database one after the other, each migration once', async () => {
      const target = { url: await createDatabase(server) };
      opened.push(...(await Promise.all(Array.from({ length: 8 }, () => openDatabase(target, { times: testTimes })))));
      const results = await Promise.allSettled(opened.map((orm) => migrate(orm, target)));
      expect(results.filter(({ status }) => status === 'rejected')).to.deep.equal([]);
      const [orm] = opened as [Database];
      const done = await orm.migrator.getExecuted();
      const names = done.map(({ name }) => name);
      expect(names).to.have.length.above(0);
      expect(new Set(names).size).to.equal(names.length);
      expect(await orm.migrator.getPending()).to.deep.equal([]);
    });

    it('set TCP keepalive on every server connection, so that a dead replica releases its locks', async () => {
      const [orm] = opened as [Database];
      const idle = (em: SqlEntityManager) =>
        em.execute<Record<string, string>[]>(
          "select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_keepalives_count') as count",
        );
      const rows = await Promise.all(
        Array.from({ length: 5 }, () => (orm.em.fork() as SqlEntityManager).transactional((tx) => idle(tx))),
      );
      expect(rows.flat()).to.deep.equal(Array.from({ length: 5 }, () => ({ idle: '3', count: '2' })));
    });

    it('release all advisory locks', async () => {
      const [orm] = opened as [Database];
      const locks = await orm.em
        .fork()
        .getConnection()
        .execute(
          "select * from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
        );
      expect(locks).to.deep.equal([]);
    });
  });
}
