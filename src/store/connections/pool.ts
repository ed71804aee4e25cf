import { createPostgreSqlTypeParsers } from '@mikro-orm/sql';
import { PostgresDialect, type PostgresPool } from 'kysely';
import pg, { type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import type { Times } from '../../config/timeouts.js';
import { markOutage } from '../../observe/database-errors.js';
import type { Metrics } from '../../observe/metrics.js';
import { Lease } from './lease.js';
import { parsers } from './parsers.js';
import { currentTimeouts, type StatementTimeouts } from './timeouts.js';

/** Maximum number of connections of a pool. A process has a pool for each server. */
const MAX_CONNECTIONS = 20;
/** Maximum number of callers that wait for a connection. More callers are refused immediately. */
const MAX_WAITING = 1000;

/** Message of pg's pool if no connection was returned in time. */
const ALL_TAKEN = 'timeout exceeded when trying to connect';

/** Type id (OID) of text[]. */
const TEXT_ARRAY = 1009;

/** `refused` is the number of statements since the start that got no connection. */
export type PoolState = Readonly<Record<'max' | 'used' | 'waiting' | 'refused', number>>;

export type PoolOptions = {
  /** Name of the server in the metrics. @default primary */
  readonly server?: string;
  readonly metrics?: Metrics;
  /** The search path. @default that of the server */
  readonly schema?: string;
};

/**
 * Connections to a PostgreSQL server. Every wait for a connection has a timeout. A lease closes a connection whose state is
 * uncertain: Kysely releases a connection only after a successful `commit` or `rollback`, so a lost connection would occupy its
 * place for ever.
 */
export class ConnectionPool {
  readonly #pool: pg.Pool;
  readonly #timeouts = new WeakMap<PoolClient, StatementTimeouts>();
  /** For each connection, the value of `#renewals` when it was opened. */
  readonly #renewalsBefore = new WeakMap<PoolClient, number>();
  #renewals = 0;
  #refused = 0;

  constructor(
    url: string,
    private readonly times: Times,
    private readonly settings: PoolOptions = {},
  ) {
    this.#pool = new pg.Pool({
      connectionString: url,
      types: typesOf(),
      ...(settings.schema && { options: `-c search_path=${settings.schema}` }),
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: times.databaseConnect,
      // Statements are prepared per connection, so idle connections stay open for callers that return within minutes.
      idleTimeoutMillis: 120_000,
      // TCP ends a connection whose other side is silent for 13 s while a statement runs, however long its timeout is: 3 s, and
      // then ten probes of 1 s.
      keepAlive: true,
      keepAliveInitialDelayMillis: 3000,
    });
    // Without these listeners, an error of a connection would end the process. They can ignore it: the next statement fails, and
    // pg's pool drops a lost connection that is idle.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      this.#renewalsBefore.set(client, this.#renewals);
    });
  }

  get state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { max: MAX_CONNECTIONS, used: totalCount - idleCount, waiting: waitingCount, refused: this.#refused };
  }

  /** Options of pg's pool. Kysely reads this property. */
  get options(): object {
    return this.#pool.options;
  }

  /**
   * Replaces all connections before their next use: a session keeps settings that the database had when it was opened, such as
   * being read-only.
   */
  renew(): void {
    this.#renewals++;
  }

  /** Takes a connection and sets the timeouts of the current work. The caller releases it. */
  async connect(): Promise<Lease> {
    const client = await this.#client().catch((error: Error) => {
      throw error.message === ALL_TAKEN ? this.#exhausted() : markOutage(error, 'DATABASE_UNAVAILABLE');
    });
    const { server = 'primary', metrics } = this.settings;
    const lease = new Lease(client, {
      times: this.times,
      timeouts: this.#timeouts,
      count: (labels, seconds) => metrics?.queries.observe({ server, ...labels }, seconds),
      // A firewall that drops one connection drops all. Without `renew`, each idle connection would make a request fail.
      onOverdue: () => {
        if (this.#isCurrent(client)) this.renew();
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

  /** Takes a connection that was opened after the last call of `renew`. Closes older connections. */
  async #client(): Promise<PoolClient> {
    for (;;) {
      if (this.#pool.waitingCount >= MAX_WAITING) throw this.#exhausted();
      const client = await this.#pool.connect();
      if (this.#isCurrent(client)) return client;
      client.release(true);
    }
  }

  #isCurrent(client: PoolClient): boolean {
    return this.#renewalsBefore.get(client) === this.#renewals;
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

/** Parsers of types. MikroORM needs times of all types except timestamptz as text, and parses the text itself. */
function typesOf(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  const all = { ...createPostgreSqlTypeParsers(pg.types.getTypeParser(TEXT_ARRAY as never)), ...parsers };
  for (const [oid, parser] of Object.entries(all)) types.setTypeParser(Number(oid), parser);
  return types;
}
