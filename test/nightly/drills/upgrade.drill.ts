import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createProxy } from '../../../scripts/cluster/proxy.js';
import { type TestChain, testChain } from '../../support/chain/chain.js';
import { queryAt } from '../../support/servers/postgres.js';
import { listen } from '../../support/service/listen.js';
import { endProcesses, getJson, type Running, root, run } from '../../support/service/process.js';
import { Crowd } from '../faults/support/crowd.js';
import { expectStored, replicaEnv } from '../faults/support/replicas.js';
import { Cluster } from './support/cluster.js';
import { describeDrill } from './support/drill.js';

// OLD_RELEASE names the directory of an older, built release, which the upgrade begins with. Without it, the present build is the
// older release, and copies of it with further migrations are the newer ones.

const PERIOD_MS = 1500;

/** A migration, as SQL, of a release that does not exist yet. */
type NextMigration = { readonly name: string; readonly up: readonly string[] };

// Each migration changes at most one existing table, as test/service/store/schema.test.ts demands.
const expand: NextMigration[] = [
  { name: 'Migration29990101000000_table', up: ['create table "next_release" ("wallet" varchar(42) not null)'] },
  { name: 'Migration29990101010000_agent', up: ['alter table "agent" add "next_text" varchar(80) null'] },
  {
    name: 'Migration29990101020000_post',
    up: [
      'alter table "agent_activity" add "next_flag" boolean not null default false',
      'create index "next_index" on "agent_activity" ("next_flag", "id") where next_flag',
    ],
  },
];
const contract: NextMigration[] = [
  {
    name: 'Migration29990201000000_post',
    up: ['drop index "next_index"', 'alter table "agent_activity" drop column "next_flag"'],
  },
  { name: 'Migration29990201010000_agent', up: ['alter table "agent" drop column "next_text"'] },
  { name: 'Migration29990201020000_table', up: ['drop table "next_release"'] },
];

/** Copies the build into a new directory, adds migrations, and returns the directory. */
function nextRelease(migrations: readonly NextMigration[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'curvet-release-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, 'dist'));
  for (const folder of ['dist/src', 'dist/schema', 'dist/graphiql', 'schema', 'package.json', 'bin', 'client']) {
    cpSync(join(root, folder), join(directory, folder), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  for (const { name, up } of migrations) {
    const code = `import { Migration } from '@mikro-orm/migrations';
export class ${name} extends Migration {
  name = '${name}';
  up() { ${up.map((text) => `this.addSql(${JSON.stringify(text)});`).join(' ')} }
}
`;
    writeFileSync(join(directory, 'dist/schema/migrations', `${name}.js`), code);
  }
  return directory;
}

describeDrill('an upgrade', [], () => {
  let cluster: Cluster;
  let chain: TestChain;
  let proxy: Server;
  let url: string;
  const running: Running[] = [];

  async function start(release: string): Promise<void> {
    const replica = run({
      // `env -C` changes to the directory of the release. `run` resolves the program from dist/src of this repository.
      prefix: ['env', '-C', release],
      program: [relative(join(root, 'dist/src'), join(release, 'dist/src/main.js'))],
      env: { ...replicaEnv(chain), DATABASE_URL: cluster.url },
    });
    await replica.ready();
    running.push(replica);
  }
  /** Replaces the replicas one by one, as the runbook says. Both versions serve between two steps. */
  async function replaceBy(release: string): Promise<void> {
    for (const old of [...running]) {
      await start(release);
      await sleep(PERIOD_MS);
      running.splice(running.indexOf(old), 1);
      await sleep(500);
      expect((await old.stop()).code).to.equal(0);
      await sleep(PERIOD_MS);
    }
  }
  const migrations = async (): Promise<string[]> =>
    (await queryAt<{ name: string }>(cluster.url, 'select name from mikro_orm_migrations order by id')).map(({ name }) => name);

  before(async () => {
    chain = await testChain();
    await chain.resetToRealTime();
    cluster = await Cluster.start();
    proxy = createProxy(() => running.map((replica) => ({ url: replica.url, isAlive: true })));
    url = await listen(proxy);
  });
  after(async () => {
    proxy?.close();
    proxy?.closeAllConnections();
    await endProcesses();
    cluster?.stopAll();
  });

  it('by two releases and back to the first loses no request and no record, with two versions side by side', async () => {
    const first = process.env.OLD_RELEASE ?? root;
    const [second, third] = [nextRelease(expand), nextRelease([...expand, ...contract])];
    await start(first);
    await start(first);
    const before = await migrations();
    const crowd = await Crowd.gather(chain, url, 12, 1);
    crowd.start([url]);
    await sleep(PERIOD_MS);
    for (const release of [second, third]) await replaceBy(release);
    expect((await migrations()).slice(-6)).to.deep.equal([...expand, ...contract].map(({ name }) => name));
    // Rolls back to the first release, while the database has the migrations of the last release.
    await replaceBy(first);
    await crowd.stop();
    const failed = crowd.replies.filter(({ status }) => status === 0 || status >= 500);
    expect(failed.slice(0, 3)).to.deep.equal([]);
    await expectStored(cluster, crowd.promised);
    for (const replica of running) expect((await getJson(`${replica.url}/ready`)).status).to.equal(200);
    process.stdout.write(
      `      ${crowd.replies.length} writes during 6 restarts and ${(await migrations()).length - before.length} migrations: 0 failed, ${crowd.promised.posts.length} posts and ${crowd.promised.trades.length} trades stored\n`,
    );
  });
});
