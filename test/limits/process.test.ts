import { expect } from 'chai';
import { processLimits } from '../../src/limits/process.js';
import { behavesAsLimits } from './behaviour.js';

describe('rate limits in the process', () => {
  const limits = processLimits();
  behavesAsLimits(() => limits);

  it('allow exactly the limit of 200 concurrent requests', async () => {
    const windows = [{ key: 'rush', max: 50, seconds: 60 }];
    const verdicts = await Promise.all(Array.from({ length: 200 }, () => limits.take(windows, 1_700_000_000_000)));
    expect(verdicts.filter(({ allowed }) => allowed)).to.have.length(50);
  });

  it('keep an expired key for a while, in case the clock moves back', async () => {
    const early = [{ key: 'early', max: 1, seconds: 10 }];
    const busy = processLimits();
    await busy.take(early, 1_700_000_000_000);
    for (let i = 0; i < 10; i += 1) await busy.take([{ key: `busy-${i}`, max: 1, seconds: 10 }], 1_700_000_010_001);
    expect(await busy.peek(early, 1_700_000_010_001)).to.include({ allowed: true });
    expect(await busy.take(early, 1_700_000_009_999)).to.include({ allowed: false });
  });

  it('forget the requests of a clock that was an hour ahead', async () => {
    const limits = processLimits();
    const jumping = [{ key: 'jumping', max: 1, seconds: 10 }];
    const now = 1_700_000_000_000;
    expect(await limits.take(jumping, now + 3_600_000)).to.include({ allowed: true });
    expect(await limits.peek(jumping, now)).to.include({ allowed: true });
    expect(await limits.take(jumping, now)).to.include({ allowed: true });
    expect(await limits.take(jumping, now)).to.include({ allowed: false, retryAfter: 10 });
  });
});
