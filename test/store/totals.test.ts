import { expect } from 'chai';
import { openCaches } from '../../src/freshness.js';
import type { Sql } from '../../src/store/sql.js';
import { totalOf } from '../../src/store/totals.js';

describe('a cached total', () => {
  let n: number;
  let asked: number;
  let time: number;
  let reader: { sql: Sql; caches: ReturnType<typeof openCaches> };
  let writes: { count: number };
  beforeEach(() => {
    n = 5;
    asked = 0;
    time = 1_000_000;
    const sql = (async () => {
      asked++;
      return [{ n }];
    }) as unknown as Sql;
    writes = { count: 0 };
    reader = { sql, caches: openCaches(() => time, writes) };
  });
  const total = (values: unknown[] = []) => totalOf(reader, 'select count(*) as n', values);

  it('runs one count query per parameter list in two seconds', async () => {
    await Promise.all([total(), total(), total(['a'])]);
    await total();
    expect(asked).to.equal(2);
    time += 2000;
    await total();
    expect(asked).to.equal(3);
  });

  it('is counted again after a write', async () => {
    await total();
    n = 6;
    writes.count++;
    expect(await total()).to.equal(6);
  });

  for (const [size, seconds] of [
    [100_000, 2],
    [1_000_000, 30],
  ] as const) {
    it(`of ${size} is cached for ${seconds} seconds, even after a write`, async () => {
      n = size;
      await total();
      writes.count++;
      time += seconds * 1000 - 1;
      await total();
      expect(asked).to.equal(1);
      time += 1;
      await total();
      expect(asked).to.equal(2);
    });
  }

  it('is counted again after a failed query', async () => {
    const { sql } = reader;
    let refuse = true;
    const once = (async (text: string) => {
      if (refuse) throw new Error('no');
      return sql(text);
    }) as Sql;
    reader = { ...reader, sql: once };
    await total().then(
      () => expect.fail('the total was returned'),
      () => {},
    );
    refuse = false;
    expect(await total()).to.equal(5);
  });
});
