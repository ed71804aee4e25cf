import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Timeouts of work on a PostgreSQL server. The server enforces `statementMs`, `lockMs` and `idleMs`, and this process enforces
 * `answerMs`.
 */
export type StatementTimeouts = {
  /** statement_timeout: the server ends a statement that takes longer. */
  readonly statementMs: number;
  /** lock_timeout: the server ends a statement that waits longer for a lock. */
  readonly lockMs: number;
  /** True if TIMEOUT_FACTOR does not lengthen `lockMs`. */
  readonly isLockFixed?: boolean;
  /** idle_in_transaction_session_timeout: the server rolls back if this process pauses within a transaction. */
  readonly idleMs: number;
  /** Timeout of the answer in this process. It is longer than `statementMs`, so that a server that is alive answers first. */
  readonly answerMs: number;
};

/** Timeouts of requests, which are the default. */
export const REQUEST: StatementTimeouts = { statementMs: 5000, lockMs: 4000, idleMs: 5000, answerMs: 6000 };

/** Timeouts of the indexer and of a rebuild, which apply up to 20,000 facts in one transaction. */
export const INDEX: StatementTimeouts = { statementMs: 30_000, lockMs: 10_000, idleMs: 15_000, answerMs: 32_000 };

/**
 * Timeouts of scoring and of adopting a rebuild, which read all trades in consecutive statements. Both lock tables, so
 * the idle timeout is short: an idle transaction means that this process or its connection is dead.
 */
export const JOB: StatementTimeouts = { statementMs: 600_000, lockMs: 60_000, idleMs: 10_000, answerMs: 610_000 };

/**
 * Timeouts of migrations. A statement may build an index over all rows. The idle timeout is short, because the migration lock
 * blocks other replicas. Requests queue behind a migration that waits for a lock. So its wait (`lockMs`) is shorter than that of
 * requests, and shorter than the server's deadlock_timeout of 1 s: the migration is rolled back and repeated, and no request fails.
 */
export const MIGRATION: StatementTimeouts = {
  statementMs: 1_800_000,
  lockMs: 500,
  isLockFixed: true,
  idleMs: 10_000,
  answerMs: 1_810_000,
};

/** The timeouts for a slow machine: `factor` (TIMEOUT_FACTOR) times as long. */
export const multiplied = (timeouts: StatementTimeouts, factor: number): StatementTimeouts => ({
  ...timeouts,
  statementMs: timeouts.statementMs * factor,
  lockMs: timeouts.isLockFixed ? timeouts.lockMs : timeouts.lockMs * factor,
  idleMs: timeouts.idleMs * factor,
  answerMs: timeouts.answerMs * factor,
});

/**
 * TCP keepalives end a silent connection after some seconds, so that a vanished machine does not keep its locks. `tcp_user_timeout`
 * does the same for a connection with unacknowledged data. PostgreSQL 14 and newer also check the connection during a statement.
 * JIT compilation is off: for a large statement it takes up to 0.4 s, which is longer than it saves.
 */
export const SESSION_SETTINGS = `set tcp_keepalives_idle = 3; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2;
set tcp_user_timeout = 10000; set jit = off;
select set_config(name, '5000', false) from pg_settings where name = 'client_connection_check_interval'; `;

const storage = new AsyncLocalStorage<StatementTimeouts>();

/** Runs work. Connections that it takes from the pool get these timeouts. */
export const withTimeouts = <T>(timeouts: StatementTimeouts, work: () => T): T => storage.run(timeouts, work);

export const currentTimeouts = (): StatementTimeouts => storage.getStore() ?? REQUEST;
