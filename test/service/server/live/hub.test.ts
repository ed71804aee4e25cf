import 'reflect-metadata';
import { expect } from 'chai';
import { readConfig } from '../../../../src/config/config.js';
import { type Actor, agentByKeyHash, hashKey } from '../../../../src/keys.js';
import { announce, sweepEvents } from '../../../../src/live/announce.js';
import { markOutage } from '../../../../src/observe/database-errors.js';
import { costWindows } from '../../../../src/server/graphql/admit.js';
import type { Sql } from '../../../../src/store/sql.js';
import { newAgent } from '../../../support/market/agents.js';
import { eventually } from '../../../support/service/process.js';
import { manualTimes } from '../../../support/times.js';
import { useWorld } from '../../../support/world.js';
import { hubsOf, named, slowReader } from './hubs.js';

/** Interval at which a hub polls. */
const POLL_MS = 1000;

describe('the hub of live events', () => {
  const world = useWorld();
  const { hubWith, prices, leave } = hubsOf(world);
  /** Moves the clock to the next minute, so that each test has the full points of every address. */
  afterEach(() => world.clock.advance(61_000));

  /** A hub with two clients. `slow` reads only after `read` was called, `quick` reads at any time. */
  async function slowAndQuick() {
    const { read, ...sender } = slowReader();
    const { endAll, follow } = hubWith();
    const slow = await follow({ ip: '192.0.2.1', cost: 1, sender });
    const quick = await follow({ ip: '198.51.100.1', cost: 1 });
    return { read, slow, quick, endAll };
  }

  it('executes an event once for equal subscriptions, even while one of them is paused', async () => {
    const times = manualTimes();
    const { executions, endAll, follow } = hubWith({ times });
    const others = await Promise.all(Array.from({ length: 30 }, (_, i) => follow({ ip: `192.0.2.${i + 1}` })));
    // Two subscriptions of one address use up its points after 3 events.
    await leave('198.51.100.1', 6000);
    const twins = [await follow({ ip: '198.51.100.1' }), await follow({ ip: '198.51.100.1' })];
    const alone = await follow({ ip: '203.0.113.1', text: named('Another') });
    for (let i = 1; i <= 5; i++) {
      await prices();
      world.deps.live.wake();
      const came = () => [...others, alone].every(({ got }) => got.length === i);
      await eventually(came, `event ${i} did not arrive`);
      expect(executions()).to.equal(2 * i);
    }
    expect(twins.map(({ got }) => got.length)).to.deep.equal([3, 3]);
    world.clock.advance(61_000);
    times.advance(POLL_MS);
    await eventually(() => twins.every(({ got }) => got.length === 5), 'the paused subscriptions did not resume');
    // Both have the same position, so they share an execution again.
    expect(executions()).to.equal(10 + 2);
    expect(twins.map(({ got }) => got)).to.deep.equal([others[0]?.got, others[0]?.got]);
    endAll();
  });

  it('serves other subscribers while an answer fails, and charges for that answer only once', async () => {
    const times = manualTimes();
    let isBroken = true;
    const failing = named('Failing');
    const { endAll, follow } = hubWith({ times }, async (text) => {
      if (isBroken && text === failing) throw markOutage(new Error('timeout'), 'DATABASE_BUSY');
    });
    const first = (await prices(3)) - 3;
    const broken = await follow({ ip: '192.0.2.1', text: failing, cost: 100 });
    const others = [await follow({ ip: '198.51.100.1' }), await follow({ ip: '203.0.113.1', text: named('Replay'), after: first })];
    await prices();
    world.deps.live.wake();
    for (let second = 1; second <= 5; second++) {
      times.advance(POLL_MS);
      await eventually(() => others.every(({ got }) => got.at(-1) === first + 4), 'others wait for the failing answer');
    }
    expect(broken.got).to.deep.equal([]);
    isBroken = false;
    await eventually(() => {
      times.advance(POLL_MS);
      return broken.got.length === 1;
    }, 'the answer did not come later');
    const [window] = (await world.deps.limits.peek(costWindows(null, '192.0.2.1'), world.clock.now().getTime())).windows;
    // The address paid once for the answer (100 points), and in each attempt for the events that the hub read.
    expect(window && window.max - window.remaining).to.be.within(100, 120);
    endAll();
  });

  it('serves other subscribers while an answer takes long', async () => {
    const { promise: held, resolve: open } = Promise.withResolvers<void>();
    const slow = named('Slow');
    const { endAll, follow } = hubWith({}, async (text) => {
      if (text === slow) await held;
    });
    const waiting = await follow({ ip: '192.0.2.1', text: slow, cost: 1 });
    const other = await follow({ ip: '198.51.100.1', cost: 1 });
    for (let i = 1; i <= 3; i++) {
      await prices();
      world.deps.live.wake();
      await eventually(() => other.got.length === i, `event ${i} waits for the slow answer`);
    }
    expect(waiting.got).to.deep.equal([]);
    open();
    await eventually(() => waiting.got.length === 3, 'the slow answers did not come');
    expect(waiting.got).to.deep.equal(other.got);
    endAll();
  });

  it('ends a subscription whose key becomes invalid while the subscription starts', async () => {
    const { wallet, key } = await newAgent(world);
    const actor = (await agentByKeyHash(world.deps, hashKey(key))) as Actor;
    const announceEnd = () =>
      world.deps.write((tx) => {
        const end = { topic: 'profile' as const, subject: null, agent: wallet };
        return announce(tx, [end], world.clock.now());
      });
    let other: { readonly got: number[] } | undefined;
    const sql: Sql = async (text, values) => {
      const rows = await world.deps.sql(text, values);
      // Ends the key right after the hub has checked it. The hub reads this event before it has added the new subscriber.
      if (text.includes('api_key_hash')) {
        await announceEnd();
        await prices();
        world.deps.live.wake();
        await eventually(() => other?.got.length === 1, 'the other subscriber got nothing');
      }
      return rows as never;
    };
    const { endAll, follow } = hubWith({ sql });
    other = await follow({ ip: '198.51.100.1', cost: 1 });
    const late = await follow({ ip: '192.0.2.1', cost: 1, actor });
    await prices();
    world.deps.live.wake();
    await eventually(() => late.errors.length > 0, 'the subscription did not end');
    expect(late.errors[0]).to.include({ code: 'INVALID_KEY' });
    expect(late.got).to.deep.equal([]);
    endAll();
  });

  it('sends nothing to a client that does not read, and all missed events when it reads again', async () => {
    const { read, slow, quick, endAll } = await slowAndQuick();
    for (let i = 1; i <= 3; i++) {
      await prices();
      world.deps.live.wake();
      await eventually(() => quick.got.length === i, `event ${i} did not arrive`);
    }
    expect(slow.got).to.deep.equal([]);
    read();
    await eventually(() => slow.got.length === 3, 'the events that it missed did not arrive');
    expect(slow.got).to.deep.equal(quick.got);
    endAll();
  });

  it('ends a subscription whose next event is deleted before it is sent', async () => {
    const { read, slow, quick, endAll } = await slowAndQuick();
    await prices(2);
    world.deps.live.wake();
    await eventually(() => quick.got.length === 2, 'the events did not arrive');
    // Events are stored for 24 hours.
    world.clock.advance(25 * 3_600_000);
    await sweepEvents(world.deps);
    read();
    await eventually(() => slow.errors.length > 0, 'the subscription did not end');
    expect(slow.errors[0]).to.include({ code: 'EVENTS_FORGOTTEN' });
    expect(slow.got).to.deep.equal([]);
    endAll();
  });

  it('asks an absent database at most twice a second without log lines, and sends its events later', async () => {
    const times = manualTimes();
    let [isAway, asked] = [false, 0];
    const sql: Sql = async (...query) => {
      asked += 1;
      if (isAway) throw markOutage(new Error('connect ECONNREFUSED'), 'DATABASE_UNAVAILABLE');
      return world.deps.sql(...query);
    };
    const config = readConfig({ DATABASE_URL: 'postgresql://h/db' });
    const logged = world.logged.length;
    const { endAll, follow } = hubWith({ sql, times, config });
    const { got } = await follow({ ip: '192.0.2.99' });
    const isIdle = () => eventually(() => times.waiting.length === 1, 'it does not wait for the next poll');
    await isIdle();
    isAway = true;
    await prices();
    asked = 0;
    for (let second = 1; second <= 10; second++) {
      const before = asked;
      times.advance(POLL_MS);
      await eventually(() => asked > before, 'it does not ask again');
    }
    expect(asked).to.be.within(10, 20);
    const lines = world.logged.slice(logged).filter(({ level }) => Number(level) > 20);
    expect([lines, world.deps.outages.needsLook()]).to.deep.equal([[], true]);
    isAway = false;
    times.advance(POLL_MS);
    await eventually(() => got.length === 1, 'the event of the outage did not arrive');
    endAll();
    expect(times.waiting).to.deep.equal([]);
  });
});
