import pg, { type ClientBase, type PoolClient, type PoolConfig, type QueryConfig, type QueryResult } from 'pg';
import type { Metrics } from '../../observe/metrics.js';
import { markOutage } from '../../observe/outage.js';
import type { Times } from '../../times.js';
import { Lease, type LeaseOptions, type Session } from './lease.js';
import { statementWatch } from './statement-watch.js';
import { currentTimeouts } from './timeouts.js';

/** Pool size per process. */
const MAX_CONNECTIONS = 20;
const MAX_WAITING = 1000;

/** `refused`: number of statements since the start that got no connection. */
export type PoolState = Readonly<Record<'max' | 'used' | 'waiting' | 'refused', number>>;

/** `server`: what the metrics call it. @default primary */
export type PoolOptions = { readonly server?: string; readonly metrics?: Metrics };

/**
 * Pool of connections to a PostgreSQL server. pg's own pool waits without a timeout, and Kysely releases a connection only
 * after a successful `commit` or `rollback`, so a transaction that loses its connection would leak the slot. Here a lost
 * connection frees its slot, and every wait has a timeout.
 */
export class ConnectionPool {
  readonly #pool: pg.Pool;
  readonly #leases: LeaseOptions;
  readonly #sessions = new WeakMap<ClientBase, Session>();
  #taken = 0;
  #refused = 0;
  #waiting: (() => void)[] = [];
  /** Time when a connection was last taken or returned. */
  #changedAt = 0;
  /** Increases with `renew`, and when a connection is found frozen. Connections of an older generation are closed before use. */
  #generation = 0;

  constructor(
    config: PoolConfig,
    private readonly times: Times,
    { server = 'primary', metrics }: PoolOptions = {},
  ) {
    this.#leases = {
      onRelease: (frozen) => this.#free(frozen),
      watch: statementWatch(config, times),
      times,
      count: (labels, seconds) => metrics?.queries.observe({ server, ...labels }, seconds),
    };
    this.#pool = new pg.Pool({
      ...config,
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: times.databaseConnect,
      // Statements are prepared per connection. An idle connection keeps them for callers that return within minutes.
      idleTimeoutMillis: 120_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 3000,
    });
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      const session: Session = { generation: this.#generation, lost: false };
      this.#sessions.set(client, session);
      const lost = () => {
        session.lost = true;
        session.lease?.discard();
      };
      client.on('error', lost);
      client.on('end', lost);
    });
  }

  get state(): PoolState {
    return { max: MAX_CONNECTIONS, used: this.#taken, waiting: this.#waiting.length, refused: this.#refused };
  }

  /** Replaces all connections before their next use: a session keeps settings that the database had when it was opened. */
  renew(): void {
    this.#generation++;
  }

  /** Kysely reads the options of the pool. */
  get options(): object {
    return this.#pool.options;
  }

  /** Takes a connection and sets the timeouts of the current work. The caller releases it. */
  async connect(): Promise<Lease> {
    const timeouts = currentTimeouts();
    await this.#slot();
    let lease: Lease | undefined;
    try {
      const client = await this.#client();
      const session = this.#sessions.get(client) as Session;
      lease = new Lease(client, session, this.#leases);
      await lease.setTimeouts(timeouts);
      return lease;
    } catch (error) {
      if (lease) lease.discard();
      else this.#free(false);
      throw markOutage(error, 'DATABASE_UNAVAILABLE');
    }
  }

  async query<Row extends object>(query: QueryConfig): Promise<QueryResult<Row>> {
    const lease = await this.connect();
    try {
      return await lease.query<Row>(query);
    } finally {
      lease.release();
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  /** A usable connection. Lost connections and those of an older generation are closed. */
  async #client(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      const session = this.#sessions.get(client);
      if (session && !session.lost && session.generation === this.#generation) return client;
      client.release(true);
    }
  }

  #slot(): Promise<void> | void {
    if (this.#taken < MAX_CONNECTIONS) return this.#take();
    if (this.#waiting.length >= MAX_WAITING || this.#stalled()) throw this.#exhausted();
    return new Promise((resolve, reject) => {
      const since = this.times.now();
      const turn = () => {
        cancel();
        resolve();
      };
      const checkAgain = () => {
        const remainingMs = this.times.databaseWait - (this.times.now() - since);
        if (!this.#stalled() && remainingMs > 0) {
          cancel = this.times.after(Math.min(this.times.databaseStall / 2, remainingMs), checkAgain);
          return;
        }
        this.#waiting = this.#waiting.filter((waiter) => waiter !== turn);
        reject(this.#exhausted());
      };
      let cancel = this.times.after(this.times.databaseStall, checkAgain);
      this.#waiting.push(turn);
    });
  }

  #take(): void {
    this.#taken++;
    this.#changedAt = this.times.now();
  }

  #free(frozen: boolean): void {
    if (frozen) this.renew();
    this.#taken--;
    this.#changedAt = this.times.now();
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#take();
    next();
  }

  #exhausted(): Error {
    this.#refused++;
    return markOutage(new Error('all connections to the database are taken'), 'DATABASE_BUSY');
  }

  #stalled(): boolean {
    return this.#taken >= MAX_CONNECTIONS && this.times.now() - this.#changedAt >= this.times.databaseStall;
  }
}
