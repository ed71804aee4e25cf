import { execFileSync } from 'node:child_process';
import { join as path, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { startDevChain } from '../../../src/chain/embedded-chain.js';
import { RpcProvider } from '../../../src/chain/rpc.js';
import { VERSION } from '../../../src/config/config.js';
import { type TestChain, testChain } from '../../support/chain/chain.js';
import { join } from '../../support/market/agents.js';
import { print } from '../../support/print.js';
import { freePort } from '../../support/servers/ports.js';
import { queryAt } from '../../support/servers/postgres.js';
import { RedisServer } from '../../support/servers/redis.js';
import { endProcesses, eventually, freshDirectory, getJson, type Running, root, run } from '../../support/service/process.js';
import { testTimes } from '../../support/times.js';
import { ask } from '../../support/world.js';
import { Crowd } from '../faults/support/crowd.js';
import { replicaEnv } from '../faults/support/replicas.js';
import { Cluster, urlOf } from './support/cluster.js';
import { describeDrill } from './support/drill.js';
import { Runbook } from './support/runbook-commands.js';

/** The id of a chain that the database does not belong to. The service must refuse this chain on this database. */
const OTHER_CHAIN = 31_337;

describeDrill('the runbooks', ['redis-server'], () => {
  const book = new Runbook();
  let cluster: Cluster;
  let second: Cluster;
  let redis: RedisServer;
  let chain: TestChain;
  let replicas: Running[] = [];
  let crowd: Crowd;
  let databaseUrl: string;
  const restoredUrl = () => urlOf(second.port, 'curvet_a', 'first', 'curvet');

  const environment = (url = databaseUrl): Record<string, string> => ({
    ...replicaEnv(chain),
    DATABASE_URL: url,
    REDIS_URL: redis.url,
  });
  async function start(environment: Record<string, string>): Promise<Running> {
    const replica = run({ env: environment });
    await replica.ready();
    return replica;
  }
  async function stopReplicas(): Promise<void> {
    for (const replica of replicas.splice(0)) expect((await replica.stop()).code).to.equal(0);
  }
  /** Lets agents write to all replicas for the given time. */
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
    await chain.resetToRealTime();
    cluster = await Cluster.start();
    second = await Cluster.start();
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

  it('score the seasons at a replica', async () => {
    const replica = await start({ ...environment(), CRON_SECRET: 'a-secret-of-the-operator' });
    const variables = { SERVICE_URL: replica.url, CRON_SECRET: 'a-secret-of-the-operator' };
    expect(await book.run('score', variables)).to.include('"success":true');
    const refused = await book.try('score', { ...variables, CRON_SECRET: 'another-secret-which-is-wrong' });
    // 22 is the exit code of curl when the server refuses the request.
    expect([refused.code, refused.out]).to.satisfy(([code, out]: [number, string]) => code === 22 && /"error"/.test(out));
    expect((await replica.stop()).code).to.equal(0);
  });

  it('install a commit, and a release by its tag, and start it', async () => {
    const [repository, RELEASES] = [path(freshDirectory(), 'curvet.git'), freshDirectory()];
    execFileSync('git', ['clone', '--quiet', '--bare', root, repository]);
    execFileSync('git', ['tag', '--annotate', 'v9.9.9', '--message', 'A release'], { cwd: repository });
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: repository, encoding: 'utf8' }).trim();
    for (const RELEASE of [commit, 'v9.9.9']) {
      const out = await book.run('install', { REPOSITORY: `file://${repository}`, RELEASE, RELEASES });
      expect(out, RELEASE).to.include(`${VERSION} `).and.to.include(commit.slice(0, 7));
    }
    const release = path(RELEASES, 'v9.9.9');
    const bytes = Number(execFileSync('du', ['--summarize', '--block-size=1', release], { encoding: 'utf8' }).split('\t')[0]);
    const replica = run({
      env: environment(),
      // `run` resolves the program from dist/src of this repository.
      program: [relative(path(root, 'dist/src'), path(release, 'dist/src/main.js'))],
    });
    await replica.ready();
    expect(await book.run('check', { SERVICE_URL: replica.url })).to.include(VERSION);
    for (const page of ['/', '/docs', '/graphql/schema.graphql', '/skill.md'])
      expect((await fetch(replica.url + page)).status, page).to.equal(200);
    expect((await replica.stop()).code).to.equal(0);
    print(`${Math.round(bytes / 1024 / 1024)} MB`);
  });

  it('back up, restore into an empty server, and compare', async () => {
    const variables = { DATABASE_URL: databaseUrl, BACKUP_DIR: path(cluster.directory, 'backup') };
    const before = await feedOf(replicas[0] as Running);
    await stopReplicas();
    await book.run('backup', variables);
    // The restore itself creates the database, so the new server only needs the roles.
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
      SUPERUSER_URL: cluster.url,
      PGDATA: cluster.data,
      BACKUP_DIR: path(cluster.directory, 'backup'),
      ARCHIVE_DIR: path(cluster.directory, 'archive'),
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
    const port = await freePort();
    const restore = { RESTORE_DIR: path(cluster.directory, 'restored'), RESTORE_PORT: String(port) };
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

  it('rebuild a damaged index', async () => {
    replicas = [await start(environment())];
    await write(1000);
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

  it('refuse another chain on a database, and serve it from a second database', async () => {
    const directory = freshDirectory();
    const other = await startDevChain({ directory, chainId: OTHER_CHAIN, times: testTimes });
    const provider = new RpcProvider([other.rpcUrl], OTHER_CHAIN, testTimes);
    const ownRedis = await RedisServer.start();
    try {
      const settings = {
        ...environment(),
        CHAIN_ID: String(OTHER_CHAIN),
        RPC_URL: other.rpcUrl,
        CONTRACT_ADDRESS: other.contract,
      };
      const refusals = [{ ...environment(), RPC_URL: `${chain.rpcUrl},${other.rpcUrl}` }, settings].map((env) => run({ env }));
      for (const refused of refusals) expect((await refused.exited).code).to.equal(1);
      expect(refusals.map(({ stderr }) => stderr).join('')).to.match(
        /^curvet: CHAIN_ID: 84532, but RPC_URL \(URL 2\) is on chain 31337\ncurvet: .* on chain 31337 is not the contract of this database, which is .* on chain 84532\n$/,
      );
      await book.run('second-database', { SUPERUSER_URL: cluster.url, NEW_DATABASE: 'curvet_next' });
      const second = urlOf(cluster.port, 'curvet_a', 'first', 'curvet_next');
      const next = await start({ ...settings, DATABASE_URL: second, REDIS_URL: ownRedis.url });
      expect((await getJson(`${next.url}/ready`)).status).to.equal(200);
      const known = await queryAt<{ wallet: string; name: string }>(databaseUrl, 'select wallet, name from agent limit 1');
      expect((await getJson(`${next.url}/api/agents/${known[0]?.wallet}`)).status).to.equal(404);
      const { key } = await join({ provider, contract: other.contract }, next.url, String(known[0]?.name));
      const me = await ask(next.url, 'GET', '/api/agents/me', { key });
      expect(me.status).to.equal(200);
      expect((await getJson(`${replicas[0]?.url}/ready`)).status).to.equal(200);
      await next.stop();
    } finally {
      provider.destroy();
      await other.stop();
      await ownRedis.stop();
    }
  });
});
