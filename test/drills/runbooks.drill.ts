import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Crowd } from '../faults/support/crowd.js';
import { account, postgresPrograms } from '../faults/support/postgres.js';
import { hasRedis, RedisServer } from '../faults/support/redis.js';
import { CHAIN_ID, type TestChain, testChain } from '../support/chain/chain.js';
import { hasPgBouncer, PgBouncer } from '../support/pgbouncer.js';
import { endProcesses, eventually, getJson, type Running, run } from '../support/service/process.js';
import { Cluster, queryAt, urlOf } from './support/cluster.js';
import { Runbook } from './support/runbook.js';

const programs = postgresPrograms();
const missing = [hasRedis() ? [] : ['redis-server'], hasPgBouncer() ? [] : ['pgbouncer']].flat();
const skipped =
  programs === undefined ? 'PostgreSQL is not installed' : missing.length > 0 ? `no ${missing.join(', ')}` : undefined;

describe(`the runbooks${skipped ? ` (SKIPPED: ${skipped})` : ''}`, function () {
  this.timeout(300_000);
  this.bail(true);
  if (skipped || programs === undefined) return it('need initdb, postgres, redis-server and pgbouncer');
  const book = new Runbook(programs, account());
  let cluster: Cluster;
  let second: Cluster;
  let redis: RedisServer;
  let chain: TestChain;
  let replicas: Running[] = [];
  let crowd: Crowd;
  let databaseUrl: string;
  const restoredUrl = () => urlOf(second.port, 'curvet_a', 'first', 'curvet');

  const environment = (url = databaseUrl): Record<string, string> => ({
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    RPC_URL: chain.rpcUrl,
    CONTRACT_ADDRESS: chain.contract,
    CHAIN_ID: String(CHAIN_ID),
    CONFIRMATIONS: '0',
    START_BLOCK: '1',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    SOCIAL_TEXT_PROXY: 'http://127.0.0.1:1/{url}',
  });
  async function start(environment: Record<string, string>): Promise<Running> {
    const replica = run({ env: environment });
    await replica.ready();
    return replica;
  }
  async function stopReplicas(): Promise<void> {
    for (const replica of replicas.splice(0)) expect((await replica.stop()).code).to.equal(0);
  }
  /** Agents write for some time. */
  async function write(milliseconds: number): Promise<void> {
    crowd = await Crowd.gather(chain, replicas[0]?.url ?? '', 8, Date.now());
    crowd.start(replicas.map(({ url }) => url));
    await sleep(milliseconds);
    await crowd.stop();
    expect(crowd.promised.posts.length).to.be.above(0);
  }
  const count = async (table: string, url = databaseUrl): Promise<number> =>
    Number((await queryAt<{ n: string }>(url, `select count(*) as n from ${table}`))[0]?.n);
  const feedOf = async ({ url }: Running) => (await getJson(`${url}/api/feed?limit=100`)).body;

  before(async () => {
    chain = await testChain();
    cluster = await Cluster.start(programs, account());
    second = await Cluster.start(programs, account());
    redis = await RedisServer.start();
  });
  after(async () => {
    await endProcesses();
    await redis?.stop();
    cluster?.stopAll();
    second?.stopAll();
  });

  it('create the database, in which the service creates its tables', async () => {
    await book.run('create-database', { SUPERUSER_URL: cluster.url, PASSWORD: 'first' });
    databaseUrl = urlOf(cluster.port, 'curvet_a', 'first', 'curvet');
    replicas = [await start(environment()), await start(environment())];
    for (const { url } of replicas) {
      const out = await book.run('check', { SERVICE_URL: url });
      expect(out).to.include('"success":true').and.to.include('"database"');
    }
    const owners = await queryAt<{ tableowner: string }>(
      databaseUrl,
      "select distinct tableowner from pg_tables where schemaname = 'public'",
    );
    expect(owners).to.deep.equal([{ tableowner: 'curvet' }]);
    await write(3000);
  });

  it('back up, restore into an empty server, and compare', async () => {
    const variables = { DATABASE_URL: databaseUrl, BACKUP_DIR: join(cluster.directory, 'backup') };
    const before = await feedOf(replicas[0] as Running);
    await stopReplicas();
    await book.run('backup', variables);
    const roles = book.script('create-database').replace(/^create database.*\n/m, '');
    await book.run('create-database', { SUPERUSER_URL: second.url, PASSWORD: 'first' }, roles);
    const restored = { ...variables, NEW_SERVER_URL: second.url, RESTORED_URL: restoredUrl() };
    await book.run('restore', restored);
    const equal = await book.run('compare', restored);
    const figures = /^(\d+) tables with (\d+) rows are equal$/m.exec(equal);
    expect(Number(figures?.[1]), equal).to.be.above(25);
    expect(Number(figures?.[2]), equal).to.be.above(50);
    process.stdout.write(`      ${equal.trim()}\n`);
    replicas = [await start(environment(restoredUrl()))];
    expect(await feedOf(replicas[0] as Running)).to.deep.equal(before);
    await stopReplicas();
    await queryAt(restoredUrl(), "update agent set bio = 'other' where wallet = (select min(wallet) from agent)");
    const differing = await book.try('compare', restored);
    expect([differing.code, differing.error]).to.satisfy(
      ([code, error]: [number, string]) => code === 1 && /^[<>] agent \d+ [0-9a-f]{32}$/m.test(error),
    );
  });

  it('restore to a point in time before an accident', async () => {
    const variables = {
      ...{ SUPERUSER_URL: cluster.url, PGDATA: cluster.data },
      ...{ BACKUP_DIR: join(cluster.directory, 'backup'), ARCHIVE_DIR: join(cluster.directory, 'archive') },
    };
    await book.run('archive', variables);
    await book.run('base-backup', variables);
    replicas = [await start(environment())];
    await write(1500);
    await stopReplicas();
    const posts = await count('agent_activity');
    const [time] = await queryAt<{ now: string }>(databaseUrl, 'select clock_timestamp()::text as now');
    await sleep(1000);
    await queryAt(databaseUrl, 'delete from agent_activity');
    const port = second.port + 1;
    const restore = { RESTORE_DIR: join(cluster.directory, 'restored'), RESTORE_PORT: String(port) };
    await book.run('point-in-time', { ...variables, ...restore, TARGET_TIME: String(time?.now) });
    const recovered = urlOf(port, 'curvet_a', 'first', 'curvet');
    await eventually(
      async () => (await queryAt<{ r: boolean }>(recovered, 'select pg_is_in_recovery() as r'))[0]?.r === false,
      'the recovery does not end',
    );
    expect([await count('agent_activity', recovered), await count('agent_activity')]).to.deep.equal([posts, 0]);
    replicas = [await start(environment(recovered))];
    expect((await feedOf(replicas[0] as Running)).feed).not.to.deep.equal([]);
    await stopReplicas();
  });

  it('rotate the password of PostgreSQL while a replica serves', async () => {
    replicas = [await start(environment())];
    const first = databaseUrl;
    await book.run('second-login', { SUPERUSER_URL: cluster.url, NEW_PASSWORD: 'second' });
    databaseUrl = urlOf(cluster.port, 'curvet_b', 'second', 'curvet');
    const next = await start(environment());
    expect((await getJson(`${replicas[0]?.url}/ready`)).status).to.equal(200);
    await stopReplicas();
    replicas = [next];
    await book.run('remove-login', { SUPERUSER_URL: cluster.url });
    expect((await getJson(`${next.url}/ready`)).status).to.equal(200);
    await write(1000);
    const refused = await queryAt(first, 'select 1').catch((error: Error) => error.message);
    expect(refused).to.match(/password authentication failed|does not exist|not permitted to log in/);
  });

  it('rotate the password of Redis while a replica serves', async () => {
    const at = (password: string) => `redis://default:${password}@127.0.0.1:${redis.port}`;
    await book.run(
      'second-redis-password',
      { REDIS_URL: redis.url, NEW_PASSWORD: 'first' },
      'redis-cli -e -u "$REDIS_URL" ACL SETUSER default resetpass ">$NEW_PASSWORD"',
    );
    await book.run('second-redis-password', { REDIS_URL: at('first'), NEW_PASSWORD: 'second' });
    await stopReplicas();
    replicas = [await start({ ...environment(), REDIS_URL: at('second') })];
    await book.run('remove-redis-password', { NEW_REDIS_URL: at('second'), OLD_PASSWORD: 'first' });
    await write(500);
    const complaints = replicas[0]?.log.filter(({ msg }) => String(msg).startsWith('Redis is unreachable'));
    expect(complaints, JSON.stringify(complaints)).to.deep.equal([]);
    const old = await start({ ...environment(), REDIS_URL: at('first') });
    await getJson(`${old.url}/api/agents`);
    await eventually(() => old.stdout.includes('Redis is unreachable'), 'the old password is still accepted');
    await old.stop();
  });

  it('rebuild a damaged index', async () => {
    const figures = 'select agent, holder, amount, cost::text as cost from ticket_holding order by 1, 2';
    const before = await queryAt(databaseUrl, figures);
    expect(before.length).to.be.above(5);
    await queryAt(databaseUrl, 'update ticket_holding set amount = amount + 1, cost = cost + 1');
    const out = await book.run('reindex', environment());
    expect(out).to.match(/Corrections: .*ticket_holding: \d+ rows removed, \d+ added/);
    expect(await queryAt(databaseUrl, figures)).to.deep.equal(before);
  });

  it('moderate beside a running replica', async () => {
    const [post] = await queryAt<{ id: string; agent: string }>(
      databaseUrl,
      'select id, agent from agent_activity order by created_at desc limit 1',
    );
    const { url } = replicas[0] as Running;
    const feed = async () => JSON.stringify((await getJson(`${url}/api/feed?limit=100`)).body);
    expect(await feed()).to.include(String(post?.id));
    const out = await book.run('moderate', { ...environment(), POST_ID: String(post?.id), AGENT: String(post?.agent) });
    expect(await feed()).not.to.include(String(post?.id));
    expect(out.match(/"changed": true/g)).to.have.length(5);
    expect(out).to.include('"reason": "Appeal accepted"').and.to.include('"operator": "ann"');
    const { body } = await getJson(`${url}/api/agents/${post?.agent}`);
    expect(body.agent).to.include({ avatarUrl: 'https://curvet.example/neutral.png' });
  });

  it('put PgBouncer in transaction mode in front of the database', async () => {
    await stopReplicas();
    await book.run('pooler-login', { SUPERUSER_URL: cluster.url, PASSWORD: 'pooled' });
    const users = { curvet_pooled: 'pooled' };
    const bouncer = await PgBouncer.start({ port: cluster.port, name: 'curvet', timeouts: false, users });
    try {
      const url = urlOf(bouncer.port, 'curvet_pooled', 'pooled', 'curvet');
      const out = await book.run('pooler-timeouts', { DATABASE_POOLER_URL: url });
      expect(out.match(/_timeout +\| [45]000 +\| ms/g)).to.have.length(3);
      replicas = [await start({ ...environment(), DATABASE_POOLER_URL: url })];
      await write(1000);
      await stopReplicas();
    } finally {
      await bouncer.stop();
    }
  });

  it('have no commands that this drill does not run', () => {
    expect(book.names.filter((name) => !book.done.has(name))).to.deep.equal([]);
  });
});
