import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { print } from '../../support/print.js';
import { freePort } from '../../support/servers/ports.js';
import { queryAt } from '../../support/servers/postgres.js';
import { useServers } from '../../support/servers.js';
import { eventually, freshDirectory, getJson, run } from '../../support/service/process.js';

describe('a service behind PgBouncer', () => {
  const servers = useServers();
  const bouncers: ChildProcess[] = [];

  before(function () {
    if (spawnSync('pgbouncer', ['--version']).status === 0) return;
    print('skipped: pgbouncer is not installed');
    this.skip();
  });
  after(async () => {
    for (const bouncer of bouncers) {
      const exited = once(bouncer, 'exit');
      if (bouncer.kill('SIGKILL')) await exited;
    }
  });

  /** Starts PgBouncer, and returns its URL when it answers. */
  async function startBouncer(mode: 'session' | 'transaction', sessions: number): Promise<string> {
    const [directory, port] = [freshDirectory(), await freePort()];
    const [settings, users] = [join(directory, 'pgbouncer.ini'), join(directory, 'users.txt')];
    writeFileSync(users, '"postgres" ""\n');
    writeFileSync(
      settings,
      `[databases]
postgres = host=127.0.0.1 port=${servers.postgres.port} pool_size=${sessions}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
max_client_conn = 100
`,
    );
    // PgBouncer refuses to run as root. It runs as `nobody` instead, who must have access to the directory.
    chmodSync(directory, 0o755);
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    bouncers.push(spawn('pgbouncer', [...user, settings], { stdio: 'ignore' }));
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    await eventually(() => queryAt(url, 'select 1').then(Boolean, () => false), 'PgBouncer does not answer');
    return url;
  }

  it('in session mode starts, leads, and reads and writes with named statements', async () => {
    const env = { DATA_DIR: freshDirectory(), DATABASE_URL: await startBouncer('session', 30), LOG_LEVEL: 'warn' };
    const service = run({ env });
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
    const [leader] = await servers.postgres.query<{ count: string }>(
      "select count(*) from pg_locks where locktype = 'advisory' and granted",
    );
    expect(Number(leader?.count)).to.equal(1);
    expect(service.log.filter(({ level }) => Number(level) >= 50)).to.deep.equal([]);
  });

  it('waits for a second session of the pooler, and says so', async () => {
    // The service needs several sessions at the same time, and the pooler gives it one. With the factor 1, the wait for the next
    // session times out after seconds.
    const env = { DATA_DIR: freshDirectory(), DATABASE_URL: await startBouncer('session', 1), TIMEOUT_FACTOR: '1' };
    const service = run({ env });
    const isAway = () => service.log.some(({ msg, part }) => msg === 'a part is unavailable' && part === 'database');
    await eventually(async () => isAway(), 'the log does not say that the database is unavailable');
    await service.stop();
  });

  it('in transaction mode refuses to start', async () => {
    const service = run({ env: { DATA_DIR: freshDirectory(), DATABASE_URL: await startBouncer('transaction', 3) } });
    const exit = await Promise.race([service.exited, service.ready().then(() => service.stop())]);
    expect(exit, service.stdout).to.include({ code: 1 });
    expect(service.stderr).to.equal('curvet: DATABASE_URL: the value is not accepted: the pooler must be in session mode\n');
  });
});
