import { expect } from 'chai';
import { stopInTime } from '../../src/cli/serve.js';
import { manualTimes } from '../support/times.js';

describe('a program that is interrupted', () => {
  it('has exit code 1 if a part hangs, after 9.5 seconds', async () => {
    const [interrupt, times] = [new AbortController(), manualTimes()];
    const seen: number[] = [];
    const ended = stopInTime(new Promise(() => {}), interrupt.signal, times).then((code) => seen.push(code));
    expect(times.waiting).to.deep.equal([]);
    interrupt.abort();
    times.advance(9499);
    await new Promise(setImmediate);
    expect(seen).to.deep.equal([]);
    times.advance(1);
    await ended;
    expect(seen).to.deep.equal([1]);
  });

  it('has its own exit code if it ends in time', async () => {
    const [interrupt, times] = [new AbortController(), manualTimes()];
    const ended = stopInTime(Promise.resolve(0), interrupt.signal, times);
    interrupt.abort();
    expect(await ended).to.equal(0);
  });
});
