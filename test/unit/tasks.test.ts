import { setImmediate as eventLoop } from 'node:timers/promises';
import { expect } from 'chai';
import { coalescingQueue, serialQueue } from '../../src/tasks.js';

describe('a queue', () => {
  it('runs one task after the other if it is serial, also after a failure', async () => {
    const queue = serialQueue();
    const order: string[] = [];
    const task = (name: string) => async () => {
      order.push(`${name} begins`);
      await eventLoop();
      order.push(`${name} ends`);
      if (name === 'a') throw new Error('no');
      return name;
    };
    const results = await Promise.allSettled([queue(task('a')), queue(task('b'))]);
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled']);
    expect(order).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('joins the calls during a run in one more run if it coalesces calls, also after a failure', async () => {
    const queue = coalescingQueue();
    let runs = 0;
    const task = async () => {
      runs++;
      await eventLoop();
    };
    const first = queue(task);
    await eventLoop();
    expect(runs).to.equal(1);
    await Promise.all([first, queue(task), queue(task)]);
    expect(runs).to.equal(2);
    await queue(() => Promise.reject(new Error('no'))).catch(() => {});
    await queue(task);
    expect(runs).to.equal(3);
  });
});
