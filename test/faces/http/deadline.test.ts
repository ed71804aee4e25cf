// Nightly: it depends on real time.
import { expect } from 'chai';
import { withinDeadline } from '../../../src/faces/http/deadline.js';
import { TIMES } from '../../../src/times.js';

const never = new Promise<never>(() => {});

describe('the deadline of a request', () => {
  it('ends a request with 503 when it takes too long', async () => {
    const error = await withinDeadline({ ...TIMES, request: 10 }, never).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'TIMED_OUT', status: 503 });
  });

  it('does not start before the request is received, because uploads have their own timeout', async () => {
    let received = false;
    const started = performance.now();
    const waiting = withinDeadline({ ...TIMES, request: 20 }, never, () => received).catch((thrown: unknown) => thrown);
    setTimeout(() => {
      received = true;
    }, 70);
    await waiting;
    expect(performance.now() - started).to.be.at.least(70);
  });
});
