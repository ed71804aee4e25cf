import type { SqlEntityManager } from '@mikro-orm/sql';
import { expect } from 'chai';
import { outageOf } from '../../../src/observe/database-errors.js';
import { openDatabase } from '../../../src/service/orm.js';
import type { Database } from '../../../src/store/database.js';
import { insertMany, openSql, openWrite, type Sql, sqlIn, statementNames, type Write } from '../../../src/store/sql.js';
import { createDatabase, serverUrl, testDatabase } from '../../support/database.js';
import { outcomeOf, thrownBy } from '../../support/refused.js';
import { testTimes } from '../../support/times.js';

const INSERT = 'insert into setting (name, value) values ($1, $2)';
const MAX = 2n ** 256n - 1n;

describe('SQL over the connection pool', () => {
  let sql: Sql;
  let orm: Database;

  before(async () => {
    ({ orm } = await testDatabase());
    sql = await openSql(orm);
  });

  it('returns the same types on every driver, in a transaction too', async () => {
    const text = `select 1::int2 as small, 2::int4 as whole, 9007199254740991::int8 as big, count(*) as count,
      sum(5::int8) as sum, 0.1::float8 as float, true as yes, 'x'::text as text, 'y'::varchar(3) as short, null::int8 as none,
      null::numeric as nothing, '2026-01-02 03:04:05.678Z'::timestamptz as time, null::timestamptz as never,
      '{"a":1}'::jsonb as json`;
    const inTransaction = (orm.em.fork() as SqlEntityManager).transactional((tx) => sqlIn(tx)(text));
    for (const [row] of [await sql(text), await inTransaction]) {
      expect(row).to.deep.equal({
        small: 1,
        whole: 2,
        big: 9007199254740991,
        count: 1,
        sum: 5n,
        float: 0.1,
        yes: true,
        text: 'x',
        short: 'y',
        none: null,
        nothing: null,
        time: new Date('2026-01-02T03:04:05.678Z'),
        never: null,
        json: { a: 1 },
      });
    }
  });

  it('returns wei as exact bigint values up to 256 bits', async () => {
    for (const wei of [0n, 1n, -1n, 10n ** 18n, MAX, -MAX]) {
      const [row] = await sql<{ wei: bigint; same: boolean }>(
        'select $1::numeric(78,0) as wei, $1::numeric = $2::numeric as same',
        [wei, String(wei)],
      );
      expect(row).to.deep.equal({ wei, same: true });
    }
  });

  const moments = [
    '2026-01-02T03:04:05.678Z',
    '2026-07-02T03:04:05.000Z',
    '1970-01-01T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '1906-02-03T04:05:06.007Z',
    '1850-02-03T04:05:06.007Z',
    '2999-12-31T23:59:59.999Z',
  ];

  it('returns times as dates, truncated to milliseconds', async () => {
    for (const text of moments) {
      const date = new Date(text);
      const [row] = await sql<{ a: Date; b: Date }>('select $1::timestamptz as a, $2::timestamptz as b', [date, text]);
      expect([row?.a, row?.b], text).to.deep.equal([date, date]);
    }
    const [row] = await sql<{ at: Date }>("select '2026-01-02T03:04:05.678999-09:30'::timestamptz as at");
    expect(row?.at.toISOString()).to.equal('2026-01-02T12:34:05.678Z');
  });

  it('accepts arrays, bytes and null as parameters', async () => {
    const [row] = await sql<Record<string, unknown>>(
      'select 2 = any($1::int[]) as number, $2 = any($3::text[]) as text, encode($4::bytea, $5) as bytes, $6::text is null as none',
      [[1, 2], 'a,"b', ['a,"b', 'c'], Buffer.from([0, 255]), 'hex', null],
    );
    expect(row).to.deep.equal({ number: true, text: true, bytes: '00ff', none: true });
  });

  it('names only repeated statements, up to a maximum', () => {
    const nameOf = statementNames(3);
    expect([nameOf('a'), nameOf('b')]).to.deep.equal([undefined, undefined]);
    const name = nameOf('a');
    expect(name).to.match(/^[\w-]{22}$/);
    expect(nameOf('b')).to.not.equal(name);
    expect(nameOf('a')).to.equal(name);
    // Statements that run only once get no name.
    for (let i = 0; i < 10; i++) expect(nameOf(`once ${i}`)).to.equal(undefined);
    for (const text of ['c', 'c', 'd', 'd', 'd']) nameOf(text);
    expect(nameOf('c')).to.be.a('string');
    expect(nameOf('d')).to.equal(undefined);
    expect(nameOf('a')).to.equal(name);
  });

  if (serverUrl !== undefined) {
    it('names constant statements even after many composed statements', async () => {
      const { orm: other } = await testDatabase();
      const there = await openSql(other);
      // 300 texts, each sent twice, because a text gets a name at its second use. At most 250 composed texts get one.
      for (let i = 0; i < 600; i++) await there(`select ${Math.floor(i / 2)} as composed`, [], 'composed');
      for (let i = 0; i < 2; i++) await there('select 1 as constant');
      const [named] = await there<{ constant: boolean; composed: number }>(
        `select count(*) filter (where statement = 'select 1 as constant') = 1 as constant,
           count(*) filter (where statement like '%as composed') as composed from pg_prepared_statements`,
      );
      expect(named?.constant).to.equal(true);
      expect(named?.composed).to.be.within(1, 250);
    });

    it('returns the same times when the server uses another time zone', async () => {
      const url = await createDatabase(serverUrl as string);
      const name = new URL(url).pathname.slice(1);
      for (const zone of ['America/St_Johns', 'Asia/Kathmandu', 'Europe/Amsterdam']) {
        await sql(`alter database ${name} set timezone to '${zone}'`);
        const other = await openDatabase({ url }, { times: testTimes });
        try {
          const there = await openSql(other);
          // Dates before standard time are left out, because time zones then also differed from UTC by seconds.
          for (const text of moments.filter((moment) => moment > '1950')) {
            const [row] = await there<{ at: Date }>('select $1::timestamptz as at', [new Date(text)]);
            expect(row?.at.toString(), `${zone} ${text}`).to.equal(new Date(text).toString());
            expect(row?.at.getTime(), `${zone} ${text}`).to.equal(Date.parse(text));
          }
        } finally {
          await other.close(true);
        }
      }
    });
  }

  it('inserts strings unchanged even if an array literal must quote them', async () => {
    const texts = ['', 'null', 'NULL', 'a,b', '{}', '"', '\\', "it's", ' x ', 'line\nbreak', 'é☃', '$1', '\\"{', 'plain-1', null];
    await sql('create table if not exists odd (at int, text varchar(20), wei numeric(78,0), moment timestamptz)');
    try {
      await insertMany(sql, 'odd', {
        at: ['int', texts.map((_, i) => i)],
        text: ['varchar', texts],
        wei: ['numeric', texts.map((_, i) => (i === 1 ? null : -MAX + BigInt(i)))],
        moment: ['timestamptz', texts.map((_, i) => (i === 2 ? null : new Date(moments[i % moments.length] ?? '')))],
      });
      const rows = await sql<{ text: string; wei: bigint; moment: Date }>('select * from odd order by at');
      expect(rows.map(({ text }) => text)).to.deep.equal(texts);
      expect(rows.map(({ wei }) => wei)).to.deep.equal(texts.map((_, i) => (i === 1 ? null : -MAX + BigInt(i))));
      expect(rows.map(({ moment }) => moment?.toISOString() ?? null)).to.deep.equal(
        texts.map((_, i) => (i === 2 ? null : moments[i % moments.length])),
      );
    } finally {
      await sql('drop table odd');
    }
  });

  describe('in a write transaction', () => {
    let write: Write;
    let writes: { count: number };
    const names = async () => (await sql<{ name: string }>("select name from setting where value = 'x'")).map(({ name }) => name);

    beforeEach(() => {
      writes = { count: 0 };
      write = openWrite(orm, writes);
    });
    afterEach(() => write((tx) => sqlIn(tx)("delete from setting where value = 'x'")));

    it('is counted as one write, at the commit', async () => {
      const counted = await write(async (tx) => {
        await sqlIn(tx)(INSERT, ['a', 'x']);
        await sqlIn(tx)(INSERT, ['b', 'x']);
        return writes.count;
      });
      expect([counted, writes.count]).to.deep.equal([0, 1]);
      expect((await names()).sort()).to.deep.equal(['a', 'b']);
    });

    it('is not counted after a rollback, or if no other caller reads the changes', async () => {
      const failed = write(async (tx) => {
        await sqlIn(tx)(INSERT, ['a', 'x']);
        throw new Error('no');
      });
      expect(await outcomeOf(failed)).to.equal('no');
      expect(await names()).to.deep.equal([]);
      await write((tx) => sqlIn(tx)(INSERT, ['a', 'x']), { invalidates: false });
      expect(await names()).to.deep.equal(['a']);
      expect(writes.count).to.equal(0);
    });

    it('reports a full disk, and a crash of the database because of it', async () => {
      const reported: string[] = [];
      const watched = openWrite(orm, writes, {
        onRefused: (refusal) => reported.push(refusal),
        onCrash: () => reported.push('crash'),
      });
      // 53100 is the code of a full disk. 22012, a division by zero, is not reported.
      const raise = (code: string) => `do $$ begin raise exception 'no space' using errcode = '${code}'; end $$`;
      const full = await thrownBy(watched((tx) => sqlIn(tx)(raise('53100'))));
      expect(outageOf(full)).to.include({ code: 'DATABASE_UNAVAILABLE', status: 503 });
      // The error of the driver must still have its severity, because a crash of the server is recognised by it.
      expect(full).to.include({ severity: 'ERROR' });
      await thrownBy(watched((tx) => tx.execute(raise('53100'))));
      await thrownBy(watched((tx) => sqlIn(tx)(raise('22012'))));
      const panic = Object.assign(new Error('could not write to file'), { code: '53100', severity: 'PANIC' });
      expect(await thrownBy(watched(() => Promise.reject(panic)))).to.equal(panic);
      expect(reported).to.deep.equal(['full', 'full', 'crash']);
    });
  });
});
