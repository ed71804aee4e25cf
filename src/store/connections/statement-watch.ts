import pg, { type ClientBase, type PoolConfig } from 'pg';
import type { Times } from '../../times.js';

/** Calls `onLost` when the backend does not run its statement any more. Returns a function that ends the watch. */
export type Watch = (backend: number, onLost: () => void) => () => void;

const PAUSE_MS = 4000;
/** Failed checks after which the connection counts as lost. After one, an answer may still be on its way. */
const FAILED_CHECKS = 2;

/**
 * Detects a frozen connection during a statement that may take minutes: a second connection asks the server whether the
 * statement still runs. Detection takes at most `FAILED_CHECKS` times the pause and the timeout of a check.
 */
export function statementWatch(config: PoolConfig, times: Times): Watch {
  return (backend, onLost) => {
    let failedChecks = 0;
    let ended = false;
    let cancel = times.after(PAUSE_MS, check);
    async function check() {
      const running = await isRunning(config, backend, times);
      if (ended) return;
      failedChecks = running ? 0 : failedChecks + 1;
      if (failedChecks === FAILED_CHECKS) onLost();
      else cancel = times.after(PAUSE_MS, check);
    }
    return () => {
      ended = true;
      cancel();
    };
  };
}

async function isRunning(config: PoolConfig, backend: number, times: Times): Promise<boolean> {
  const { connectionString } = config;
  const timeout = times.statementCheck;
  const client = new pg.Client({ connectionString, application_name: 'curvet watch', query_timeout: timeout });
  client.on('error', () => {});
  // Closing the socket makes a hanging query fail.
  const cancel = times.after(timeout, () => closeSocket(client));
  try {
    await client.connect();
    const { rows } = await client.query('select state from pg_stat_activity where pid = $1', [backend]);
    return rows[0]?.state === 'active';
  } catch (error) {
    // SQLSTATE 53xxx: the server is alive but has no free connection.
    return error instanceof pg.DatabaseError && error.code?.startsWith('53') === true;
  } finally {
    cancel();
    void endWithin(client, times, timeout);
  }
}

/** Ends a connection. A frozen connection never confirms its end, so its socket is closed after the timeout. */
export async function endWithin(
  client: ClientBase & { end(): Promise<void> },
  times: Times,
  milliseconds: number,
): Promise<void> {
  const cancel = times.after(milliseconds, () => closeSocket(client));
  await client.end().catch(() => {});
  cancel();
}

/** Closes the socket without asking the server, which may not answer. */
function closeSocket(client: ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
