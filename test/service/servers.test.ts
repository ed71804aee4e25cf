// Server, CI: it starts the service on PostgreSQL and Redis.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { readConfig } from '../../src/config.js';
import { startService } from '../../src/service/service.js';
import { migrationNames } from '../../src/store/new-database.js';
import { testChain } from '../support/chain/chain.js';
import { createDatabase, serverUrl } from '../support/database.js';
import {
  chainPid,
  chainPort,
  endProcesses,
  freshDirectory,
  getJson,
  isAlive,
  run,
} from '../support/service/process.js';
import { TIMEOUT_FACTOR } from '../support/times.js';

const redis = process.env.REDIS_URL;

if (serverUrl !== undefined && redis !== undefined) {
  const server = serverUrl;
  describe('the service on PostgreSQL and Redis', () => {
    after(endProcesses);

    it('runs with the embedded chain and keeps its data over a restart', async () => {
      const directory = freshDirectory();
      const env = { DATA_DIR: directory, DATABASE_URL: await createDatabase(server), REDIS_URL: redis };
      const config = readConfig({ ...env, PORT: '0', CHAIN_PORT: chainPort(), TIMEOUT_FACTOR });
      const contracts = [];
      for (let i = 0; i < 2; i++) {
        const service = await startService(config, pino({ level: 'silent' }));
        expect(service.embedded.join()).to.match(/^chain at http:\/\/127\.0\.0\.1:\d+,post host$/);
        expect(isAlive(chainPid(directory))).to.equal(true);
        expect((await getJson(`${service.url}/ready`)).body).to.nested.include({ 'database.state': 'ok', ready: true });
        contracts.push((await getJson(`${service.url}/health`)).body.contractAddress);
        await service.stop();
        expect(isAlive(chainPid(directory))).to.equal(false);
      }
      expect(contracts[0]).to.equal(contracts[1]);
      expect(existsSync(join(directory, 'database'))).to.equal(false);
    });

    it('starts two replicas concurrently on an empty database; one continues when the other stops', async () => {
      const chain = await testChain();
      const directory = freshDirectory();
      const env = {
        DATA_DIR: join(directory, 'unused'),
        DATABASE_URL: await createDatabase(server),
        REDIS_URL: redis,
        RPC_URL: chain.rpcUrl,
        CONTRACT_ADDRESS: chain.contract,
        SOCIAL_TEXT_PROXY: 'https://proxy.test/{url}',
        // Other services of this machine may share the Redis server, and so the limits of this address.
        RATE_LIMITS: 'off',
      };
      const replicas = [run({ env }), run({ env })] as const;
      await Promise.all(replicas.map((replica) => replica.ready()));
      const ran = replicas.flatMap(({ readyLine }) => readyLine?.migrations as { name: string; ms: number }[]);
      expect(
        ran.map(({ name }) => name),
        'each migration ran once',
      ).to.deep.equal(migrationNames());
      for (const { ms } of ran) expect(ms).to.be.a('number');
      for (const replica of replicas) {
        expect(replica.readyLine?.embedded).to.deep.equal([]);
        // The requests are concurrent, so that the service opens more connections to the database.
        const paths = ['agents', 'trending', 'leaderboard', 'feed', 'seasons', 'search?q=nobody'];
        const answers = await Promise.all(paths.map((path) => getJson(`${replica.url}/api/${path}`)));
        expect(answers.map((answer) => answer.status)).to.deep.equal(paths.map(() => 200));
        expect(replica.stderr).to.equal('');
        const { status, body } = await getJson(`${replica.url}/health`);
        expect(status).to.equal(200);
        // The service does not publish the URL of an external RPC.
        expect(body).to.include({ contractAddress: chain.contract }).and.not.have.property('rpcUrl');
      }
      const [first, second] = replicas;
      expect(await first.stop()).to.include({ code: 0 });
      expect((await getJson(`${second.url}/health`)).status).to.equal(200);
      expect(await second.stop()).to.include({ code: 0 });
      expect(existsSync(env.DATA_DIR)).to.equal(false);
    });
  });
}
