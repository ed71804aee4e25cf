// Server: it behaves differently on PostgreSQL or Redis.
import { expect } from 'chai';
import { announce } from '../../src/live/announce.js';
import { liveEvents } from '../../src/live/log.js';
import { serverUrl } from '../support/database.js';
import { randomWallet } from '../support/market/rows.js';
import { seeded } from '../support/market/traffic.js';
import { seed } from '../support/seed.js';
import { useWorld } from '../support/world.js';

describe('the sequence of live events', () => {
  const world = useWorld();

  it('follows the order of commits, without gaps, under concurrent writes and rollbacks', async function () {
    // The embedded database runs one transaction at a time.
    if (serverUrl === undefined) this.skip();
    const random = seeded(seed);
    const below = (end: number) => Math.floor(random() * end);
    const plans = Array.from({ length: 300 }, () => ({ events: 1 + below(3), before: below(5), after: below(3) }));
    let written = 0;
    let done = false;
    const write = async (n: number, { events, before, after }: (typeof plans)[number]): Promise<void> => {
      const news = Array.from({ length: events }, (_, i) => ({
        topic: 'post' as const,
        subject: `${n} ${i}`,
        agent: randomWallet(),
      }));
      await world.deps.write(async (tx) => {
        for (let i = 0; i < before; i++) await tx.execute('select');
        await announce(tx, news, world.clock.now());
        for (let i = 0; i < after; i++) await tx.execute('select');
        if (n % 5 === 0) throw new Error('on purpose');
      });
      written += news.length;
    };
    // The reader reads only events after the last sequence number it has seen.
    const seen: number[] = [];
    const read = async (): Promise<void> => {
      while (!done || (await liveEvents(world.deps, seen.at(-1) ?? 0, 1)).length > 0) {
        seen.push(...(await liveEvents(world.deps, seen.at(-1) ?? 0, 7)).map(({ sequence }) => sequence));
      }
    };
    const reading = read();
    // 16 writers and the reader fit into the pool of 20 connections, so no writer waits for a connection.
    const numbered = plans.entries();
    const results: PromiseSettledResult<void>[] = [];
    const writer = async () => {
      for (const [n, plan] of numbered) results.push(...(await Promise.allSettled([write(n, plan)])));
    };
    await Promise.all(Array.from({ length: 16 }, writer));
    done = true;
    await reading;
    expect(results.filter(({ status }) => status === 'rejected')).to.have.length(60);
    expect(seen).to.deep.equal(Array.from({ length: written }, (_, i) => i + 1));
  });
});
