import type { QueryConfig, QueryResult } from 'pg';
import type { Lease } from './lease.js';
import type { ConnectionPool, PoolState } from './pool.js';
import { currentTimeouts, REQUEST } from './timeouts.js';

/** What queries and transactions use of a pool. */
export type Pool = Pick<ConnectionPool, 'state' | 'options' | 'connect' | 'query' | 'end'>;

/**
 * Two pools of one database. Work with the timeouts of requests goes through a pooler in transaction mode, whose sessions have
 * these timeouts. Jobs, migrations and large ranges of the index have other timeouts, which they set in sessions of the server.
 */
export class RoutedPool implements Pool {
  constructor(
    readonly server: ConnectionPool,
    readonly pooler: ConnectionPool,
  ) {}

  /** State of the pool of requests. */
  get state(): PoolState {
    return this.pooler.state;
  }

  get options(): object {
    return this.server.options;
  }

  connect(): Promise<Lease> {
    return this.#current().connect();
  }

  query<Row extends object>(query: QueryConfig): Promise<QueryResult<Row>> {
    return this.#current().query<Row>(query);
  }

  async end(): Promise<void> {
    await Promise.all([this.server.end(), this.pooler.end()]);
  }

  #current(): ConnectionPool {
    return currentTimeouts() === REQUEST ? this.pooler : this.server;
  }
}
