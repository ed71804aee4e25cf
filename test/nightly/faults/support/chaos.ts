import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS } from '../../../support/chain/relay.js';
import { timedStop } from './replicas.js';
import { type Replica, SIGNING_KEY, type System } from './system.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A kind of fault. `act` begins it, waits for a random time, and ends it. */
export type Trouble = readonly [name: string, act: (system: System, random: () => number) => Promise<void>];

/** A random index of a list with `count` entries. */
const some = (random: () => number, count: number): number => Math.floor(random() * count);
/** Waits for the random time that a fault lasts. */
const lasting = (random: () => number, max = 3000) => sleep(300 + random() * max);

const clockJump = (name: string, offset: () => number): Trouble => [
  name,
  async ({ replicas }, random) => {
    const { clock, service } = replicas[some(random, replicas.length)] as (typeof replicas)[number];
    await clock.jump(service, offset());
    await lasting(random, 5000);
    await clock.jump(service, 0);
  },
];

/** Milliseconds until two seconds after the next midnight UTC, so that the clock of the replica shows the next day. */
const untilMidnight = (): number => DAY_MS - (Date.now() % DAY_MS) + 2000;

/** The faults of processes and connections. The simulation chooses one at a time. */
export const troubles: readonly Trouble[] = [
  [
    'kill -9 of a replica',
    async (system, random) => {
      const index = some(random, 3);
      await system.replicas[index]?.service.stop('SIGKILL');
      await sleep(random() * 1000);
      await system.restart(index);
    },
  ],
  [
    'SIGTERM of a replica',
    async (system, random) => {
      const index = some(random, 3);
      const exit = await timedStop((system.replicas[index] as Replica).service);
      // The exit code does not matter. It is 1 if the service gives up waiting for another part that is unreachable.
      if (exit.signal !== null || exit.ms > 10_000) system.faults.push(`SIGTERM: ${JSON.stringify(exit)}`);
      await system.restart(index);
    },
  ],
  [
    'kill -9 of PostgreSQL',
    async ({ postgres }, random) => {
      await postgres.kill();
      await sleep(random() * 1500);
      await postgres.run();
    },
  ],
  ['cut of PostgreSQL', async ({ postgres }) => void (await postgres.cut())],
  [
    'frozen line to PostgreSQL',
    async ({ lines }, random) => {
      const line = lines[some(random, lines.length)];
      line?.freeze();
      await lasting(random);
      line?.thaw();
    },
  ],
  [
    'slow line to PostgreSQL',
    async ({ lines }, random) => {
      const line = lines[some(random, lines.length)];
      line?.slow(50 + random() * 100);
      await lasting(random);
      line?.slow(0);
    },
  ],
  [
    'restart of Redis',
    async ({ redis }, random) => {
      await redis.kill();
      await lasting(random);
      await redis.run();
    },
  ],
  [
    'frozen Redis',
    async ({ redis }, random) => {
      redis.freeze();
      await lasting(random);
      redis.thaw();
    },
  ],
  clockJump('clock an hour ahead', () => HOUR_MS),
  clockJump('clock an hour behind', () => -HOUR_MS),
  clockJump('midnight at one replica', untilMidnight),
  [
    'replayed and forged webhooks',
    async ({ replicas, chain }, random) => {
      const { url } = replicas[some(random, replicas.length)] as (typeof replicas)[number];
      const body = JSON.stringify({ event: { data: { block: { logs: [{ account: { address: chain.contract } }] } } } });
      const signature = createHmac('sha256', SIGNING_KEY).update(body).digest('hex');
      const send = (signed: string) =>
        fetch(`${url}/webhooks/chain`, { method: 'POST', body, headers: { 'x-alchemy-signature': signed } }).then((response) =>
          response.arrayBuffer(),
        );
      await Promise.allSettled(Array.from({ length: 300 }, (_, i) => send(i % 3 === 0 ? 'f'.repeat(64) : signature)));
    },
  ],
];

/**
 * Makes one of the two RPC URLs fail for a while, or lose logs, each at most once. It runs in parallel with the faults in
 * `troubles`. Returns the name of the fault.
 */
export async function troubleChain({ relays }: System, random: () => number): Promise<string> {
  const relay = relays[some(random, 2)] ?? relays[0];
  const dice = some(random, FAULTS.length + 1);
  const fault = FAULTS[dice];
  if (fault !== undefined) await relay.turn(fault);
  else {
    const seen = new Set<string>();
    relay.omits = ({ transactionHash }) => {
      const isNew = !seen.has(String(transactionHash));
      seen.add(String(transactionHash));
      return isNew;
    };
  }
  await lasting(random, 4000);
  relay.omits = undefined;
  await relay.turn(undefined);
  return fault ?? 'loses logs once';
}
