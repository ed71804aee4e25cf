import { createPostgreSqlTypeParsers } from '@mikro-orm/sql';
import { PostgresDialect, type PostgresPool } from 'kysely';
import pg, { type PoolClient, type PoolConfig, type QueryConfig, type QueryResult } from 'pg';
import type { Metrics } from '../../observe/metrics.js';
import { markOutage } from '../../observe/outage.js';
import type { Times } from '../../times.js';
import { Lease } from './lease.js';
import { parsers } from './parsers.js';
import { currentTimeouts, type Timeouts } from './timeouts.js';

/** Pool size per process. */
const MAX_CONNECTIONS = 20;
const MAX_WAITING = 1000;

const TEXT_ARRAY = 1009;

/** `refused`: number of statements since the start that got no connection. */
export type PoolState = Readonly<Record<'max' | 'used' | 'waiting' | 'refused', number>>;

/** `server`: what the metrics call it. `schema`: the search path, if not the server's default. @default primary */
export type PoolOptions = { readonly server?: string; readonly metrics?: Metrics; readonly schema?: string };

/**
 * Connections to a PostgreSQL server. Every wait for one has a timeout, and a lease closes a connection whose state is uncertain:
 * Kysely releases a connection only after a successful `commit` or `rollback`, so a lost one would keep its place.
 */
export class ConnectionPool {
  readonly #config: PoolConfig;
  #pool: pg.Pool;
  #refused = 0;
  readonly #timeouts = new WeakMap<PoolClient, Timeouts>();

  constructor(
    url: string,
    private readonly times: Times,
    private readonly settings: PoolOptions = {},
  ) {
    this.#config = {
      connectionString: url,
      types: typesOf(),
      ...(settings.schema && { options: `-c search_path=${settings.schema}` }),
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: times.databaseConnect,
      // Statements are prepared per connection. An idle connection keeps them for callers that return within minutes.
      idleTimeoutMillis: 120_000,
      // The system ends a connection whose other side is silent for 13 s, also during a statement that may take minutes.
      keepAlive: true,
      keepAliveInitialDelayMillis: 3000,
    };
    this.#pool = this.#open();
  }

  get state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { max: MAX_CONNECTIONS, used: totalCount - idleCount, waiting: waitingCount, refused: this.#refused };
  }

  /** Kysely reads the options of the pool. */
  get options(): object {
    return this.#config;
  }

  /** Replaces all connections. Those in use close when they are returned. */
  renew(): void {
    const old = this.#pool;
    this.#pool = this.#open();
    void old.end().catch(() => {});
  }

  /** Takes a connection and sets the timeouts of the current work. The caller releases it. */
  async connect(): Promise<Lease> {
    const pool = this.#pool;
    if (pool.waitingCount >= MAX_WAITING) throw this.#exhausted();
    const client = await pool.connect().catch((error: unknown) => {
      throw pool.totalCount < MAX_CONNECTIONS ? markOutage(error, 'DATABASE_UNAVAILABLE') : this.#exhausted();
    });
    const { server = 'primary', metrics } = this.settings;
    const lease = new Lease(client, {
      times: this.times,
      timeouts: this.#timeouts,
      count: (labels, seconds) => metrics?.queries.observe({ server, ...labels }, seconds),
      // A firewall that drops one connection drops all, and those that are idle would each be found by a failing request.
      onOverdue: () => {
        if (this.#pool === pool) this.renew();
      },
    });
    try {
      await lease.setTimeouts(currentTimeouts());
      return lease;
    } catch (error) {
      lease.discard();
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

  #open(): pg.Pool {
    const pool = new pg.Pool(this.#config);
    // A lost connection shows in its next statement, and pg's pool drops it if it is idle. Without listeners, the process would end.
    pool.on('error', () => {});
    pool.on('connect', (client) => void client.on('error', () => {}));
    return pool;
  }

  #exhausted(): Error {
    this.#refused++;
    return markOutage(new Error('all connections to the database are taken'), 'DATABASE_BUSY');
  }
}

export class PooledDialect extends PostgresDialect {
  constructor(readonly pool: ConnectionPool) {
    super({ pool: pool as unknown as PostgresPool });
  }
}

/** MikroORM needs all types of times except timestamptz as text, and parses the text itself. */
function typesOf(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  const all = { ...createPostgreSqlTypeParsers(pg.types.getTypeParser(TEXT_ARRAY as never)), ...parsers };
  for (const [oid, parser] of Object.entries(all)) types.setTypeParser(Number(oid), parser);
  return types;
}
