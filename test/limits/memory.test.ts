// Nightly: it measures memory.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { processLimits } from '../../src/limits/process.js';

describe('the memory of rate limits in the process', () => {
  it('is limited for 200,000 keys that are used once', async () => {
    const many = processLimits();
    const before = heapUsed();
    // A key is evicted after 61 seconds. With a new key every 50 ms, at most 1,220 keys are stored.
    for (let caller = 0; caller < 200_000; caller += 1) {
      await many.take([{ key: `ip:caller-${caller}`, max: 20, seconds: 1 }], 1_700_000_000_000 + caller * 50);
    }
    expect(heapUsed() - before).to.be.below(3_000_000);
    await many.close();
  });

  it('is limited for one key that is used 200,000 times', async () => {
    const busy = processLimits();
    const windows = [{ key: 'busy', max: 20, seconds: 1 }];
    const before = heapUsed();
    for (let time = 0; time < 200_000; time += 1) await busy.take(windows, 1_700_000_000_000 + time * 50);
    expect(heapUsed() - before).to.be.below(1_000_000);
    expect(await busy.peek(windows, 1_700_000_000_000 + 200_000 * 50)).to.include({ allowed: true });
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
