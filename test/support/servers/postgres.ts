import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { HANG_MS } from '../hang.js';
import { eventually } from '../service/process.js';
import { freePort } from './ports.js';

/**
 * The directory with `initdb` and `postgres`: the newest version in the packages of Debian,
 * or one on the PATH. undefined if there is none.
 */
export function postgresPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(delimiter)];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/**
 * The user that runs PostgreSQL if this process is root, because PostgreSQL refuses to run as root: `postgres` of its package, or
 * `nobody`. undefined if this process is not root.
 */
export function account(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string, user: string) => {
    const { status, stdout } = spawnSync('id', [flag, user], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : undefined;
  };
  const user = idOf('-u', 'postgres') === undefined ? 'nobody' : 'postgres';
  return { uid: Number(idOf('-u', user)), gid: Number(idOf('-g', user)) };
}

/** Makes the user of the server (`account`) the owner of a path. */
export function give(path: string): string {
  const user = account();
  if (user) chownSync(path, user.uid, user.gid);
  return path;
}

/** A new directory whose owner is the user of the server. */
export const ownDirectory = (): string => give(mkdtempSync(join(tmpdir(), 'curvet-postgres-')));

/** The path of a program of PostgreSQL. Throws if PostgreSQL is not installed. */
function programOf(name: string): string {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('initdb and postgres are not installed');
  return join(programs, name);
}

/** Runs a program of PostgreSQL in a directory, as the user of the server. */
export function callProgram(directory: string, name: string, ...args: readonly string[]): void {
  execFileSync(programOf(name), args, { stdio: 'ignore', cwd: directory, timeout: HANG_MS, ...account() });
}

/** A private PostgreSQL server on a free loopback port. A test can kill and restart it. */
export class PostgresServer {
  #process: ChildProcess | undefined;

  private constructor(
    private readonly directory: string,
    readonly port: number,
  ) {}

  /** Starts a server with its data in this directory. @default a new directory, which `stop` deletes */
  static async start(directory = ownDirectory()): Promise<PostgresServer> {
    const access = ['-U', 'postgres', '-A', 'trust'];
    callProgram(directory, 'initdb', '-D', join(directory, 'data'), ...access, '--no-sync', '-E', 'UTF8');
    const server = new PostgresServer(directory, await freePort());
    await server.run();
    return server;
  }

  /** Starts a streaming replica of this server. From then on, commits of this server wait for the replica. */
  async standby(): Promise<PostgresServer> {
    const directory = ownDirectory();
    const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres'];
    const how = ['-D', join(directory, 'data'), '--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
    callProgram(directory, 'pg_basebackup', ...from, ...how);
    const replica = new PostgresServer(directory, await freePort());
    await replica.run();
    await this.query("alter system set synchronous_standby_names = '*'");
    await this.query('select pg_reload_conf()');
    await this.replicated();
    return replica;
  }

  /**
   * Waits until the streaming replica has every commit that is visible now, and later commits wait for it. After a crash or a cut
   * of this server, commits can be visible that did not wait for the replica.
   */
  async replicated(): Promise<void> {
    const [now] = await this.query<{ lsn: string }>('select pg_current_wal_flush_lsn() as lsn');
    const caughtUp = `select from pg_stat_replication where sync_state = 'sync' and flush_lsn >= $1`;
    await eventually(async () => (await this.query(caughtUp, [now?.lsn])).length > 0, 'the replica does not catch up');
  }

  /** Makes this streaming replica the primary server. */
  async promote(): Promise<void> {
    await this.query('select pg_promote(true, $1)', [HANG_MS / 1000]);
  }

  get url(): string {
    return `postgresql://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Starts the server and waits until it accepts connections. */
  async run(): Promise<void> {
    // Without `fsync`, a server is faster. Killing its processes loses nothing that they have written, only a crash of the machine
    // would.
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200', 'fsync=off'];
    const server = spawn(
      programOf('postgres'),
      ['-D', join(this.directory, 'data'), '-p', String(this.port), ...settings.flatMap((setting) => ['-c', setting])],
      { stdio: 'ignore', cwd: this.directory, ...account() },
    );
    this.#process = server;
    let refusal: unknown;
    const answers = () =>
      this.query('select 1').then(
        () => true,
        (error: unknown) => {
          refusal = error;
          if (server.exitCode !== null || server.signalCode !== null) throw new Error(`postgres has exited: ${refusal}`);
          return false;
        },
      );
    await eventually(answers, () => `PostgreSQL does not answer: ${refusal}`);
  }

  /** Kills the postmaster and all its child processes together, as a crash of the machine does. */
  async kill(): Promise<void> {
    const server = this.#process;
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    const children = childrenOf(server.pid);
    server.kill('SIGKILL');
    for (const pid of children) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has already exited.
      }
    }
    await exited;
    // A new postmaster refuses to start while a process of the previous postmaster holds the shared memory.
    const isLeft = (pid: number) => existsSync(`/proc/${pid}/stat`) && !isZombie(pid);
    await eventually(() => !children.some(isLeft), 'a process of PostgreSQL does not end');
  }

  /** Terminates all other client connections and returns their number. */
  async cut(): Promise<number> {
    const rows = await this.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    return rows.length;
  }

  /** Runs a query on a new connection. */
  query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return queryAt(this.url, text, values);
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Runs one query on a new connection, and closes the connection. */
export async function queryAt<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: HANG_MS, query_timeout: HANG_MS });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}

function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}
