import { expect } from 'chai';
import { dayOf } from '../../../src/core/trading/queries/activity.js';
import type { Deps } from '../../../src/deps.js';
import { openCaches } from '../../../src/freshness.js';

const SECOND = 1000;

/** A day of so many traded agents; each reading of it ends when the test says so. */
function dayWith(agents: number) {
  let now = Date.UTC(2026, 0, 1);
  const rows = Array.from({ length: agents }, (_, i) => ({
    wallet: `0x${i.toString(16).padStart(40, '0')}`,
    supply: 2,
    volume: BigInt(i),
    txCount: 1,
    uniqueTraders: 1,
    lastTradeAt: new Date(now),
    newHolders24h: 0,
    supplyBefore: 1,
  }));
  const reading: { resolve(rows: unknown): void; reject(error: Error): void }[] = [];
  const writes = { count: 0 };
  let reads = 0;
  const sql = () => {
    reads++;
    return new Promise((resolve, reject) => reading.push({ resolve, reject }));
  };
  const caches = openCaches(() => now, writes);
  const deps = { sql, caches, clock: { now: () => new Date(now) } } as unknown as Deps;
  const settle = async (failed = false) => {
    for (const { resolve, reject } of reading.splice(0)) failed ? reject(new Error('out of reach')) : resolve(rows);
    await new Promise(setImmediate);
  };
  return {
    writes,
    settle,
    reads: () => reads,
    pass: (ms: number) => {
      now += ms;
    },
    ask: () => dayOf(deps),
    /** How old the answer is that is given at once; null: it has to be waited for. */
    async ageAtOnce(): Promise<number | null> {
      const asked = dayOf(deps);
      asked.catch(() => undefined);
      const day = await Promise.race([asked, new Promise<null>((resolve) => setImmediate(() => resolve(null)))]);
      return day && now - day.at.getTime();
    },
  };
}

describe('the day that all share', () => {
  it('of few agents is read anew after each write and after two seconds', async () => {
    const day = dayWith(999);
    expect(await day.ageAtOnce()).to.equal(null);
    await day.settle();
    expect(await day.ageAtOnce()).to.equal(0);
    day.writes.count++;
    expect(await day.ageAtOnce()).to.equal(null);
    await day.settle();
    day.pass(2 * SECOND - 1);
    expect(await day.ageAtOnce()).to.equal(2 * SECOND - 1);
    day.pass(1);
    expect(await day.ageAtOnce()).to.equal(null);
    await day.settle();
    expect(day.reads()).to.equal(3);
  });

  it('of many is answered while the next one is read, once, and for ten seconds', async () => {
    const day = dayWith(1000);
    void day.ask();
    await day.settle();
    day.writes.count++;
    expect(await day.ageAtOnce()).to.equal(0);
    expect(day.reads()).to.equal(1);
    day.pass(2 * SECOND);
    expect(await day.ageAtOnce()).to.equal(2 * SECOND);
    expect(await day.ageAtOnce()).to.equal(2 * SECOND);
    expect(day.reads()).to.equal(2);
    await day.settle();
    expect(await day.ageAtOnce()).to.equal(0);
    day.pass(10 * SECOND);
    expect(await day.ageAtOnce()).to.equal(null);
    expect(day.reads()).to.equal(3);
    await day.settle();
  });

  it('of many that could not be read anew is tried again by the next caller', async () => {
    const day = dayWith(1000);
    void day.ask();
    await day.settle();
    day.pass(3 * SECOND);
    expect(await day.ageAtOnce()).to.equal(3 * SECOND);
    await day.settle(true);
    expect(await day.ageAtOnce()).to.equal(3 * SECOND);
    expect(day.reads()).to.equal(3);
    await day.settle();
    expect(await day.ageAtOnce()).to.equal(0);
  });

  it('that cannot be read is an error for those who wait, and is read by the next', async () => {
    const day = dayWith(1);
    const asked = day.ask();
    const failure = asked.then(
      () => null,
      (error: Error) => error.message,
    );
    await day.settle(true);
    expect(await failure).to.equal('out of reach');
    expect(await day.ageAtOnce()).to.equal(null);
    await day.settle();
    expect(await day.ageAtOnce()).to.equal(0);
  });
});
