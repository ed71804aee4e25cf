import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { seasonCommand } from '../../../src/cli/commands/season.js';
import { VERSION } from '../../../src/config/config.js';
import { migrationNames } from '../../../src/store/new-database.js';
import { testChain } from '../../support/chain/chain.js';
import { FaultyLine } from '../../support/chain/faulty-line.js';
import { answers, type Call, FakeNode, replies } from '../../support/chain/node.js';
import { createDatabase, serverUrl } from '../../support/database.js';
import { newTrader } from '../../support/market/traders.js';
import { freePort } from '../../support/servers/ports.js';
import { queryAt } from '../../support/servers/postgres.js';
import { callProgram } from '../../support/service/command.js';
import { endProcesses, eventually, freshDirectory, getJson, type Running, replicaEnv, run } from '../../support/service/process.js';
import { ask } from '../../support/world.js';

const PASSWORD = 'hunter2';
const withPassword = (url: string): string => Object.assign(new URL(url), { username: 'postgres', password: PASSWORD }).href;

/** The log lines about outages, as level and part. 40: the part is unavailable; 30: it is back. */
const waits = ({ log }: Running) => log.filter(({ part }) => part !== undefined).map(({ level, part }) => `${level} ${part}`);

describe('a starting service', () => {
  after(endProcesses);

  describe('on an external chain', () => {
    let line: FaultyLine;
    let env: Record<string, string>;
    before(async () => {
      const { rpcUrl, contract } = await testChain();
      line = await FaultyLine.to(rpcUrl);
      const chain = replicaEnv({ rpcUrl: withPassword(line.url), contract });
      env = { ...chain, DATA_DIR: freshDirectory(), EMBEDDED: '1', LOG_LEVEL: 'info' };
    });
    after(() => line?.close());

    it('serves what is stored, says why it is not ready, and goes on when an RPC answers', async () => {
      const first = run({ env });
      await first.ready();
      expect(waits(first)).to.deep.equal([]);
      const trader = await newTrader(await testChain());
      await trader.register('Early Bird');
      const { wallet } = trader;
      const body = { name: 'Early Bird', walletAddress: wallet };
      expect((await ask(first.url, 'POST', '/api/agents', { body })).status).to.equal(201);
      await trader.buy(wallet, 2);
      const isIndexed = async () => {
        const { agent } = (await getJson(`${first.url}/api/agents/${wallet}`)).body as {
          agent: { totalSupply: number };
        };
        return agent.totalSupply === 3;
      };
      await eventually(isIndexed, 'the trade is not indexed');
      await first.stop();
      await line.close();

      const service = run({ env });
      await service.ready();
      const ready = await getJson(`${service.url}/ready`);
      expect(ready.status).to.equal(503);
      expect(ready.body).to.nested.include({ 'database.state': 'ok', 'chain.state': 'down', 'index.state': 'ok' });
      expect(ready.body).to.nested.include({ 'chain.detail': 'no RPC answers' });
      expect((ready.body.index as { blockNumber: unknown }).blockNumber).to.be.a('number');
      for (const path of ['/health', '/api/agents', '/api/feed', '/api/leaderboard'])
        expect((await getJson(service.url + path)).status, path).to.equal(200);
      // The value of a holding needs the fees of the contract. The earlier start has stored them.
      expect((await getJson(`${service.url}/api/agents/${wallet}/pnl`)).status).to.equal(200);

      await line.open();
      await service.until(() => waits(service).length === 2, 'it does not say that it goes on');
      await eventually(async () => (await getJson(`${service.url}/ready`)).status === 200, 'it is not ready');
      expect(waits(service)).to.deep.equal(['40 chain', '30 chain']);
      expect(await service.stop()).to.deep.equal({ code: 0, signal: null });
      expect(service.stderr).to.equal('');
      expect(service.stdout).to.not.include(PASSWORD);
    });

    it('waits while an RPC answers, but has no state yet', async () => {
      // This node answers with its chain, 84532, and code for each contract, but has no block yet.
      const known: Readonly<Record<string, string>> = { eth_chainId: '0x14a34', eth_getCode: '0x60' };
      const error = { code: -32603, message: 'header not found' };
      const answerOf = ({ method }: Call) => (known[method] ? { result: known[method] } : { error });
      const syncing = await new FakeNode(replies(answerOf)).open();
      const service = run({ env: { ...env, RPC_URL: syncing.url, DATA_DIR: freshDirectory() } });
      await service.ready();
      expect(waits(service)).to.deep.equal(['40 chain']);
      const { status, body } = await getJson(`${service.url}/ready`);
      expect([status, (body.chain as { detail: string }).detail]).to.deep.equal([503, 'no RPC answers']);
      expect(await service.stop()).to.deep.equal({ code: 0, signal: null });
      await syncing.stop();
    });

    it('ends if the RPC that answers later is on another chain', async () => {
      const other = await new FakeNode(answers('0x1')).open();
      await line.close();
      const service = run({ env: { ...env, DATA_DIR: freshDirectory() } });
      await service.ready();
      line.redirect(other.url);
      await line.open();
      expect(await service.exited).to.deep.equal({ code: 1, signal: null });
      const [last] = service.log.filter(({ level }) => level === 60);
      expect(last?.reason).to.equal('CHAIN_ID: 84532, but RPC_URL is on chain 1');
      await other.stop();
    });
  });

  if (serverUrl !== undefined) {
    const server = serverUrl;
    describe('with PostgreSQL and Redis', () => {
      it('shares an empty database with a replica that starts at the same moment, and continues without it', async () => {
        const chain = await testChain();
        const directory = freshDirectory();
        const env = {
          DATA_DIR: join(directory, 'unused'),
          DATABASE_URL: await createDatabase(server),
          REDIS_URL: process.env.REDIS_URL ?? '',
          // `replicaEnv` turns the rate limits off. Services of other tests may share this
          // Redis server and this address, and so the limits.
          ...replicaEnv(chain),
        };
        const replicas = [run({ env }), run({ env })] as const;
        await Promise.all(replicas.map((replica) => replica.ready()));
        const ran = replicas.flatMap(({ readyLine }) => readyLine?.migrations as { name: string; ms: number }[]);
        // The two replicas together ran each migration once.
        expect(ran.map(({ name }) => name)).to.deep.equal(migrationNames());
        for (const { ms } of ran) expect(ms).to.be.a('number');
        for (const replica of replicas) {
          expect(replica.readyLine?.embedded).to.deep.equal([]);
          expect(replica.stderr).to.equal('');
          const { status, body } = await getJson(`${replica.url}/health`);
          // The service does not publish the URL of an external RPC.
          expect([status, body.contractAddress, body.rpcUrl]).to.deep.equal([200, chain.contract, undefined]);
        }
        const [first, second] = replicas;
        expect(await first.stop()).to.include({ code: 0 });
        expect((await getJson(`${second.url}/health`)).status).to.equal(200);
        expect(await second.stop()).to.include({ code: 0 });
        expect(existsSync(env.DATA_DIR)).to.equal(false);
      });

      it('waits, says why it is not ready, and goes on when the server answers', async () => {
        const line = await FaultyLine.to(await createDatabase(server));
        await line.close();
        const [PORT = '', METRICS_PORT = ''] = [String(await freePort()), String(await freePort())];
        const service = run({
          env: { PORT, METRICS_PORT, DATA_DIR: freshDirectory(), DATABASE_URL: withPassword(line.url) },
        });
        const [url, metrics] = [`http://127.0.0.1:${PORT}`, `http://127.0.0.1:${METRICS_PORT}`];
        await service.until(() => waits(service).length === 1, 'it does not say that it waits');
        for (const probe of [`${url}/ready`, `${url}/health`, `${metrics}/ready`]) {
          const { status, body } = await getJson(probe);
          expect([status, body.code]).to.deep.equal([503, 'NOT_READY']);
          expect(body.database).to.include({ state: 'down', detail: 'the server cannot be reached' });
        }
        const scraped = await (await fetch(`${metrics}/metrics`)).text();
        for (const series of ['curvet_ready 0', 'curvet_database_up 0', `curvet_build_info{version="${VERSION}"`])
          expect(scraped).to.include(series);
        expect((await getJson(`${url}/metrics`)).status, 'not on the public port').to.equal(503);
        const refused = await fetch(`${url}/api/agents`);
        expect([refused.status, refused.headers.get('x-frame-options')]).to.deep.equal([503, 'DENY']);
        expect(service.stdout).to.not.include('"stack"').and.not.include(PASSWORD);

        await line.open();
        await service.ready();
        await eventually(async () => (await getJson(`${url}/ready`)).status === 200, 'it is not ready');
        expect(await (await fetch(`${metrics}/metrics`)).text()).to.match(
          /curvet_database_query_duration_seconds_count\{server="primary",command="SELECT",result="done"\} [1-9]/,
        );
        expect(waits(service)).to.deep.equal(['40 database', '30 database']);
        expect((await service.stop()).code).to.equal(0);
        await line.close();
      });

      describe('on a read-only database', () => {
        let name: string;
        let env: Record<'PORT' | 'METRICS_PORT' | 'DATABASE_URL' | 'REDIS_URL' | 'DATA_DIR', string>;
        const readOnly = (value: 'on' | 'off') =>
          queryAt(server, `alter database ${name} set default_transaction_read_only = ${value}`);
        const isReady = async () => (await getJson(`http://127.0.0.1:${env.PORT}/ready`)).status === 200;
        const stop = async (service: Running) => {
          expect(await service.stop()).to.deep.equal({ code: 0, signal: null });
          expect(service.stderr).to.equal('');
        };
        before(async () => {
          const DATABASE_URL = await createDatabase(server);
          name = new URL(DATABASE_URL).pathname.slice(1);
          const ports = { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
          env = { ...ports, DATABASE_URL, REDIS_URL: process.env.REDIS_URL ?? '', DATA_DIR: freshDirectory() };
        });

        it('lets a command that has to create the tables end with one line', async () => {
          await readOnly('on');
          const { code, stderr } = await callProgram(seasonCommand, ['list'], env);
          expect([code, stderr.split(': ').slice(0, 3)]).to.deep.equal([
            1,
            ['curvet', 'DATABASE_URL', 'the database is read-only'],
          ]);
        });

        // The first test begins with an empty database, in which its service creates the tables. The second test finds them.
        for (const tables of ['no tables', 'all tables'])
          it(`waits with ${tables}, and says why`, async () => {
            await readOnly('on');
            const service = run({ env });
            const [url, metrics] = [`http://127.0.0.1:${env.PORT}`, `http://127.0.0.1:${env.METRICS_PORT}`];
            await service.until(() => waits(service).length === 1, 'it does not say that it waits');
            const detail = 'the database is read-only';
            expect(service.log.at(-1)?.reason).to.include(`DATABASE_URL: ${detail}`);
            for (const probe of [`${url}/ready`, `${url}/health`, `${metrics}/ready`]) {
              const { status, body } = await getJson(probe);
              expect([status, body.code]).to.deep.equal([503, 'NOT_READY']);
              expect(body.database).to.deep.equal({ state: 'read-only', detail });
            }
            const scraped = await (await fetch(`${metrics}/metrics`)).text();
            for (const series of ['ready 0', 'database_up 1', 'database_read_only 1', 'database_full 0'])
              expect(scraped).to.include(`\ncurvet_${series}\n`);
            await readOnly('off');
            await service.ready();
            await eventually(isReady, 'it is not ready');
            expect(waits(service)).to.deep.equal(['40 database', '30 database']);
            await stop(service);
          });

        it('notices while it runs that the database becomes read-only, and writable again', async () => {
          const service = run({ env });
          await service.ready();
          await readOnly('on');
          await queryAt(server, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
          // No request of this test asks the database. So the service itself must notice the change.
          const health = async () => (await getJson(`${service.url}/health`)).body.database;
          await eventually(async () => (await health()) === 'read-only', 'it does not see it');
          await readOnly('off');
          await eventually(isReady, 'it is not ready again');
          const ofWrites = () => waits(service).filter((line) => line.endsWith('database writes'));
          await service.until(() => ofWrites().length === 2, 'it does not say that the database takes writes');
          expect(ofWrites()).to.deep.equal(['40 database writes', '30 database writes']);
          await stop(service);
        });
      });

      it('stops while it waits', async () => {
        const line = await FaultyLine.to(await createDatabase(server));
        await line.close();
        const service = run({ env: { DATA_DIR: freshDirectory(), DATABASE_URL: line.url } });
        await service.until(() => waits(service).length === 1, 'it does not say that it waits');
        expect(await service.stop()).to.deep.equal({ code: 0, signal: null });
        expect(service.stderr).to.equal('');
      });

      /** A role that may log in and read, but not create tables. Roles belong to the whole server, so it is dropped at the end. */
      const role = `curvet_outside_parts_${process.pid}`;
      before(() => queryAt(server, `create role ${role} login`));
      after(() => queryAt(server, `drop role ${role}`));

      it('stops without waiting for a migration that is running', async () => {
        const url = await createDatabase(server);
        await queryAt(
          url,
          // Makes each change of a table or another object wait for 30 seconds, so the first migration hangs.
          `create function slow() returns event_trigger language plpgsql as 'begin perform pg_sleep(30); end';
           create event trigger slow on ddl_command_start execute function slow()`,
        );
        const service = run({ env: { DATA_DIR: freshDirectory(), DATABASE_URL: url } });
        const sleeping = "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'";
        await eventually(async () => (await queryAt(url, sleeping)).length === 1, 'it does not migrate');
        // A stop that has to be forced would have the exit code 1.
        expect(await service.stop()).to.deep.equal({ code: 0, signal: null });
      });

      for (const [what, urlOf, line] of [
        [
          'a missing database',
          async () => new URL('/no_such_database', server).href,
          'the value is not accepted; the server says: database "no_such_database" does not exist',
        ],
        [
          'a role that lacks a right',
          async () => Object.assign(new URL(await createDatabase(server)), { username: role }).href,
          'the role lacks a right; the server says: permission denied for schema public',
        ],
      ] as const) {
        it(`ends with one line about ${what}`, async () => {
          const service = run({ env: { DATA_DIR: freshDirectory(), DATABASE_URL: await urlOf() } });
          expect((await service.exited).code).to.equal(1);
          expect(service.stderr).to.equal(`curvet: DATABASE_URL: ${line}\n`);
        });
      }
    });
  }
});
