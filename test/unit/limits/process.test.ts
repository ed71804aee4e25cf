import { expect } from 'chai';
import fc from 'fast-check';
import type { Window } from '../../../src/limits/limits.js';
import { processLimits } from '../../../src/limits/process.js';
import { history, oracle, perform } from '../../support/limits/oracle.js';

const START = 1_700_000_000_000;

describe('rate limits in the process', () => {
  const limits = processLimits();

  let keys = 0;
  const window = (max: number, seconds: number): Window => {
    keys += 1;
    return { key: `window-${keys}`, max, seconds };
  };
  const takeAt = async (windows: readonly Window[], times: readonly number[]): Promise<boolean[]> => {
    const passed: boolean[] = [];
    for (const time of times) passed.push((await limits.take(windows, START + time)).allowed);
    return passed;
  };

  it('tell when enough accepted requests have expired for the cost of another one', async () => {
    // One request per second fills the window. A cost fits when as many requests have left. The last of these came at second
    // `cost - 1` and leaves 1000 seconds later. The clock shows second 199.
    const one = window(200, 1000);
    for (let second = 0; second < 200; second += 1) await limits.take([one], START + second * 1000);
    for (const cost of [1, 2, 37, 64, 99, 100, 101, 150, 199, 200]) {
      const { retryAfter } = await limits.take([{ ...one, cost }], START + 199_000);
      expect(retryAfter, `cost ${cost}`).to.equal(cost - 1 + 1000 - 199);
    }
  });

  it('count a request at the time of the newest one when the clock moves back', async () => {
    // No request counts as earlier than the newest one. So the third counts at 10,000, although the clock shows 9,999. The request
    // of time 0 expired at 10,000 and stays expired. Both places are free at 20,000: 10.01 s after 9,990, rounded up to 11.
    const windows = [window(2, 10)];
    expect(await takeAt(windows, [0, 10_000, 9_999, 9_990])).to.deep.equal([true, true, true, false]);
    const refused = await limits.take(windows, START + 9_990);
    expect(refused.retryAfter).to.equal(11);
    expect(await takeAt(windows, [19_999, 20_000])).to.deep.equal([false, true]);
  });

  it('do not count an expired request again when the clock moves back', async () => {
    // The request of time 0 expires at 10,000. It does not count again at 9,999, so exactly one more request fits there.
    const windows = [window(4, 10)];
    expect(await takeAt(windows, [0, 5000, 5000, 10_000])).to.not.include(false);
    expect(await takeAt(windows, [9_999, 9_999])).to.deep.equal([true, false]);
  });

  it('decide as the oracle does for random windows, costs and times', async () => {
    await fc.assert(
      fc.asyncProperty(history(), async (steps) => {
        const judge = oracle();
        for (const step of steps) expect(await perform(limits, step)).to.deep.equal(judge(step));
      }),
      { numRuns: 100 },
    );
  });

  it('allow exactly as many of 200 concurrent requests as the limit permits', async () => {
    const windows = [{ key: 'rush', max: 50, seconds: 60 }];
    const verdicts = await Promise.all(Array.from({ length: 200 }, () => limits.take(windows, START)));
    expect(verdicts.filter(({ allowed }) => allowed)).to.have.length(50);
  });

  it('keep an expired key for a while, in case the clock moves back', async () => {
    // The window of `early` is empty at 10,000, but its key is evicted only a minute later. The ten requests with other keys make
    // the limits check every key for eviction.
    const early = [{ key: 'early', max: 1, seconds: 10 }];
    const busy = processLimits();
    await busy.take(early, START);
    for (let i = 0; i < 10; i += 1) await busy.take([{ key: `busy-${i}`, max: 1, seconds: 10 }], START + 10_001);
    expect(await busy.peek(early, START + 10_001)).to.include({ allowed: true });
    expect(await busy.take(early, START + 9_999)).to.include({ allowed: false });
  });

  it('forget the requests of a clock that was an hour ahead', async () => {
    // Not the `limits` of the suite: a request from an hour ahead would evict the keys of the other tests.
    const limits = processLimits();
    const jumping = [{ key: 'jumping', max: 1, seconds: 10 }];
    expect(await limits.take(jumping, START + 3_600_000)).to.include({ allowed: true });
    expect(await limits.peek(jumping, START)).to.include({ allowed: true });
    expect(await limits.take(jumping, START)).to.include({ allowed: true });
    expect(await limits.take(jumping, START)).to.include({ allowed: false, retryAfter: 10 });
  });
});
