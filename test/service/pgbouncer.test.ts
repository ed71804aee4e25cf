// Nightly: it starts PostgreSQL, PgBouncer and the service.
import { expect } from 'chai';
import { JOB, withTimeouts } from '../../src/store/connections/timeouts.js';
import { openDatabase } from '../../src/store/database.js';
import { openSql } from '../../src/store/sql.js';
import { TIMES } from '../../src/times.js';
import { freePort } from '../faults/support/ports.js';
import { PostgresServer, postgresPrograms } from '../faults/support/postgres.js';
import { type BouncerOptions, hasPgBouncer, PgBouncer } from '../support/proxy/pgbouncer.js';
import { endProcesses, eventually, freshDirectory, getJson, run } from '../support/service/process.js';

const isInstalled = postgresPrograms() !== undefined && hasPgBouncer();
const REFUSED = 'DATABASE_POOLER_URL: the value is not accepted';

describe('a service behind PgBouncer in session mode', () => {
  let postgres: PostgresServer;
  let bouncer: PgBouncer;

  before(async function () {
    if (!isInstalled) {
      process.stdout.write('    initdb, postgres or pgbouncer is missing: PgBouncer is not tested\n');
      this.skip();
    }
    postgres = await PostgresServer.start();
    const settings = { pool_mode: 'session' };
    bouncer = await PgBouncer.start({ port: postgres.port, sessions: 30, timeouts: false, settings });
  });
  after(async () => {
    await bouncer?.stop();
    await endProcesses();
    await postgres?.stop();
  });

  it('starts, leads, and reads and writes with named statements', async () => {
    const service = run({ env: { DATA_DIR: freshDirectory(), DATABASE_URL: bouncer.url, LOG_LEVEL: 'warn' } });
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

describe('a start behind PgBouncer in transaction mode', () => {
  let postgres: PostgresServer;
  const bouncers: PgBouncer[] = [];

  before(async function () {
    if (!isInstalled) this.skip();
    postgres = await PostgresServer.start();
  });
  after(async () => {
    for (const bouncer of bouncers) await bouncer.stop();
    await endProcesses();
    await postgres?.stop();
  });

  async function pooler(options: Partial<BouncerOptions> = {}): Promise<string> {
    const bouncer = await PgBouncer.start({ port: postgres.port, ...options });
    bouncers.push(bouncer);
    return bouncer.url;
  }
  /** The line with which the service exits. */
  async function refusal(env: Record<string, string>): Promise<string> {
    const service = run({ env: { DATA_DIR: freshDirectory(), ...env } });
    const exit = await Promise.race([service.exited, service.ready().then(() => service.stop())]);
    expect(exit, service.stdout).to.include({ code: 1 });
    expect(service.stderr).to.match(/^curvet: [^\n]+\n$/);
    return service.stderr.slice('curvet: '.length, -1);
  }

  it('is refused without the timeouts of requests', async () => {
    const start = async (url: string) => refusal({ DATABASE_URL: postgres.url, DATABASE_POOLER_URL: url });
    expect(await start(await pooler({ timeouts: false }))).to.match(/_timeout is 0 ms, and must be from 1 to \d+ ms$/);
    await postgres.query("alter role postgres set statement_timeout = '5s'");
    await postgres.query("alter role postgres set lock_timeout = '4s'");
    await postgres.query("alter role postgres set idle_in_transaction_session_timeout = '5001ms'");
    expect(await start(await pooler({ timeouts: false }))).to.equal(
      `${REFUSED}: idle_in_transaction_session_timeout is 5001 ms, and must be from 1 to 5000 ms`,
    );
    await postgres.query('alter role postgres reset all');
  });

  it('is refused with another database or schema, or without an answer', async () => {
    await postgres.query('create database other');
    const other = await pooler({ name: 'other' });
    const start = (url: string) => refusal({ DATABASE_URL: postgres.url, DATABASE_POOLER_URL: url });
    expect(await start(other)).to.equal(`${REFUSED}: it leads to another database, schema or role`);
    await postgres.query('create schema elsewhere');
    const search = `${postgres.url}${postgres.url.includes('?') ? '&' : '?'}options=-csearch_path%3Delsewhere`;
    expect(await refusal({ DATABASE_URL: search, DATABASE_POOLER_URL: await pooler({}) })).to.equal(
      `${REFUSED}: it leads to another database, schema or role`,
    );
    expect(await start(`postgresql://postgres@127.0.0.1:${await freePort()}/postgres`)).to.match(
      /^DATABASE_POOLER_URL: the value is not accepted: the pooler says: .*ECONNREFUSED/,
    );
  });

  it('is refused if DATABASE_URL is the pooler', async () => {
    expect(await refusal({ DATABASE_URL: await pooler() })).to.equal(
      'DATABASE_URL: the value is not accepted: a pooler in transaction mode belongs into DATABASE_POOLER_URL',
    );
  });

  it('gives jobs the sessions and timeouts of the server', async () => {
    const orm = await openDatabase({ url: postgres.url, poolerUrl: await pooler() }, { times: TIMES });
    try {
      const sql = await openSql(orm);
      const timeout = async () => (await sql<{ t: string }>("select current_setting('statement_timeout') as t"))[0]?.t;
      for (let i = 0; i < 4; i++) {
        expect(await withTimeouts(JOB, timeout)).to.equal('10min');
        expect(await timeout()).to.equal('5s');
      }
    } finally {
      await orm.close(true);
    }
  });
});
