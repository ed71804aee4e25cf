import { expect } from 'chai';
import { testChain } from '../../../support/chain/chain.js';
import { createDatabase, serverUrl } from '../../../support/database.js';
import { freshName } from '../../../support/market/agents.js';
import { newTrader } from '../../../support/market/traders.js';
import { endProcesses, freshDirectory, replicaEnv, run } from '../../../support/service/process.js';
import { ask } from '../../../support/world.js';

describe('a process that is killed after a write', () => {
  afterEach(endProcesses);

  it('leaves its answer in the database, so that a retry at the next process gets the same API key', async () => {
    const [chain, name] = [await testChain(), freshName()];
    const trader = await newTrader(chain);
    await trader.register(name);
    const env: Record<string, string> = { ...replicaEnv(chain), LOG_LEVEL: 'info', DATA_DIR: freshDirectory() };
    if (serverUrl === undefined) env.EMBEDDED = '1';
    else env.DATABASE_URL = await createDatabase(serverUrl);
    const request = { body: { name, walletAddress: trader.wallet }, headers: { 'idempotency-key': 'killed' } };
    const start = async () => {
      const service = run({ env });
      await service.ready();
      return { service, answer: await ask(service.url, 'POST', '/api/agents', request) };
    };
    const first = await start();
    await first.service.stop('SIGKILL');
    const next = await start();
    const isReplayed = ({ answer }: typeof next) => [answer.status, answer.headers.get('idempotent-replayed')];
    expect([isReplayed(first), isReplayed(next)]).to.deep.equal([
      [201, null],
      [201, 'true'],
    ]);
    expect(next.answer.body).to.deep.equal(first.answer.body);
    const key = String(next.answer.body.apiKey);
    expect((await ask(next.service.url, 'GET', '/api/agents/me', { key })).status).to.equal(200);
  });
});
