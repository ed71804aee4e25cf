import { setImmediate as eventLoop } from 'node:timers/promises';
import { expect } from 'chai';
import { readConfig } from '../../../src/config.js';
import { coalescingQueue, type Deps } from '../../../src/deps.js';
import { AppError } from '../../../src/errors.js';
import { processLimits } from '../../../src/limits/process.js';
import { Budget, CHECK_EVERY_MS, payerOf } from '../../../src/server/live/budget.js';
import { AddressQuota } from '../../../src/server/live/face.js';
import { ExecutionQueue, ReplayQueue } from '../../../src/server/live/queues.js';
import { serialQueue } from '../../../src/times.js';
import { eventually } from '../../support/service/process.js';
import { manualTimes } from '../../support/times.js';

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

describe('the replay queue', () => {
  /** Starts replays that end when the test calls `end`. */
  function replays() {
    const queue = new ReplayQueue();
    const started: string[] = [];
    const ends = new Map<string, (failed?: Error) => void>();
    const add = (ip: string, name: string) =>
      queue.run(ip, async () => {
        started.push(name);
        await new Promise<void>((resolve, reject) => {
          ends.set(name, (failed) => (failed ? reject(failed) : resolve()));
        });
      });
    const end = async (name: string, failed?: Error) => {
      ends.get(name)?.(failed);
      await eventLoop();
    };
    return { add, end, started };
  }

  it('runs at most 2 replays per IP address, and the next when one ends or fails', async () => {
    const { add, end, started } = replays();
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => add('192.0.2.1', name).catch(() => {}));
    await eventLoop();
    expect(started).to.deep.equal(['a1', 'a2']);
    await end('a2', new Error('failed'));
    expect(started).to.deep.equal(['a1', 'a2', 'a3']);
    await end('a1');
    expect(started).to.deep.equal(['a1', 'a2', 'a3', 'a4']);
    await end('a3');
    await end('a4');
    await Promise.all(all);
  });

  it('runs at most 8 replays in total and lets addresses take turns', async () => {
    const { add, end, started } = replays();
    for (const address of ['a', 'b', 'c', 'd', 'e']) {
      for (let i = 0; i < 6; i++) add(`192.0.2.${address.charCodeAt(0)}`, `${address}${i}`);
    }
    await eventLoop();
    expect(started).to.deep.equal(['a0', 'a1', 'b0', 'b1', 'c0', 'c1', 'd0', 'd1']);
    const ended = ['a0', 'a1', 'b0'];
    for (const name of ended) await end(name);
    // The next turn goes to an address without a running replay, then to the address whose last turn is oldest.
    expect(started.slice(8)).to.deep.equal(['e0', 'a2', 'b2']);
    const more = ['c0', 'd0', 'e0', 'a2', 'b1', 'b2'];
    for (const name of more) await end(name);
    expect(started).to.have.length(8 + ended.length + more.length);
    const inFlight = started.filter((name) => ![...ended, ...more].includes(name)).map(([address]) => address);
    for (const address of inFlight) expect(inFlight.filter((each) => each === address).length).to.be.at.most(2);
  });

  it('counts an IPv6 /48 network as one address', async () => {
    const { add, started } = replays();
    for (let i = 1; i <= 4; i++) add(`2001:db8:0:${i}::1`, `v6 ${i}`);
    add('2001:db8:1::1', 'another site');
    await eventLoop();
    expect(started).to.deep.equal(['v6 1', 'v6 2', 'another site']);
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

describe('the execution queue', () => {
  it('executes the cheapest operation first, and equal costs in order of arrival', async () => {
    const queue = new ExecutionQueue();
    const order: string[] = [];
    const add = (name: string, cost: number) => queue.run(cost, async () => void order.push(name));
    await Promise.all([add('heavy', 900), add('a', 10), add('middle', 200), add('b', 10), add('c', 10)]);
    expect(order).to.deep.equal(['a', 'b', 'c', 'middle', 'heavy']);
  });

  it('yields to other work between expensive answers, and continues after a failure', async () => {
    const queue = new ExecutionQueue();
    const done: string[] = [];
    const heavy = Promise.allSettled(
      ['1', '2', '3'].map((name) =>
        queue.run(1000, async () => {
          done.push(name);
          if (name === '2') throw new Error('failed');
        }),
      ),
    );
    const immediate = (name: string) =>
      new Promise<void>((resolve) => setImmediate(() => resolve(void done.push(name))));
    await immediate('other');
    await immediate('another');
    const results = await heavy;
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(done.indexOf('other')).to.be.below(done.indexOf('2'));
    expect(done.indexOf('another')).to.be.below(done.indexOf('3'));
  });
});

describe('the query cost budget of live answers', () => {
  it('lets cheap subscriptions overtake an expensive one at most 20 times', async () => {
    let now = 1_000_000_000_000;
    const limits = processLimits();
    const times = manualTimes();
    const clock = { now: () => new Date(now) };
    const budget = new Budget({ config: readConfig({}), limits, clock, times } as unknown as Deps);
    const payer = payerOf(null, '192.0.2.1');
    /** Resolves when the queue has found no room in the window. */
    const exhausted = () => eventually(() => times.waiting.length === 1, 'the queue does not wait');
    await budget.pay(payer, [{ cost: 5200, count: 1 }]);
    const order: string[] = [];
    const wait = async (name: string, cost: number) => {
      const done = await budget.turn(payer, cost, () => false);
      order.push(name);
      await budget.pay(payer, [{ cost, count: 1 }]);
      expect(budget.isExhausted(payer), name).to.equal(false);
      done();
    };
    const costly = wait('costly', 1000);
    await exhausted();
    // With one subscription waiting, live subscriptions queue behind it.
    expect(budget.isExhausted(payer)).to.equal(true);
    const cheap = Array.from({ length: 30 }, () => wait('cheap', 2));
    times.advance(CHECK_EVERY_MS);
    await exhausted();
    times.advance(CHECK_EVERY_MS);
    await exhausted();
    expect(order).to.deep.equal(Array(20).fill('cheap'));
    expect(budget.isExhausted(payer)).to.equal(true);
    expect((await limits.peek(payer.windows, now)).windows[0]?.remaining).to.equal(6000 - 5200 - 20 * 2);
    now += 61_000;
    times.advance(CHECK_EVERY_MS);
    await Promise.all([costly, ...cheap]);
    expect(order.slice(20)).to.deep.equal(['costly', ...Array(10).fill('cheap')]);
    expect(budget.isExhausted(payer)).to.equal(false);
  });
});
