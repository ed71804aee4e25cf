import pg, { type ClientBase, type PoolConfig } from 'pg';

/** Calls `onLost` when the backend does not run its statement any more. Returns a function that ends the watch. */
export type Watch = (backend: number, onLost: () => void) => () => void;

/** Statements with a shorter timeout are not watched. */
export const WATCHED_ABOVE_MS = 15_000;

/** Pause between two checks. */
const PAUSE_MS = 4000;
/** Timeout of one check: a new connection and its answer. */
const CHECK_MS = 3000;
/**
 * Number of failed checks in a row before the connection counts as lost. After one failed check, an answer may still be
 * on its way.
 */
const FAILED_CHECKS = 2;

/**
 * Detects a frozen connection during a statement that may take minutes: a second connection asks the server whether the
 * statement still runs. Detection takes at most `FAILED_CHECKS * (PAUSE_MS + CHECK_MS)`.
 */
export function statementWatch(config: PoolConfig): Watch {
  return (backend, onLost) => {
    let failedChecks = 0;
    let ended = false;
    let timer = setTimeout(check, PAUSE_MS);
    async function check() {
      const running = await isRunning(config, backend);
      if (ended) return;
      failedChecks = running ? 0 : failedChecks + 1;
      if (failedChecks === FAILED_CHECKS) onLost();
      else timer = setTimeout(check, PAUSE_MS);
    }
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  };
}

async function isRunning(config: PoolConfig, backend: number): Promise<boolean> {
  const { connectionString } = config;
  const client = new pg.Client({ connectionString, application_name: 'curvet watch', query_timeout: CHECK_MS });
  client.on('error', () => {});
  // Closing the socket makes a hanging query fail.
  const timer = setTimeout(() => closeSocket(client), CHECK_MS);
  try {
    await client.connect();
    const { rows } = await client.query('select state from pg_stat_activity where pid = $1', [backend]);
    return rows[0]?.state === 'active';
  } catch (error) {
    // SQLSTATE 53xxx: the server is alive but has no free connection.
    return error instanceof pg.DatabaseError && error.code?.startsWith('53') === true;
  } finally {
    clearTimeout(timer);
    void endWithin(client, CHECK_MS);
  }
}

/** Ends a connection. A frozen connection never confirms its end, so its socket is closed after the timeout. */
export async function endWithin(client: ClientBase & { end(): Promise<void> }, milliseconds: number): Promise<void> {
  const timer = setTimeout(() => closeSocket(client), milliseconds);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

/** Closes the socket without asking the server, which may not answer. */
export function closeSocket(client: ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
