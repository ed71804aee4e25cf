import { expect } from 'chai';
import { type List, type Relation, rowsAndTotal, rowsByParent, rowsOf } from '../../../src/store/pages.js';
import { openSql, type Sql } from '../../../src/store/sql.js';
import { serverUrl, testDatabase } from '../../support/database.js';

const parentKey = [['c.parent', 'text']] as const;
const relation: Relation = {
  columns: { n: 'c.n' },
  from: 'page_child c',
  of: 'c.parent',
  keys: [['c.n', 'int8']],
};

describe('pages', () => {
  let sql: Sql;
  const parents = Array.from({ length: 20 }, (_, i) => `parent ${i}`);

  before(async () => {
    const { orm } = await testDatabase();
    sql = await openSql(orm);
    await sql('create table page_child (parent text not null, n bigint not null, primary key (parent, n))');
    // 20 parents with the numbers 1 to 1,000 each. Pages begin with the largest number.
    await sql(`insert into page_child select 'parent ' || i, n from generate_series(0, 19) i, generate_series(1, 1000) n`);
    await sql('analyze page_child');
  });
  after(() => sql('drop table page_child'));

  for (const first of [1, 5, 7, 100]) {
    it(`return at most ${first} rows per parent, in descending key order`, async () => {
      for (const keyless of [false, true]) {
        const rows = await rowsByParent<{ n: number }>(sql, relation, parents, { first, after: ['51'], keyless });
        expect([...rows.keys()]).to.deep.equal(parents);
        for (const [, page] of rows) {
          expect(page.map(({ n }) => n)).to.deep.equal(Array.from({ length: Math.min(first, 50) }, (_, i) => 50 - i));
          if (!keyless) expect(page[0]?.key()).to.deep.equal(['50']);
        }
      }
    });
  }

  it('return the same rows for each parent by offset, without keys', async () => {
    const rows = await rowsByParent<{ n: number }>(sql, relation, parents, { offset: 950, limit: 7 });
    expect([...rows.keys()]).to.deep.equal(parents);
    for (const [, own] of rows) {
      expect(own.map(({ n }) => n)).to.deep.equal([50, 49, 48, 47, 46, 45, 44]);
      expect(own[0]).to.not.have.any.keys('key', 'key0');
    }
  });

  it('join other tables to their rows, and have a total, even after the last row', async () => {
    // Sorted by number, then by parent: 20 rows with 1000, 20 with 999, and from offset 40 on those with 998.
    const list: List = {
      ...relation,
      columns: { n: 'page.n', half: 'other.half' },
      keys: [['c.n', 'int8'], ...parentKey],
      late: { find: 'c.n', joins: 'cross join lateral (select page.n / 2 as half offset 0) other' },
    };
    const { rows, total } = await rowsAndTotal(sql, list, { offset: 40, limit: 2 }, 'select 7::int');
    expect({ rows: rows.map((row) => ({ ...row })), total }).to.deep.equal({
      rows: Array.from({ length: 2 }, () => ({ n: 998, half: 499, total: 7 })),
      total: 7,
    });
    expect(await rowsAndTotal(sql, list, { offset: 20_000, limit: 2 }, 'select 7::int')).to.deep.equal({
      rows: [],
      total: 7,
    });
    const [row] = await rowsOf(sql, list, { first: 1, after: ['998', 'parent 1'] });
    expect(row?.key()).to.deep.equal(['998', 'parent 0']);
  });

  if (serverUrl !== undefined) {
    it('use one generic plan per connection for every page size', async () => {
      for (let i = 0; i < 20; i++) {
        const page = { first: 5 - (i % 2), after: null };
        await rowsByParent(sql, relation, parents, page);
        await rowsOf(sql, { ...relation, keys: [['c.parent', 'text'], ...relation.keys] }, page);
      }
      // The queries ran one after the other, so they all used the same connection and its prepared statements.
      const plans = await sql<{ generic: boolean }>(
        `select generic_plans > custom_plans as generic from pg_prepared_statements
         where statement like '%page_child%' and generic_plans + custom_plans >= 15`,
      );
      expect(plans).to.deep.equal([{ generic: true }, { generic: true }]);
    });
  }
});
