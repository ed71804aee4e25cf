import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../faults/support/ports.js';
import { eventually, freshDirectory, root } from '../service/process.js';

export const hasPgBouncer = (): boolean => spawnSync('pgbouncer', ['--version']).status === 0;

/** The line of the database in the example. */
const DATABASE = /^curvet = host=127\.0\.0\.1 port=5432 pool_size=20 (?<rest>connect_query=.*)$/m;

export type BouncerOptions = {
  /** The port of the server. */
  readonly port: number;
  readonly name?: string;
  /** The number of sessions. @default 3 */
  readonly sessions?: number;
  /** False leaves out the timeouts of the example. @default true */
  readonly timeouts?: boolean;
  /** Other values of settings in the example. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The users and their passwords. Without them, every client is trusted. */
  readonly users?: Readonly<Record<string, string>>;
};

/** PgBouncer with the example configuration `deploy/pgbouncer.ini`, on a free loopback port. */
export class PgBouncer {
  #process: ChildProcess | undefined;

  private constructor(
    private readonly directory: string,
    readonly port: number,
    private readonly name: string,
  ) {}

  static async start(options: BouncerOptions): Promise<PgBouncer> {
    const [directory, port, name] = [freshDirectory(), await freePort(), options.name ?? 'postgres'];
    const bouncer = new PgBouncer(directory, port, name);
    const users = Object.entries(options.users ?? { postgres: '' });
    writeFileSync(bouncer.#users, users.map(([user, password]) => `"${user}" "${password}"\n`).join(''));
    writeFileSync(bouncer.#settings, bouncer.#configuration(options));
    // PgBouncer does not run as root.
    chmodSync(directory, 0o755);
    await bouncer.run();
    return bouncer;
  }

  get url(): string {
    return `postgresql://postgres@127.0.0.1:${this.port}/${this.name}`;
  }

  /** Starts PgBouncer and waits until it accepts connections. */
  async run(): Promise<void> {
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    this.#process = spawn('pgbouncer', [...user, this.#settings], { stdio: 'ignore' });
    await eventually(
      () => this.show('version').then(Boolean, (error) => error.code !== 'ECONNREFUSED'),
      'PgBouncer does not answer',
    );
  }

  /** The rows of a SHOW command. */
  async show(what: 'version' | 'clients' | 'servers'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(`postgresql://postgres@127.0.0.1:${this.port}/pgbouncer`);
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(`show ${what}`)).rows;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    const process = this.#process;
    if (process === undefined || process.exitCode !== null || process.signalCode !== null) return;
    const exited = once(process, 'exit');
    process.kill('SIGKILL');
    await exited;
  }

  get #users(): string {
    return join(this.directory, 'users.txt');
  }
  get #settings(): string {
    return join(this.directory, 'pgbouncer.ini');
  }

  #configuration({ port, sessions = 3, timeouts = true, settings, users }: BouncerOptions): string {
    const example = readFileSync(join(root, 'deploy', 'pgbouncer.ini'), 'utf8');
    const query = DATABASE.exec(example)?.groups?.rest;
    if (query === undefined) throw new Error('the example has another line for the database');
    const server = `host=127.0.0.1 port=${port} pool_size=${sessions} ${timeouts ? query : ''}`;
    const values = {
      listen_port: String(this.port),
      auth_file: this.#users,
      ...(users === undefined && { auth_type: 'trust' }),
      ...settings,
    };
    let text = example.replace(DATABASE, () => `${this.name} = ${server}`);
    for (const [name, value] of Object.entries(values)) {
      const line = new RegExp(`^${name} = .*$`, 'm');
      if (!line.test(text)) throw new Error(`the example has no ${name}`);
      text = text.replace(line, () => `${name} = ${value}`);
    }
    return `${text}admin_users = postgres\n`;
  }
}
