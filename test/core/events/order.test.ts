// Nightly: it depends on real time.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { announce } from '../../../src/core/events/commands/announce.js';
import { liveEvents } from '../../../src/core/events/queries/live-events.js';
import { serverUrl } from '../../support/database.js';
import { randomWallet } from '../../support/market/rows.js';
import { useWorld } from '../../support/world.js';

describe('the sequence of live events', () => {
  const world = useWorld();

  it('follows the order of commits, without gaps, under concurrent writes and rollbacks', async function () {
    // The embedded database runs one transaction at a time.
    if (serverUrl === undefined) this.skip();
    let written = 0;
    let done = false;
    const write = async (n: number): Promise<void> => {
      const news = Array.from({ length: randomInt(1, 4) }, (_, i) => ({
        topic: 'post' as const,
        subject: `${n} ${i}`,
        agent: randomWallet(),
      }));
      await world.deps.write(async (tx) => {
        await sleep(randomInt(10));
        await announce(tx, news, world.clock.now());
        await sleep(randomInt(4));
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
    const numbers = Array.from({ length: 300 }, (_, n) => n).values();
    const results: PromiseSettledResult<void>[] = [];
    const writer = async () => {
      for (const n of numbers) results.push(...(await Promise.allSettled([write(n)])));
    };
    await Promise.all(Array.from({ length: 16 }, writer));
    done = true;
    await reading;
    expect(results.filter(({ status }) => status === 'rejected')).to.have.length(60);
    expect(seen).to.deep.equal(Array.from({ length: written }, (_, i) => i + 1));
  });
});
