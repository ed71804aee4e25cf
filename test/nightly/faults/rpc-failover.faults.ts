import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { FAULTS, type Fault, type Log, type Relay } from '../../support/chain/relay.js';
import { print } from '../../support/print.js';
import { seed, seeded } from '../../support/seed.js';
import type { Running } from '../../support/service/process.js';
import { useRpcReplicas } from './support/rpc-replicas.js';

/** Maximum time of a read while one URL fails. */
const FAILS_OVER_MS = 2000;
/** Maximum time after the last fault until the index is whole. */
const RECOVERS_MS = 60_000;
/** Duration of a fault of one URL, and of the pause before it. */
const [FAULT_MS, PAUSE_MS] = [3000, 1500];
/** Pause between two requests of a reader, in milliseconds. */
const EVERY_MS = 100;

describe(`three replicas of which one of two RPC URLs fails at a time (seed ${seed})`, () => {
  const world = useRpcReplicas(seed);
  const random = seeded(seed);

  /**
   * Reads the chain through the replicas until `over`. Returns the duration of the slowest answer in
   * milliseconds, the number of reads, and the failed answers.
   */
  async function readChain(over: () => boolean): Promise<{ longest: number; reads: number; failed: string[] }> {
    const [failed, running] = [[] as string[], [] as Promise<void>[]];
    let longest = 0;
    const read = async (i: number) => {
      const begun = performance.now();
      const { url } = world.replicas[i % world.replicas.length] as Running;
      // The service never caches the answers of this endpoint, so every request reads the chain.
      const response = await fetch(`${url}/api/price?agent=${world.agent}`);
      if (response.status !== 200) failed.push(`${response.status} ${await response.text()}`);
      else await response.arrayBuffer();
      longest = Math.max(longest, performance.now() - begun);
    };
    for (let i = 0; !over(); i++) {
      running.push(read(i));
      await sleep(EVERY_MS);
    }
    await Promise.all(running);
    return { longest, reads: running.length, failed };
  }

  /** Omits about half of the logs, each only from the first answer that contains it. */
  function losingOnce(): (log: Log) => boolean {
    const seen = new Set<string>();
    return ({ transactionHash, logIndex }) => {
      const key = `${transactionHash} ${logIndex}`;
      const isNew = !seen.has(key) && random() < 0.5;
      seen.add(key);
      return isNew;
    };
  }

  /** Returns the relay of the URL that the replicas ask now. A fault of the other URL would have no effect. */
  async function preferred(): Promise<Relay> {
    const before = world.relays.map(({ calls }) => calls);
    await sleep(PAUSE_MS);
    const [first, second] = world.relays.map(({ calls }, i) => calls - (before[i] as number));
    return world.relays[Number(second) > Number(first) ? 1 : 0];
  }

  it('answer reads of the chain within 2 s, and store the same rows as without faults', async function () {
    this.timeout(300_000);
    const faults: (Fault | 'loses logs once')[] = [...FAULTS, 'loses logs once'];
    const order = faults.map((fault) => [random(), fault] as const).sort(([a], [b]) => a - b);
    const figures: string[] = [];
    for (const [, fault] of order) {
      const relay = await preferred();
      // Only the replica that indexes asks for logs, and it may prefer the other URL. So both URLs lose logs.
      if (fault === 'loses logs once') for (const each of world.relays) each.omits = losingOnce();
      else await relay.turn(fault);
      let over = false;
      const [{ longest, reads, failed }] = await Promise.all([
        readChain(() => over),
        world.trade(FAULT_MS).finally(() => {
          over = true;
        }),
      ]);
      figures.push(`${fault}: ${Math.round(longest)} ms of ${reads} reads`);
      for (const each of world.relays) each.omits = undefined;
      await relay.turn(undefined);
      expect(failed, `failed reads during "${fault}"`).to.deep.equal([]);
      expect(longest, `longest read during "${fault}"`).to.be.lessThan(FAILS_OVER_MS);
    }
    for (const figure of figures) print(figure);
    const time = await world.recovery(RECOVERS_MS);
    const omitted = world.relays.reduce((sum, relay) => sum + relay.omitted, 0);
    print(`ready and whole ${time} ms after the last fault, ${omitted} logs lost once`);
    expect(omitted).to.be.greaterThan(0);
  });
});
