import { expect } from 'chai';
import { type ByteCache, byteCache } from '../../src/faces/byte-cache.js';

describe('the byte cache', () => {
  let now: number;
  let changes: { count: number };
  let cache: ByteCache;
  let loads: number;

  beforeEach(() => {
    now = 1_000_000;
    changes = { count: 0 };
    loads = 0;
    cache = byteCache({ changes, clock: { now: () => new Date(now) } });
  });

  const load = async () => `answer ${++loads}`;
  const get = async (key = 'a', make: () => Promise<string> = load) => String((await cache.get(key, make)).bytes);

  it('returns a cached answer for one second', async () => {
    expect(await get()).to.equal('answer 1');
    now += 999;
    expect(await get()).to.equal('answer 1');
    now += 1;
    expect(await get()).to.equal('answer 2');
  });

  it('does not reuse an answer whose load began before a write', async () => {
    await get();
    changes.count++;
    expect(await get()).to.equal('answer 2');
    const slow = Promise.withResolvers<string>();
    const asked = get('b', () => slow.promise);
    changes.count++;
    slow.resolve('old');
    expect(await asked).to.equal('old');
    expect(await get('b')).to.equal('answer 3');
  });

  it('drops an answer when the clock moves backwards', async () => {
    await get();
    now -= 60_000;
    expect(await get()).to.equal('answer 2');
  });

  it('loads once for concurrent requests with the same key, and once per key', async () => {
    const all = await Promise.all([get(), get(), get('b'), get()]);
    expect(all).to.deep.equal(['answer 1', 'answer 1', 'answer 2', 'answer 1']);
  });

  it('rejects all waiting requests when a load fails, and caches no failure', async () => {
    const fail = async (): Promise<string> => {
      loads++;
      throw new Error('no');
    };
    const outcomes = await Promise.allSettled([get('a', fail), get('a', fail)]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(loads).to.equal(1);
    expect(cache.size).to.deep.equal({ answers: 0, bytes: 0 });
    expect(await get()).to.equal('answer 2');
  });

  it('derives the ETag from the content', async () => {
    const same = async () => 'same';
    const first = await cache.get('a', same);
    const second = await cache.get('b', same);
    expect(first.etag).to.match(/^"[\w-]{27}"$/);
    expect(second.etag).to.equal(first.etag);
    expect((await cache.get('c', load)).etag).not.to.equal(first.etag);
  });

  it('limits the number of answers and bytes and evicts the oldest', async () => {
    for (let i = 0; i < 1500; i++) await get(String(i));
    expect(cache.size.answers).to.equal(1000);
    const before = loads;
    await get('1499');
    expect(loads).to.equal(before);
    await get('0');
    expect(loads).to.equal(before + 1);
    const mega = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 40; i++) await get(`mega ${i}`, async () => mega);
    expect(cache.size.bytes).to.be.greaterThan(30 * 1024 * 1024);
    expect(cache.size.bytes).to.be.at.most(32 * 1024 * 1024);
  });

  it('evicts expired answers when it stores a new one', async () => {
    for (let i = 0; i < 100; i++) await get(String(i));
    now += 1000;
    await get('new');
    expect(cache.size).to.deep.equal({ answers: 1, bytes: 'answer 101'.length });
  });

  it('does not cache answers with a very long key, which is unlikely to repeat', async () => {
    const long = 'k'.repeat(501);
    expect(await get(long)).to.equal('answer 1');
    expect(await get(long)).to.equal('answer 2');
    expect(cache.size.answers).to.equal(0);
  });
});
