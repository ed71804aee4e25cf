import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { processLimits } from '../../../src/limits/process.js';

describe('the memory of rate limits in the process', () => {
  for (const [what, keyOf, most] of [
    // A key with a window of 1 s may be evicted after 61 s. With a new key every 50 ms, these are 1,220 keys, and the map has at
    // most about twice as many (`evictTwo`), far fewer than 200,000. `most` is in bytes.
    ['200,000 keys that are used once', (n: number) => `ip:caller-${n}`, 3_000_000],
    ['one key that is used 200,000 times', () => 'busy', 1_000_000],
  ] as const) {
    it(`is limited for ${what}`, async () => {
      const limits = processLimits();
      const before = heapUsed();
      for (let n = 0; n < 200_000; n += 1) {
        await limits.take([{ key: keyOf(n), max: 20, seconds: 1 }], 1_700_000_000_000 + n * 50);
      }
      expect(heapUsed() - before).to.be.below(most);
      await limits.close();
    });
  }
});

// A context that is created after this flag has the function `gc`, so the tests need no command line option of Node.
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
