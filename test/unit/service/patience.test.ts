import { expect } from 'chai';
import { untilReached } from '../../../src/service/patience.js';
import { testTimes } from '../../support/times.js';

describe('a service that starts without a part', () => {
  it('tries again after 1 s, after 2 s and then every 4 s, until it reaches the part', async () => {
    const [waits, told]: [number[], string[]] = [[], []];
    const after = (milliseconds: number, act: () => void) => {
      waits.push(milliseconds);
      setImmediate(act);
      return () => {};
    };
    let left = 5;
    const work = async () => {
      if (left-- > 0) throw new Error('still unavailable');
      return 'reached';
    };
    const outages = { begin: () => told.push('begin'), end: () => told.push('end') } as never;
    const waiting = {
      outages,
      times: { ...testTimes, after },
      part: 'chain',
      passes: () => true,
      signal: undefined,
    } as const;
    expect(await untilReached(work, new Error('away'), waiting)).to.equal('reached');
    // One wait after the given error, and one after each of five failures.
    expect(waits).to.deep.equal([1000, 2000, 4000, 4000, 4000, 4000]);
    expect(told).to.deep.equal(['begin', 'end']);
  });
});
