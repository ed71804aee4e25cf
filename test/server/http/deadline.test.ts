import { expect } from 'chai';
import { withinDeadline } from '../../../src/times.js';
import { thrownBy } from '../../support/refused.js';
import { manualTimes } from '../../support/times.js';

const never = new Promise<never>(() => {});

describe('the deadline of a request', () => {
  it('does not start before the request is received, because uploads have their own timeout', async () => {
    const times = manualTimes();
    let received = false;
    const ended = thrownBy(withinDeadline(times, never, () => received));
    times.advance(3 * times.request);
    received = true;
    expect(times.waiting).to.deep.equal([times.request]);
    times.advance(times.request);
    expect(await ended).to.include({ code: 'TIMED_OUT', status: 503 });
  });
});
