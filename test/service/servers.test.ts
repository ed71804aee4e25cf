// Server, CI: it starts the service on PostgreSQL and Redis.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { migrationNames } from '../../src/store/new-database.js';
import { testChain } from '../support/chain/chain.js';
import { createDatabase, serverUrl } from '../support/database.js';
import { endProcesses, freshDirectory, getJson, run } from '../support/service/process.js';

const redis = process.env.REDIS_URL;

if (serverUrl !== undefined && redis !== undefined) {
  const server = serverUrl;
  describe('the service on PostgreSQL and Redis', () => {
    after(endProcesses);

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
  });
}
