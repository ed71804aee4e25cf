import { expect } from 'chai';
import { Cache } from '../../../src/cache/cache.js';
import { openCaches, serviceCaches } from '../../../src/cache/caches.js';
import type { Sql } from '../../../src/store/sql.js';
import { totalOf } from '../../../src/store/totals.js';

describe('a cache of public answers', () => {
  let now: number;
  let writes: { count: number };
  let cache: Cache;
  let loads: number;

  beforeEach(() => {
    now = 1_000_000;
    writes = { count: 0 };
    loads = 0;
    // `restAnswers` (src/cache/caches.ts): answers are fresh for 1 s or until a write; at most 1000 answers and 32 MB; keys of at
    // most 500 characters.
    cache = new Cache(serviceCaches.restAnswers, () => now, writes);
  });

  const load = async () => `answer ${++loads}`;
  const get = (key = 'a', make: () => Promise<string> = load) => cache.get(key, make, (text) => text.length);

  it('does not reuse an answer whose load began before a write', async () => {
    await get();
    writes.count++;
    expect(await get()).to.equal('answer 2');
    // The second write happens during the load. The caller gets the answer, but the cache does not serve it again.
    const slow = Promise.withResolvers<string>();
    const asked = get('b', () => slow.promise);
    writes.count++;
    slow.resolve('old');
    expect(await asked).to.equal('old');
    expect(await get('b')).to.equal('answer 3');
  });

  it('drops an answer when the clock moves backwards', async () => {
    await get();
    now -= 60_000;
    expect(await get()).to.equal('answer 2');
  });

  it('rejects all waiting requests when a load fails, and caches no failure', async () => {
    const fail = async (): Promise<string> => {
      loads++;
      throw new Error('no');
    };
    const outcomes = await Promise.allSettled([get('a', fail), get('a', fail)]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(loads).to.equal(1);
    expect(cache.stats).to.deep.equal({ entries: 0, size: 0 });
    expect(await get()).to.equal('answer 2');
  });

  it('limits the number of answers and bytes and evicts the oldest', async () => {
    for (let i = 0; i < 1500; i++) await get(String(i));
    expect(cache.stats.entries).to.equal(1000);
    const before = loads;
    await get('1499');
    expect(loads).to.equal(before);
    await get('0');
    expect(loads).to.equal(before + 1);
    const mega = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 40; i++) await get(`mega ${i}`, async () => mega);
    expect(cache.stats.size).to.be.greaterThan(30 * 1024 * 1024);
    expect(cache.stats.size).to.be.at.most(32 * 1024 * 1024);
  });

  it('does not cache answers with a very long key, which is unlikely to repeat', async () => {
    const long = 'k'.repeat(501);
    expect(await get(long)).to.equal('answer 1');
    expect(await get(long)).to.equal('answer 2');
    expect(cache.stats.entries).to.equal(0);
  });
});

describe('a cache', () => {
  let now = 0;
  const loader = () => {
    const loads: { resolve(value: number): void; reject(error: Error): void }[] = [];
    const load = () => new Promise<number>((resolve, reject) => loads.push({ resolve, reject }));
    return { loads, load };
  };
  const settled = () => new Promise(setImmediate);

  it('shares a running load of any age only if it is declared single-flight', async () => {
    for (const singleFlight of [true, false]) {
      const cache = new Cache({ ttlMs: 10, maxEntries: 1, singleFlight }, () => now);
      const { loads, load } = loader();
      void cache.get('a', load);
      now += 11;
      void cache.get('a', load);
      expect(loads.length).to.equal(singleFlight ? 1 : 2);
    }
  });

  it('serves a stale value during one reload and retries after a failure', async () => {
    const cache = new Cache({ ttlMs: 10, staleMs: 50, maxEntries: 1 }, () => now);
    const { loads, load } = loader();
    const first = cache.get('a', load);
    loads[0]?.resolve(1);
    expect(await first).to.equal(1);
    now += 20;
    expect(await Promise.all([cache.get('a', load), cache.get('a', load)])).to.deep.equal([1, 1]);
    expect(loads.length).to.equal(2);
    // The reload fails. The next caller gets the stale value once more, and starts a second reload.
    loads[1]?.reject(new Error('no'));
    await settled();
    expect(await cache.get('a', load)).to.equal(1);
    loads[2]?.resolve(3);
    await settled();
    expect(await cache.get('a', load)).to.equal(3);
    expect(loads.length).to.equal(3);
  });

  it('does not keep a value that was deleted while it was loaded', async () => {
    const cache = new Cache({ ttlMs: 10, maxEntries: 1 }, () => now);
    const { loads, load } = loader();
    const old = cache.get('a', load);
    cache.delete('a');
    loads[0]?.resolve(1);
    expect(await old).to.equal(1);
    void cache.get('a', load);
    expect(loads.length).to.equal(2);
    expect(cache.stats.entries).to.equal(1);
  });
});

describe('a total', () => {
  // `totals` in src/cache/caches.ts: large totals are cached longer. A total of 100,000 or more stays cached after a write.
  for (const [size, seconds, isWriteSeen] of [
    [99_999, 2, true],
    [100_000, 2, false],
    [1_000_000, 30, false],
  ] as const) {
    it(`of ${size} is cached for ${seconds} seconds, ${isWriteSeen ? 'at most until a write' : 'also after a write'}`, async () => {
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
      // One millisecond before the end of the TTL, only the write can cause another query.
      time += seconds * 1000 - 1;
      await total();
      expect(asked).to.equal(isWriteSeen ? 3 : 2);
      time += seconds * 1000;
      await total();
      expect(asked).to.equal(isWriteSeen ? 4 : 3);
    });
  }
});
