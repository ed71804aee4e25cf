import { expect } from 'chai';
import type { Database } from '../../src/store/database.js';
import { openSql, type Sql, sqlIn } from '../../src/store/sql.js';
import { openWrite, type Write } from '../../src/store/write.js';
import { testDatabase } from '../support/database.js';
import { readOnly } from '../support/store.js';

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

  it('needs a transaction: in tests, the reads of a service refuse a statement that writes', async () => {
    const reads = readOnly(sql);
    const refused = await reads(INSERT, ['a', 'x']).catch((error: Error) => error.message);
    expect(refused).to.match(/^Deps\.sql must not write/);
    expect(await reads('select 1 as updated_at')).to.deep.equal([{ updated_at: 1 }]);
  });
});
