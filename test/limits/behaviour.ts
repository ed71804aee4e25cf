import { expect } from 'chai';
import fc from 'fast-check';
import type { Limits, Window } from '../../src/limits/limits.js';
import { history, Oracle, perform } from './oracle.js';

const START = 1_700_000_000_000;

let keys = 0;
const window = (max: number, seconds: number, cost?: number): Window => {
  keys += 1;
  return { key: `window-${keys}`, max, seconds, cost };
};

const takeAt = async (limits: Limits, windows: readonly Window[], times: readonly number[]): Promise<boolean[]> => {
  const passed: boolean[] = [];
  for (const time of times) passed.push((await limits.take(windows, START + time)).allowed);
  return passed;
};

/** Defines the tests that every implementation of the limits passes. `limits` is called when a test runs. */
export function behavesAsLimits(limits: () => Limits): void {
  it('allows as many requests as the limit and not one more', async () => {
    const windows = [window(3, 60)];
    expect(await takeAt(limits(), windows, [0, 0, 59_999, 59_999])).to.deep.equal([true, true, true, false]);
  });

  it('allows another request exactly when the oldest request leaves the window', async () => {
    const windows = [window(2, 60)];
    expect(await takeAt(limits(), windows, [0, 700])).to.deep.equal([true, true]);
    expect(await takeAt(limits(), windows, [59_999, 60_000, 60_000])).to.deep.equal([false, true, false]);
    expect(await takeAt(limits(), windows, [60_699, 60_700])).to.deep.equal([false, true]);
  });

  it('uses a sliding window, so a boundary does not double the limit', async () => {
    const windows = [window(5, 60)];
    expect(await takeAt(limits(), windows, [59_000, 59_000, 59_000, 59_000, 59_000])).to.not.include(false);
    expect(await takeAt(limits(), windows, [60_000, 61_000, 118_999])).to.not.include(true);
  });

  it('returns the seconds until the refused request is allowed, rounded up', async () => {
    const windows = [window(1, 10)];
    await limits().take(windows, START);
    const retryAfter = async (time: number) => (await limits().take(windows, START + time)).retryAfter;
    expect(await retryAfter(0)).to.equal(10);
    expect(await retryAfter(1)).to.equal(10);
    expect(await retryAfter(1000)).to.equal(9);
    expect(await retryAfter(9_999)).to.equal(1);
    const late = await limits().take(windows, START + 9_001);
    expect(late.retryAfter).to.equal(1);
    expect(await limits().take(windows, START + 9_001 + late.retryAfter * 1000)).to.include({
      allowed: true,
      retryAfter: 0,
    });
  });

  it('does not count refused requests', async () => {
    const windows = [window(1, 10)];
    expect(await takeAt(limits(), windows, [0, 5000, 9000, 9999, 10_000])).to.deep.equal([
      true,
      false,
      false,
      false,
      true,
    ]);
  });

  it('counts a request in all of its windows or in none', async () => {
    const [wide, narrow] = [window(5, 60), window(1, 60)];
    expect(await takeAt(limits(), [wide, narrow], [0, 1, 2])).to.deep.equal([true, false, false]);
    const standing = await limits().peek([narrow, wide], START + 3);
    expect(standing.windows.map(({ remaining }) => remaining)).to.deep.equal([0, 4]);
  });

  it('returns the longest wait of several windows', async () => {
    const [short, long] = [window(1, 10), window(1, 3600)];
    await limits().take([short, long], START);
    const refused = await limits().take([short, long], START + 1000);
    expect(refused.retryAfter).to.equal(3599);
    expect(refused.windows.map(({ waitSeconds }) => waitSeconds)).to.deep.equal([9, 3599]);
    expect((await limits().take([short], START + 1000)).retryAfter).to.equal(9);
  });

  it('counts the cost of a request and returns the wait until enough of it is free', async () => {
    const of = (cost: number) => [{ key, max: 1000, seconds: 60, cost }];
    const { key } = window(1, 1);
    await limits().take(of(400), START);
    await limits().take(of(300), START + 1000);
    await limits().take(of(300), START + 2000);
    expect(await limits().take(of(1), START + 3000)).to.include({ allowed: false, retryAfter: 57 });
    expect(await limits().take(of(401), START + 3000)).to.include({ allowed: false, retryAfter: 58 });
    expect(await limits().take(of(1000), START + 3000)).to.include({ allowed: false, retryAfter: 59 });
    expect(await limits().peek(of(400), START + 60_000)).to.include({ allowed: true });
    expect(await limits().peek(of(401), START + 60_000)).to.include({ allowed: false });
    expect(await limits().peek(of(401), START + 60_999)).to.include({ allowed: false });
    expect(await limits().take(of(401), START + 61_000)).to.include({ allowed: true });
  });

  it('finds the accepted request whose expiry frees enough cost', async () => {
    const one = window(200, 1000);
    for (let second = 0; second < 200; second += 1) await limits().take([one], START + second * 1000);
    for (const cost of [1, 2, 37, 64, 99, 100, 101, 150, 199, 200]) {
      const { retryAfter } = await limits().take([{ ...one, cost }], START + 199_000);
      expect(retryAfter, `cost ${cost}`).to.equal(cost - 1 + 1000 - 199);
    }
  });

  it('refuses a cost above the limit and returns the length of the window', async () => {
    const heavy = [window(5, 60, 6)];
    const refused = await limits().take(heavy, START);
    expect(refused).to.include({ allowed: false, retryAfter: 60 });
    expect(refused.windows[0]).to.include({ remaining: 5, resetSeconds: 0 });
  });

  it('allows a request without cost in a full window and does not count it', async () => {
    const full = window(1, 60);
    await limits().take([full], START);
    const free = await limits().take([{ ...full, cost: 0 }], START + 30_000);
    expect(free).to.include({ allowed: true });
    expect(free.windows[0]).to.include({ remaining: 0, resetSeconds: 30 });
    expect(await takeAt(limits(), [full], [59_999, 60_000])).to.deep.equal([false, true]);
  });

  it('returns the remaining requests and the seconds until the oldest expires', async () => {
    const one = window(3, 60);
    const stand = async (time: number) => (await limits().take([one], START + time)).windows;
    expect(await stand(0)).to.deep.equal([{ ...one, remaining: 2, resetSeconds: 60, waitSeconds: 0 }]);
    expect(await stand(10_500)).to.deep.equal([{ ...one, remaining: 1, resetSeconds: 50, waitSeconds: 0 }]);
    expect(await stand(10_500)).to.deep.equal([{ ...one, remaining: 0, resetSeconds: 50, waitSeconds: 0 }]);
    expect(await stand(10_500)).to.deep.equal([{ ...one, remaining: 0, resetSeconds: 50, waitSeconds: 50 }]);
    expect(await stand(60_000)).to.deep.equal([{ ...one, remaining: 0, resetSeconds: 11, waitSeconds: 0 }]);
  });

  it('peeks without counting, also at a future time', async () => {
    const one = window(1, 60);
    const looks = [await limits().peek([one], START), await limits().peek([one], START)];
    for (const look of looks) expect(look).to.include({ allowed: true, retryAfter: 0 });
    expect(looks[1]?.windows).to.deep.equal([{ ...one, remaining: 1, resetSeconds: 0, waitSeconds: 0 }]);
    await limits().take([one], START);
    expect(await limits().peek([one], START + 60_000)).to.include({ allowed: true });
    expect(await limits().peek([one], START + 1000)).to.include({ allowed: false, retryAfter: 59 });
    expect(await limits().take([one], START + 1000)).to.include({ allowed: false, retryAfter: 59 });
  });

  it('counts different keys separately', async () => {
    expect(await takeAt(limits(), [window(1, 60)], [0, 1])).to.deep.equal([true, false]);
    expect(await takeAt(limits(), [window(1, 60)], [0, 1])).to.deep.equal([true, false]);
  });

  it('does not free requests when the clock moves back', async () => {
    const windows = [window(2, 10)];
    expect(await takeAt(limits(), windows, [0, 10_000, 9_999, 9_990])).to.deep.equal([true, true, true, false]);
    const refused = await limits().take(windows, START + 9_990);
    expect(refused.retryAfter).to.equal(11);
    expect(await takeAt(limits(), windows, [19_999, 20_000])).to.deep.equal([false, true]);
  });

  it('excludes expired requests when the clock moves back', async () => {
    const windows = [window(4, 10)];
    expect(await takeAt(limits(), windows, [0, 5000, 5000, 10_000])).to.not.include(false);
    expect(await takeAt(limits(), windows, [9_999, 9_999])).to.deep.equal([true, false]);
  });

  it('allows a request without windows', async () => {
    expect(await limits().take([], START)).to.deep.equal({ allowed: true, retryAfter: 0, windows: [] });
  });

  it('equals the oracle for random windows, costs and times', async () => {
    await fc.assert(
      fc.asyncProperty(history(), async (steps) => {
        const oracle = new Oracle();
        for (const step of steps) expect(await perform(limits(), step)).to.deep.equal(oracle.judge(step));
      }),
      { numRuns: 100 },
    );
  });

  it('allows a refused request after exactly the returned seconds', async () => {
    await fc.assert(
      fc.asyncProperty(history(), async (steps) => {
        for (const step of steps) {
          const { allowed, retryAfter } = await perform(limits(), step);
          if (allowed || step.windows.some(({ cost = 1, max }) => cost > max)) continue;
          const later = (seconds: number) => limits().peek(step.windows, step.now + seconds * 1000);
          expect(await later(retryAfter)).to.include({ allowed: true });
          expect(await later(retryAfter - 1)).to.include({ allowed: false });
        }
      }),
      { numRuns: 50 },
    );
  });
}
