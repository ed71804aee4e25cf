import { setTimeout as sleep } from 'node:timers/promises';
import { type TestChain, testChain } from '../../../support/chain/chain.js';
import { FaultyLine } from '../../../support/chain/faulty-line.js';
import { Relay } from '../../../support/chain/relay.js';
import { freePort } from '../../../support/servers/ports.js';
import { PostgresServer } from '../../../support/servers/postgres.js';
import { RedisServer } from '../../../support/servers/redis.js';
import { type Running, run } from '../../../support/service/process.js';
import { ClockFile } from './clock-file.js';
import { replicaEnv } from './replicas.js';

export const SIGNING_KEY = 'a-signing-key-of-the-fault-tests';

export type Replica = {
  readonly url: string;
  readonly clock: ClockFile;
  readonly line: FaultyLine;
  service: Running;
  restarts: number;
};

/** Three replicas, each over a separate faulty line to the database, with Redis and two RPC URLs. Tests make each part fail. */
export class System {
  readonly lines: FaultyLine[] = [];
  /** What the service did wrong: the output of starts that failed, and stops by SIGTERM that took too long. Tests expect none. */
  readonly faults: string[] = [];
  /** The streaming replica of `postgres`, for the next failover. */
  standby: PostgresServer | undefined;

  private constructor(
    readonly chain: TestChain,
    public postgres: PostgresServer,
    readonly redis: RedisServer,
    readonly relays: readonly [Relay, Relay],
    readonly replicas: Replica[],
  ) {}

  static async start(seed: number): Promise<System> {
    const chain = await testChain();
    await chain.resetToRealTime();
    const postgres = await PostgresServer.start();
    const relays = [await Relay.start(chain.rpcUrl, seed), await Relay.start(chain.rpcUrl, seed + 1)] as const;
    const system = new System(chain, postgres, await RedisServer.start(), [...relays], []);
    for (let i = 0; i < 3; i++) await system.#add();
    system.standby = await postgres.standby();
    return system;
  }

  async #add(): Promise<void> {
    const [line, clock, port] = [await FaultyLine.to(this.postgres.url), new ClockFile(), await freePort()];
    const env = {
      ...replicaEnv({ ...this.chain, rpcUrl: this.relays.map(({ url }) => url).join(',') }),
      ...clock.env,
      PORT: String(port),
      DATABASE_URL: line.url,
      REDIS_URL: this.redis.url,
      WEBHOOK_SIGNING_KEY: SIGNING_KEY,
      SECRET_KEY: 'a secret key of the tests, long enough',
    };
    this.lines.push(line);
    const service = run({ env });
    await service.ready();
    this.replicas.push({ url: service.url, clock, line, service, restarts: 0 });
    this.#environments.push(env);
  }
  /** The environment of each replica, for its restart. */
  readonly #environments: Record<string, string>[] = [];

  /**
   * Starts a replica again after it has ended. The start must succeed even if other parts fail. Otherwise, records it in `faults`,
   * and repeats it, so that the test can go on until it reports them.
   */
  async restart(index: number): Promise<void> {
    const replica = this.replicas[index] as Replica;
    for (let attempt = 0; attempt < 20; attempt++) {
      replica.service = run({ env: this.#environments[index] as Record<string, string> });
      const service = replica.service;
      const ready = await service.ready().then(
        () => true,
        () => false,
      );
      if (ready) {
        replica.restarts++;
        return;
      }
      this.faults.push(service.stderr.slice(0, 300));
      if (service.alive) await service.stop('SIGKILL');
      await sleep(500);
    }
    throw new Error(`replica ${index} does not start: ${this.faults.at(-1)}`);
  }

  /** Kills the primary server, makes its streaming replica the primary, and starts a new streaming replica. */
  async failOver(): Promise<void> {
    const [old, next] = [this.postgres, this.standby as PostgresServer];
    await old.replicated();
    await old.kill();
    await next.promote();
    this.postgres = next;
    for (const line of this.lines) line.redirect(next.url);
    this.standby = await next.standby();
    await old.stop();
  }

  /** Ends every injected fault that still lasts. `turn(undefined)` lets a relay forward everything again. */
  async heal(): Promise<void> {
    this.redis.thaw();
    for (const line of this.lines) {
      line.thaw();
      line.slow(0);
    }
    for (const relay of this.relays) {
      relay.omits = undefined;
      await relay.turn(undefined);
    }
    for (const { clock, service } of this.replicas) await clock.jump(service, 0);
  }

  async stop(): Promise<void> {
    for (const line of this.lines) await line.close();
    for (const relay of this.relays) await relay.stop();
    await this.redis.stop();
    await this.standby?.stop();
    await this.postgres.stop();
  }
}
