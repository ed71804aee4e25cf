import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../faults/support/ports.js';
import { PostgresServer, postgresPrograms } from '../faults/support/postgres.js';
import { endProcesses, eventually, freshDirectory, getJson, run } from '../support/service/process.js';

const hasPgBouncer = (): boolean => spawnSync('pgbouncer', ['--version']).status === 0;

describe('a service behind PgBouncer in session mode', function () {
  this.timeout(120_000);
  let postgres: PostgresServer;
  let bouncer: ChildProcess;

  before(async function () {
    if (postgresPrograms() === undefined || !hasPgBouncer()) {
      process.stdout.write('    initdb, postgres or pgbouncer is missing: PgBouncer is not tested\n');
      this.skip();
    }
    postgres = await PostgresServer.start();
  });
  after(async () => {
    await endProcesses();
    if (bouncer?.exitCode === null && bouncer.signalCode === null) {
      bouncer.kill('SIGKILL');
      await once(bouncer, 'exit');
    }
    await postgres?.stop();
  });

  /** Starts PgBouncer in front of the server. Returns the URL of the database. */
  async function startBouncer(): Promise<string> {
    const directory = freshDirectory();
    const port = await freePort();
    const users = join(directory, 'users.txt');
    writeFileSync(users, '"postgres" ""\n');
    const settings = join(directory, 'pgbouncer.ini');
    writeFileSync(
      settings,
      `[databases]\npostgres = host=127.0.0.1 port=${postgres.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
        `listen_port = ${port}\nunix_socket_dir =\nauth_type = trust\nauth_file = ${users}\npool_mode = session\n`,
    );
    // PgBouncer refuses to run as root.
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    chmodSync(directory, 0o755);
    bouncer = spawn('pgbouncer', [...user, settings], { stdio: 'ignore' });
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    await eventually(() => spawnSync('psql', [url, '-c', 'select 1']).status === 0, 'PgBouncer does not answer');
    return url;
  }

  it('starts, leads, and reads and writes with named statements', async () => {
    const url = await startBouncer();
    const service = run({ env: { DATA_DIR: freshDirectory(), DATABASE_URL: url, LOG_LEVEL: 'warn' } });
    await service.ready();
    for (let i = 0; i < 4; i++) {
      expect((await getJson(`${service.url}/api/agents?limit=${i + 1}`)).status).to.equal(200);
      const written = await fetch(`${service.url}/dev/posts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ handle: 'owner', text: `Post ${i}` }),
      });
      expect(written.status).to.be.below(300);
    }
    await eventually(async () => (await getJson(`${service.url}/ready`)).status === 200, 'the service is not ready');
    const [leader] = await postgres.query<{ count: string }>(
      "select count(*) from pg_locks where locktype = 'advisory' and granted",
    );
    expect(Number(leader?.count)).to.equal(1);
    expect(service.log.filter(({ level }) => Number(level) >= 50)).to.deep.equal([]);
  });
});
