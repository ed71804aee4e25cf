// Nightly: it measures memory.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { processLimits } from '../../src/limits/process.js';

describe('the memory of rate limits in the process', () => {
  for (const [what, keyOf, most] of [
    // A key is evicted after 61 seconds. With a new key every 50 ms, at most 1,220 keys are stored at a time.
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

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
