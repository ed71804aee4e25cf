import { expect } from 'chai';
import { type Relation, rowsByParent, rowsOnPage } from '../../src/store/pages.js';
import { openSql, type Sql } from '../../src/store/sql.js';
import { serverUrl, testDatabase } from '../support/database.js';

const relation: Relation = {
  columns: 'c.n as "n"',
  names: ['n'],
  from: 'page_child c',
  of: 'c.parent',
  keys: [['c.n', 'int8']],
};

describe('keyset pages', () => {
  let sql: Sql;
  const parents = Array.from({ length: 20 }, (_, i) => `parent ${i}`);

  before(async () => {
    const { orm } = await testDatabase();
    sql = await openSql(orm);
    await sql('create table page_child (parent text not null, n bigint not null, primary key (parent, n))');
    await sql(
      `insert into page_child select 'parent ' || i, n from generate_series(0, 19) i, generate_series(1, 1000) n`,
    );
    await sql('analyze page_child');
  });
  after(() => sql('drop table page_child'));

  for (const first of [1, 5, 7, 100]) {
    it(`return ${first} rows per parent, in descending key order`, async () => {
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

  if (serverUrl !== undefined) {
    it('use one generic plan per connection for every page size', async () => {
      for (let i = 0; i < 20; i++) {
        const page = { first: 5 - (i % 2), after: null };
        await rowsByParent(sql, relation, parents, page);
        await rowsOnPage(sql, { ...relation, keys: [['c.parent', 'text'], ...relation.keys] }, [], page);
      }
      // The queries ran one after the other, so they all used the same connection.
      const plans = await sql<{ generic: boolean }>(
        `select generic_plans > custom_plans as generic from pg_prepared_statements
         where statement like '%page_child%' and generic_plans + custom_plans >= 15`,
      );
      expect(plans).to.deep.equal([{ generic: true }, { generic: true }]);
    });
  }
});
