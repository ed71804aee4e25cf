import 'reflect-metadata';
import { expect } from 'chai';
import { eventually } from '../../../support/service/process.js';
import { manualTimes } from '../../../support/times.js';
import { useWorld } from '../../../support/world.js';
import { hubsOf, named } from './hubs.js';

/** Interval at which a hub polls. */
const POLL_MS = 1000;

type Follow = ReturnType<ReturnType<typeof hubsOf>['hubWith']>['follow'];

/**
 * Subscribes one after another, because concurrent subscriptions would join the hub in any order. With a cost of 260, each gets one
 * event per round, because two exceed the 500 points that a group of equal subscriptions gets.
 */
async function followInOrder(follow: Follow, all: readonly Parameters<Follow>[0][]) {
  const followed: Awaited<ReturnType<Follow>>[] = [];
  for (const one of all) followed.push(await follow({ ...one, cost: 260 }));
  return followed;
}

describe('the hub with several subscribers', () => {
  const world = useWorld();
  const { hubWith, prices, holding, leave } = hubsOf(world);
  /** Moves the clock to the next minute, so that each test has the full points of every address. */
  afterEach(() => world.clock.advance(61_000));

  it('serves new events before missed ones, and cheap subscriptions first', async () => {
    // The hub reads no events until `open`. Then it has new events and missed ones to serve.
    const { open, ...held } = holding();
    const { endAll, follow, sent } = hubWith(held);
    const first = (await prices(3)) - 3;
    const heavy = (i: number) => ({ ip: `192.0.2.${i}`, text: named(`Heavy${i}`) });
    const behind = await Promise.all([1, 2, 3].map((i) => follow({ ...heavy(i), after: first })));
    const current = await Promise.all([4, 5].map((i) => follow(heavy(i))));
    const cheap = await follow({ ip: '198.51.100.1', cost: 1 });
    await prices();
    open();
    await eventually(() => behind.every(({ got }) => got.length === 4), 'a replay did not end');
    expect(sent.slice(0, 3).map(({ sequence }) => sequence)).to.deep.equal(Array(3).fill(first + 4));
    expect(sent[0]?.ip).to.equal('198.51.100.1');
    expect([...current, cheap].map(({ got }) => got)).to.deep.equal(Array(3).fill([first + 4]));
    for (const { got } of behind) expect(got).to.deep.equal([1, 2, 3, 4].map((i) => first + i));
    endAll();
  });

  it('alternates between IP addresses that are behind, and counts an IPv6 /48 network as one', async () => {
    const { open, ...held } = holding();
    const { endAll, follow, sent } = hubWith(held);
    const first = (await prices(20)) - 20;
    // Each subscriber begins after another event, so a round serves only one of them.
    const site = [0, 2, 4, 6, 8].map((i) => ({ ip: `2001:db8:0:${i}::1`, text: named(`V6${i}`), after: first + i }));
    const single = { ip: '192.0.2.1', text: named('V4'), after: first + 13 };
    const all = await followInOrder(follow, [...site, single]);
    open();
    await eventually(() => all.every(({ got }) => got.at(-1) === first + 20), 'a replay did not end');
    const ips = sent.slice(0, 10).map(({ ip }) => ip);
    expect(ips).to.deep.equal([0, 1, 2, 3, 4].flatMap((i) => [site[i]?.ip, single.ip]));
    endAll();
  });

  it('alternates between the callers of a network, even if one of them waits for an older event', async () => {
    const { open, ...held } = holding();
    const { endAll, follow, sent } = hubWith(held);
    const first = (await prices(12)) - 12;
    const ofOne = [0, 6].map((i) => ({ ip: '2001:db8:0:1::1', text: named(`One${i}`), after: first + i }));
    const ofOther = { ip: '2001:db8:0:2::1', text: named('Other'), after: first + 9 };
    const all = await followInOrder(follow, [...ofOne, ofOther]);
    open();
    await eventually(() => all.every(({ got }) => got.at(-1) === first + 12), 'a replay did not end');
    const ips = sent.slice(0, 6).map(({ ip }) => ip);
    expect(ips).to.deep.equal([ofOne[0]?.ip, ofOther.ip, ofOne[0]?.ip, ofOther.ip, ofOne[0]?.ip, ofOther.ip]);
    endAll();
  });

  it('gives points to the oldest event of a caller, so that costly subscriptions advance', async () => {
    const times = manualTimes();
    const { open, ...held } = holding();
    const { endAll, follow } = hubWith({ times, ...held });
    const ip = '192.0.2.1';
    const cheap = await follow({ ip, text: named('Cheap'), cost: 500 });
    const costly = await follow({ ip, text: named('Costly'), cost: 4000 });
    await prices(20);
    await leave(ip, 6000);
    open();
    // In every minute, the cheap subscription alone could use up the points of the address. The costly one must still get an
    // event.
    for (let minute = 1; minute <= 4; minute++) {
      await eventually(() => costly.got.length === minute, `the costly subscription got nothing in minute ${minute}`);
      world.clock.advance(61_000);
      await leave(ip, 6000);
      times.advance(POLL_MS);
    }
    expect(cheap.got.length).to.be.within(2, 12);
    endAll();
  });
});
