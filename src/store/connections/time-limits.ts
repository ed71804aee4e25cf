import { AsyncLocalStorage } from 'node:async_hooks';

/** How long work on a PostgreSQL server may take. The server keeps the first three, this process the last. */
export type TimeLimits = {
  /** One statement. */
  readonly statementMs: number;
  /** One wait for a lock. */
  readonly lockMs: number;
  /** A pause of this process within a transaction, after which the server rolls it back. */
  readonly idleMs: number;
  /** One answer, after which the connection counts as dead. Above `statementMs`, so that a live server answers first. */
  readonly answerMs: number;
};

/** For requests, and for everything that states no limits of its own. */
export const REQUEST: TimeLimits = { statementMs: 5000, lockMs: 4000, idleMs: 5000, answerMs: 6000 };

/** For the indexer and a rebuild, which apply up to 20,000 facts in one transaction. */
export const INDEX: TimeLimits = { statementMs: 30_000, lockMs: 10_000, idleMs: 15_000, answerMs: 32_000 };

/**
 * For scoring and for adopting a rebuild, which read all trades in statements one after the other. They lock tables, so
 * that a pause means that this process or the line to it is dead.
 */
export const JOB: TimeLimits = { statementMs: 600_000, lockMs: 60_000, idleMs: 10_000, answerMs: 610_000 };

/** For migrations: a statement may build an index over all rows. The transaction holds the lock of migrations, so that a pause is short. */
export const MIGRATION: TimeLimits = {
  statementMs: 1_800_000,
  lockMs: 1_800_000,
  idleMs: 10_000,
  answerMs: 1_810_000,
};

/**
 * The server probes a connection that falls silent and ends it within some seconds without an answer, so that a machine
 * that vanished in the middle of a transaction does not keep its locks. `tcp_user_timeout` is for data that nobody takes;
 * PostgreSQL 14 and newer also look for an end of the connection while a statement runs.
 */
export const PROBES = `set tcp_keepalives_idle = 3; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2;
set tcp_user_timeout = 10000;
select set_config(name, '5000', false) from pg_settings where name = 'client_connection_check_interval'; `;

const chosen = new AsyncLocalStorage<TimeLimits>();

/** Runs work whose connections get these limits. */
export const withLimits = <T>(limits: TimeLimits, work: () => T): T => chosen.run(limits, work);

/** The limits of the work that asks for a connection. */
export const limitsOfWork = (): TimeLimits => chosen.getStore() ?? REQUEST;
