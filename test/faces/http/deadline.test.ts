import { expect } from 'chai';
import { withinDeadline } from '../../../src/faces/http/deadline.js';

const never = new Promise<never>(() => {});

describe('the deadline of a request', () => {
  it('ends a request that has waited too long, with 503', async () => {
    const error = await withinDeadline(never, () => true, 10).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'TIMED_OUT', status: 503 });
  });

  it('leaves a caller that is still sending to its own timeout', async () => {
    let received = false;
    const started = performance.now();
    const waiting = withinDeadline(never, () => received, 20).catch((thrown: unknown) => thrown);
    setTimeout(() => {
      received = true;
    }, 70);
    await waiting;
    expect(performance.now() - started).to.be.at.least(70);
  });
});
