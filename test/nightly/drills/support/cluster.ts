import { appendFileSync, chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../support/servers/ports.js';
import { callProgram, give, ownDirectory, queryAt } from '../../../support/servers/postgres.js';

const PASSWORD = 'superuser';

/** A PostgreSQL server that asks for passwords, with its directories, on a free loopback port. `pg_ctl` can restart it. */
export class Cluster {
  private constructor(
    readonly directory: string,
    readonly port: number,
  ) {}

  static async start(): Promise<Cluster> {
    const directory = ownDirectory();
    const cluster = new Cluster(directory, await freePort());
    for (const folder of ['backup', 'archive']) {
      mkdirSync(join(directory, folder));
      give(join(directory, folder));
    }
    // Two users write here, so both need access: the user of the test writes the dump, and the user of the server the base backup.
    chmodSync(join(directory, 'backup'), 0o777);
    const secret = join(directory, 'password');
    writeFileSync(secret, PASSWORD);
    give(secret);
    const access = ['-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${secret}`];
    cluster.call('initdb', '-D', cluster.data, ...access, '--no-sync', '-E', 'UTF8');
    const settings = `port = ${cluster.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 150\nfsync = off\n`;
    appendFileSync(join(cluster.data, 'postgresql.conf'), settings);
    cluster.call('pg_ctl', 'start', '-D', cluster.data, '--wait', `--log=${join(cluster.data, 'log')}`);
    return cluster;
  }

  get data(): string {
    return join(this.directory, 'data');
  }
  /** The URL of the database `postgres`, with the user and the password of the superuser. */
  get url(): string {
    return urlOf(this.port);
  }

  /** Runs a query as the superuser, in the database "postgres". */
  query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return queryAt(this.url, text, values);
  }

  /** Runs a program of PostgreSQL as the user of the server. */
  call(program: string, ...args: string[]): void {
    callProgram(this.directory, program, ...args);
  }

  stopAll(): void {
    for (const data of [this.data, join(this.directory, 'restored')]) {
      if (!existsSync(join(data, 'postmaster.pid'))) continue;
      try {
        this.call('pg_ctl', 'stop', '-D', data, '--mode=immediate', '--wait');
      } catch {
        // The server has already ended.
      }
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The URL of a database of such a server. By default, it contains the user and the password of the superuser. */
export const urlOf = (port: number, user = 'postgres', password = PASSWORD, database = 'postgres'): string =>
  `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`;
