import { expect } from 'chai';
import type { Deps } from '../../../src/deps.js';
import { dayOf } from '../../../src/features/agents/activity.js';
import { openCaches } from '../../../src/freshness.js';

const SECOND = 1000;

/** A day with the given number of traded agents, two trades each. Its queries complete when the test calls `settle`. */
function dayWith(agents: number) {
  let now = Date.UTC(2026, 0, 1);
  const rows = Array.from({ length: agents }, (_, i) => ({
    wallet: `0x${i.toString(16).padStart(40, '0')}`,
    supply: 2,
    volume: BigInt(i),
    txCount: 2,
    uniqueTraders: 1,
    lastTradeAt: new Date(now),
    newHolders24h: 0,
    supplyBefore: 1,
  }));
  const reading: ((rows: unknown) => void)[] = [];
  const writes = { count: 0 };
  let reads = 0;
  const sql = () => {
    reads++;
    return new Promise((resolve) => reading.push(resolve));
  };
  const caches = openCaches(() => now, writes);
  const deps = { sql, caches, clock: { now: () => new Date(now) } } as unknown as Deps;
  const settle = async () => {
    for (const resolve of reading.splice(0)) resolve(rows);
    await new Promise(setImmediate);
  };
  return {
    writes,
    settle,
    reads: () => reads,
    pass: (ms: number) => {
      now += ms;
    },
    /** The age of the cached answer in milliseconds, or null if the caller has to wait for a query. */
    async ageAtOnce(): Promise<number | null> {
      const asked = dayOf(deps);
      const day = await Promise.race([asked, new Promise<null>((resolve) => setImmediate(() => resolve(null)))]);
      return day && now - day.at.getTime();
    },
  };
}

describe('the shared cache of 24-hour activity', () => {
  it('with few trades expires after each write and after two seconds', async () => {
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

  it('with many trades serves data that is up to two seconds old while one query refreshes it', async () => {
    const day = dayWith(1000);
    expect(await day.ageAtOnce()).to.equal(null);
    await day.settle();
    day.writes.count++;
    expect(await day.ageAtOnce()).to.equal(0);
    expect(day.reads()).to.equal(1);
    day.pass(SECOND);
    expect(await day.ageAtOnce()).to.equal(SECOND);
    expect(await day.ageAtOnce()).to.equal(SECOND);
    expect(day.reads()).to.equal(2);
    await day.settle();
    expect(await day.ageAtOnce()).to.equal(0);
    day.pass(2 * SECOND);
    expect(await day.ageAtOnce()).to.equal(null);
    expect(day.reads()).to.equal(3);
    await day.settle();
  });
});
