import { setImmediate as eventLoop } from 'node:timers/promises';
import { expect } from 'chai';
import { coalescingQueue } from '../../../src/deps.js';
import { AppError } from '../../../src/errors.js';
import { AddressQuota } from '../../../src/server/live/face.js';
import { serialQueue } from '../../../src/times.js';

describe('queues', () => {
  it('run one task after the other, also after a failure', async () => {
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

  it('join the calls that arrive during a run in one more run, also after a failure', async () => {
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

describe('the limit of open connections', () => {
  it('is ten times as high for an IPv6 /48 network, and releases closed ones', () => {
    const places = new AddressQuota('things', 2);
    const site = Array.from({ length: 10 }, (_, i) => `2001:db8:0:${i}::1`);
    const [release] = site.flatMap((ip) => [places.take(ip), places.take(ip)]);
    const other = '2001:db8:0:99::1';
    const isFull = () =>
      expect(() => places.take(other))
        .to.throw(AppError)
        .that.has.deep.property('params', { what: 'things', max: 20, seconds: 10 });
    isFull();
    places.take('2001:db8:1::1');
    // A second call releases nothing.
    for (let i = 0; i < 2; i++) release?.();
    places.take(other);
    isFull();
  });
});
