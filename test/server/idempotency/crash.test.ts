// Server, CI: it behaves differently on PostgreSQL or Redis, and it starts processes.
import { expect } from 'chai';
import { type TestChain, testChain } from '../../support/chain/chain.js';
import { createDatabase, serverUrl } from '../../support/database.js';
import { freshName, success } from '../../support/market/agents.js';
import { newTrader } from '../../support/market/traders.js';
import { endProcesses, eventually, freshDirectory, run } from '../../support/service/process.js';
import { type Answer, ask } from '../../support/world.js';
import type { Death } from './replica.js';

describe('a process that is killed during a write', () => {
  let chain: TestChain;
  let place: string;

  beforeEach(async () => {
    chain = await testChain();
    place = serverUrl === undefined ? `${freshDirectory()}/database` : await createDatabase(serverUrl);
  });
  afterEach(endProcesses);

  /** Starts a process on the same database. */
  async function start(death: Death) {
    const program = '../test/server/idempotency/replica.js';
    const replica = run({ program: [program, place, chain.rpcUrl, chain.contract, death] });
    await replica.until(() => replica.stdout.includes('\n'), 'the replica does not listen');
    return { replica, url: replica.stdout.trim() };
  }

  async function registration() {
    const [trader, name] = [await newTrader(chain), freshName()];
    await trader.register(name);
    const headers = { 'idempotency-key': 'dc2b7c1e-4b4e-4d43-8a3f-5f2f64d2b0c7' };
    return { body: { name, walletAddress: trader.wallet }, headers };
  }

  const register = (url: string, request: Awaited<ReturnType<typeof registration>>): Promise<Answer> =>
    ask(url, 'POST', '/api/agents', request);

  it('has stored the answer if it has committed the effect, so that a retry still gets the API key', async () => {
    const request = await registration();
    const first = await start('after-commit');
    const failure = await register(first.url, request).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    await first.replica.stop('SIGKILL');
    const { url } = await start('never');
    const retry = await register(url, request);
    expect([retry.status, retry.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true']);
    const key = String(retry.body.apiKey);
    const me = success(await ask(url, 'GET', '/api/agents/me', { key }));
    expect(me.agent).to.include({ walletAddress: request.body.walletAddress });
    expect((await register(url, request)).body).to.deep.equal(retry.body);
  });

  it('loses its lease if it has not, so that a retry executes the write seconds later', async () => {
    const request = await registration();
    const first = await start('before-effect');
    const failure = register(first.url, request).catch((error: unknown) => error);
    await first.replica.until(() => first.replica.stdout.endsWith('asked\n'), 'the chain was not asked');
    await first.replica.stop('SIGKILL');
    expect(await failure).to.be.instanceOf(Error);
    const { url } = await start('never');
    const answers: Answer[] = [];
    await eventually(async () => {
      answers.push(await register(url, request));
      return answers.at(-1)?.body.error !== 'Request in progress';
    }, 'the lease did not end');
    const last = answers.at(-1) as Answer;
    expect([last.status, last.headers.get('idempotent-replayed')]).to.deep.equal([201, null]);
    expect(answers.slice(0, -1).every(({ headers }) => headers.get('retry-after') === '1')).to.equal(true);
  });
});
