import pg, { type ClientBase, type PoolConfig } from 'pg';

/** Calls `lost` when the server no longer runs the statement that this backend was sent. Gives how to end the watch. */
export type Watch = (backend: number, lost: () => void) => () => void;

/** Statements with a shorter limit are given up by that limit soon enough. */
export const WATCHED_ABOVE_MS = 15_000;

/** The time between two looks. */
const PAUSE_MS = 4000;
/** One look: a new connection and its answer. */
const LOOK_MS = 3000;
/** An answer may be on its way at one look. */
const LOOKS = 2;

/**
 * A statement that may take minutes says nothing about a line that has frozen. So a new connection asks the server
 * whether it still runs the statement. A dead line is found within `LOOKS * (PAUSE_MS + LOOK_MS)`.
 */
export function watchOver(config: PoolConfig): Watch {
  return (backend, lost) => {
    let missing = 0;
    let ended = false;
    let timer = setTimeout(look, PAUSE_MS);
    async function look() {
      const running = await isRunning(config, backend);
      if (ended) return;
      missing = running ? 0 : missing + 1;
      if (missing === LOOKS) lost();
      else timer = setTimeout(look, PAUSE_MS);
    }
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  };
}

async function isRunning(config: PoolConfig, backend: number): Promise<boolean> {
  const { connectionString } = config;
  const client = new pg.Client({ connectionString, application_name: 'curvet watch', query_timeout: LOOK_MS });
  client.on('error', () => {});
  // Closing the socket has whatever hangs fail.
  const timer = setTimeout(() => destroy(client), LOOK_MS);
  try {
    await client.connect();
    const { rows } = await client.query('select state from pg_stat_activity where pid = $1', [backend]);
    return rows[0]?.state === 'active';
  } catch (error) {
    // A server without room for one more connection is alive.
    return error instanceof pg.DatabaseError && error.code?.startsWith('53') === true;
  } finally {
    clearTimeout(timer);
    void endWithin(client, LOOK_MS);
  }
}

/** Ends a connection. A line that has frozen never says that it has ended: then the socket is closed after the limit. */
export async function endWithin(client: ClientBase & { end(): Promise<void> }, milliseconds: number): Promise<void> {
  const timer = setTimeout(() => destroy(client), milliseconds);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

/** Closes the socket without asking the server, which may never answer. */
export function destroy(client: ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
