import pg, { type ClientBase, type PoolClient, type PoolConfig, type QueryConfig, type QueryResult } from 'pg';
import { markOutage } from '../../outage.js';
import { Lease, type Session } from './lease.js';
import { limitsOfWork } from './time-limits.js';
import { type Watch, watchOver } from './watch.js';

/** Connections of one process. */
const MOST_CONNECTIONS = 20;
/** To connect and to be ready for the first statement. */
const CONNECT_MS = 3000;
/** While all connections are taken, a caller waits for one at most this long, ... */
const WAIT_MS = 900;
/** ... and no longer than this if none is given back meanwhile: then the pool is exhausted. */
const STALL_MS = 500;
const MOST_WAITING = 1000;

type Waiter = () => void;

/**
 * The connections to a PostgreSQL server. pg's own pool waits without a limit, and Kysely gives a connection back only
 * after a `commit` or `rollback` that succeeded: each transaction that loses its connection would keep a slot for ever.
 * Here a connection that is lost frees its slot by itself, and every wait has a limit.
 */
export class ConnectionPool {
  readonly #pool: pg.Pool;
  readonly #watch: Watch;
  readonly #sessions = new WeakMap<ClientBase, Session>();
  #taken = 0;
  #waiting: Waiter[] = [];
  /** When a connection was last taken or given back. */
  #movedAt = 0;
  /** Raised when a connection is found frozen: those that were made before are not trusted any more. */
  #generation = 0;

  constructor(config: PoolConfig) {
    this.#watch = watchOver(config);
    this.#pool = new pg.Pool({
      ...config,
      max: MOST_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      // Statements are prepared and planned per connection: a caller that returns within minutes finds them prepared.
      idleTimeoutMillis: 120_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 3000,
    });
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      const session: Session = {
        generation: this.#generation,
        limits: undefined,
        lost: false,
        backend: undefined,
        lease: undefined,
      };
      this.#sessions.set(client, session);
      const lost = () => {
        session.lost = true;
        session.lease?.discard();
      };
      client.on('error', lost);
      client.on('end', lost);
    });
  }

  /** What Kysely reads of a pool. */
  get options(): object {
    return this.#pool.options;
  }

  /** A connection with the limits of the work that asks. The caller releases it. */
  async connect(): Promise<Lease> {
    const limits = limitsOfWork();
    await this.#slot();
    let lease: Lease | undefined;
    try {
      const client = await this.#client();
      const session = this.#sessions.get(client) as Session;
      lease = new Lease(client, session, (frozen) => this.#free(frozen), this.#watch);
      await lease.adopt(limits, CONNECT_MS);
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

  /** A client that nothing speaks against; those that are lost or not trusted are closed. */
  async #client(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      const session = this.#sessions.get(client);
      if (session && !session.lost && session.generation === this.#generation) return client;
      client.release(true);
    }
  }

  #slot(): Promise<void> | void {
    if (this.#taken < MOST_CONNECTIONS) return this.#take();
    if (this.#waiting.length >= MOST_WAITING || this.#stalled()) throw exhausted();
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const turn = () => {
        clearTimeout(timer);
        resolve();
      };
      const look = () => {
        const left = WAIT_MS - (performance.now() - since);
        if (!this.#stalled() && left > 0) {
          timer = setTimeout(look, Math.min(STALL_MS / 2, left));
          return;
        }
        this.#waiting = this.#waiting.filter((waiter) => waiter !== turn);
        reject(exhausted());
      };
      let timer = setTimeout(look, STALL_MS);
      this.#waiting.push(turn);
    });
  }

  #take(): void {
    this.#taken++;
    this.#movedAt = performance.now();
  }

  #free(frozen: boolean): void {
    if (frozen) this.#generation++;
    this.#taken--;
    this.#movedAt = performance.now();
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#take();
    next();
  }

  #stalled(): boolean {
    return this.#taken >= MOST_CONNECTIONS && performance.now() - this.#movedAt >= STALL_MS;
  }
}

const exhausted = (): Error => markOutage(new Error('all connections to the database are taken'), 'DATABASE_BUSY');
