import { expect } from 'chai';
import { openCaches } from '../../src/freshness.js';
import type { Sql } from '../../src/store/sql.js';
import { totalOf } from '../../src/store/totals.js';

describe('a cached total', () => {
  for (const [size, seconds, isWriteSeen] of [
    [99_999, 2, true],
    [100_000, 2, false],
    [1_000_000, 30, false],
  ] as const) {
    it(`of ${size} is cached for ${seconds} seconds, ${isWriteSeen ? 'until a write' : 'also after a write'}`, async () => {
      let [asked, time] = [0, 1_000_000];
      const writes = { count: 0 };
      const sql = (async () => {
        asked++;
        return [{ n: size }];
      }) as unknown as Sql;
      const reader = { sql, caches: openCaches(() => time, writes) };
      const total = (values: unknown[] = []) => totalOf(reader, 'select count(*) as n', values);
      expect(await Promise.all([total(), total(), total(['other'])])).to.deep.equal([size, size, size]);
      expect(asked).to.equal(2);
      writes.count++;
      time += seconds * 1000 - 1;
      await total();
      expect(asked).to.equal(isWriteSeen ? 3 : 2);
      time += seconds * 1000;
      await total();
      expect(asked).to.equal(isWriteSeen ? 4 : 3);
    });
  }
});
