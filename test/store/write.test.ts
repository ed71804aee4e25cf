import { expect } from 'chai';
import { outageOf } from '../../src/observe/outage.js';
import type { Database } from '../../src/store/database.js';
import { openSql, openWrite, type Sql, sqlIn, type Write } from '../../src/store/sql.js';
import { testDatabase } from '../support/database.js';

const INSERT = 'insert into setting (name, value) values ($1, $2)';

describe('a write', () => {
  let orm: Database;
  let sql: Sql;
  let write: Write;
  let writes: { count: number };
  const names = async () =>
    (await sql<{ name: string }>("select name from setting where value = 'x'")).map(({ name }) => name);

  before(async () => {
    ({ orm } = await testDatabase());
    sql = await openSql(orm);
  });
  beforeEach(() => {
    writes = { count: 0 };
    write = openWrite(orm, writes);
  });
  afterEach(() => write((tx) => sqlIn(tx)("delete from setting where value = 'x'")));

  it('is counted once, when it is committed', async () => {
    const counted = await write(async (tx) => {
      await sqlIn(tx)(INSERT, ['a', 'x']);
      await sqlIn(tx)(INSERT, ['b', 'x']);
      return writes.count;
    });
    expect([counted, writes.count]).to.deep.equal([0, 1]);
    expect((await names()).sort()).to.deep.equal(['a', 'b']);
  });

  it('is not counted when it is rolled back, or when no other caller reads what it changes', async () => {
    const failed = write(async (tx) => {
      await sqlIn(tx)(INSERT, ['a', 'x']);
      throw new Error('no');
    });
    expect(await failed.catch((error: Error) => error.message)).to.equal('no');
    expect(await names()).to.deep.equal([]);
    await write((tx) => sqlIn(tx)(INSERT, ['a', 'x']), { invalidates: false });
    expect(await names()).to.deep.equal(['a']);
    expect(writes.count).to.equal(0);
  });

  it('reports a full disk, and a crash of the database because of it', async () => {
    const reported: string[] = [];
    const watched = openWrite(orm, writes, {
      onFull: () => reported.push('full'),
      onCrash: () => reported.push('crash'),
    });
    const raise = (code: string) => `do $$ begin raise exception 'no space' using errcode = '${code}'; end $$`;
    const failure = (work: () => Promise<unknown>) =>
      work().then(
        () => undefined,
        (error: Error & { severity?: string }) => error,
      );
    const full = await failure(() => watched((tx) => sqlIn(tx)(raise('53100'))));
    expect(outageOf(full)).to.include({ code: 'DATABASE_UNAVAILABLE', status: 503 });
    // The driver's error keeps the severity, by which a crash is recognised.
    expect(full?.severity).to.equal('ERROR');
    await failure(() => watched((tx) => tx.execute(raise('53100'))));
    await failure(() => watched((tx) => sqlIn(tx)(raise('22012'))));
    const panic = Object.assign(new Error('could not write to file'), { code: '53100', severity: 'PANIC' });
    expect(await failure(() => watched(() => Promise.reject(panic)))).to.equal(panic);
    expect(reported).to.deep.equal(['full', 'full', 'crash']);
  });
});
