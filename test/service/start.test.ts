import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { devAccount } from '../../src/chain/embedded-chain.js';
import {
  chainPid,
  commandOf,
  endProcesses,
  freshDirectory,
  getJson,
  isAlive,
  type Running,
  rpc,
  run,
} from '../support/service/process.js';
import { registerOver } from '../support/service/registration.js';

describe('a start of the service', () => {
  let data: string;
  let cwd: string;
  let around: { HOME: string; TMPDIR: string };
  const start = () => run({ env: { DATA_DIR: data, CORS_ORIGINS: 'https://app.test', ...around }, cwd });
  let first: Running;
  let second: Running;
  let agent: { wallet: string; key: string };
  let firstState: { code: unknown; contract: unknown; block: unknown };

  before(() => {
    data = join(freshDirectory(), 'data');
    cwd = freshDirectory();
    around = { HOME: freshDirectory(), TMPDIR: freshDirectory() };
  });
  after(endProcesses);

  it('with an empty directory prints one line with URL and embedded parts', async () => {
    first = start();
    await first.ready();
    expect(first.readyLine).to.match(
      /^Curvet is ready at http:\/\/127\.0\.0\.1:\d+ \(embedded: database, chain at http:\/\/127\.0\.0\.1:\d+, post host\)$/,
    );
    expect(first.stdout.match(/ready at/g)).to.have.length(1);
    expect(first.stderr).to.equal('');
  });

  it('answers /health with its chain, and /ready', async () => {
    const health = await getJson(`${first.url}/health`);
    expect(health.status).to.equal(200);
    expect(health.body).to.include({ success: true, status: 'ok', chainId: 84532, rpcUrl: first.rpcUrl });
    const ready = await getJson(`${first.url}/ready`);
    expect(ready.status).to.equal(200);
    expect(ready.body).to.nested.include({ ready: true, 'database.state': 'ok', 'chain.state': 'ok' });
    const code = await rpc(first.rpcUrl, 'eth_getCode', health.body.contractAddress, 'latest');
    expect(code).to.have.length.above(1000);
    firstState = { code, contract: health.body.contractAddress, block: undefined };
  });

  it("announces the relay to the chain, which only the service's own and allowed origins may call", async () => {
    const asked = (origin: string) =>
      fetch(first.rpcUrl, {
        method: 'POST',
        headers: { origin, 'content-type': 'text/plain' },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
      });
    const { port } = new URL(first.url);
    for (const origin of [first.url, `http://localhost:${port}`, 'https://app.test', 'chrome-extension://abc']) {
      const answer = await asked(origin);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([200, origin]);
    }
    for (const origin of ['https://evil.test', `http://evil.test:${port}`, 'http://127.0.0.1:1', 'null']) {
      const answer = await asked(origin);
      expect([answer.status, answer.headers.get('access-control-allow-origin')], origin).to.deep.equal([403, null]);
    }
    const listening = / --host (\S+) --port (\d+) /.exec(commandOf(chainPid(data) as number));
    expect(listening?.[2]).to.match(/^\d+$/).and.not.equal(new URL(first.rpcUrl).port);
    const documents = await Promise.all(['/health', '/docs', '/openapi.json'].map((path) => fetch(first.url + path)));
    for (const document of documents) {
      expect(await document.text())
        .to.include(first.rpcUrl)
        .and.not.include(`:${listening?.[2]}`);
    }
  });

  it('refuses a second process on the same directory in one line and keeps running', async () => {
    const other = start();
    expect(await other.exited).to.include({ code: 1 });
    expect(other.stderr).to.equal(`curvet: DATA_DIR: "${data}" is in use by another process\n`);
    expect(other.stdout).to.equal('');
    expect((await getJson(`${first.url}/ready`)).status).to.equal(200);
    expect(isAlive(chainPid(data))).to.equal(true);
  });

  it('with the directory of the first start finds contract, chain and agents again', async () => {
    agent = await registerOver(first, 'Lasting One');
    firstState.block = await rpc(first.rpcUrl, 'eth_blockNumber');
    expect(await first.stop()).to.include({ code: 0 });
    second = start();
    // The documentation promises less than 3 s.
    expect(await second.ready()).to.be.below(30_000);
    const { body } = await getJson(`${second.url}/health`);
    expect(body.contractAddress).to.equal(firstState.contract);
    expect(await rpc(second.rpcUrl, 'eth_getCode', body.contractAddress, 'latest')).to.equal(firstState.code);
    expect(Number(await rpc(second.rpcUrl, 'eth_blockNumber'))).to.be.at.least(Number(firstState.block));
    const headers = { 'x-api-key': agent.key };
    const status = await fetch(`${second.url}/api/agents/status`, { headers });
    expect(await status.json()).to.deep.include({ success: true, name: 'Lasting One', agentId: 'lasting_one' });
  });

  it('logs one JSON line per request without duplicate names', async () => {
    await second.until(
      () => second.log.some(({ route }) => route === '/api/agents/status'),
      'the log has no line about the request',
    );
    const lines = second.stdout.split('\n').filter((line) => line.startsWith('{'));
    for (const line of lines) {
      const names = [...line.matchAll(/[{,]"(\w+)":/g)].map((match) => match[1]);
      expect(new Set(names).size, line).to.equal(names.length);
    }
    expect(second.stdout).to.not.include(agent.key);
  });

  it('writes no file outside its directory', async () => {
    expect(await second.stop()).to.include({ code: 0 });
    expect(readdirSync(data).sort()).to.deep.equal(['chain', 'database', 'lock']);
    for (const place of [cwd, around.HOME, around.TMPDIR]) expect(readdirSync(place)).to.deep.equal([]);
  });

  describe('after a crash', () => {
    it('ends the orphaned chain and keeps its last transaction', async () => {
      const crashed = start();
      await crashed.ready();
      const orphan = chainPid(data) as number;
      const hash = await rpc(crashed.rpcUrl, 'eth_sendTransaction', {
        from: devAccount(6).address,
        to: agent.wallet,
        value: '0x1',
      });
      // The chain saves its state once a second, even after the service is killed.
      expect(await crashed.stop('SIGKILL')).to.include({ signal: 'SIGKILL' });
      expect(isAlive(orphan)).to.equal(true);
      const next = start();
      await next.ready();
      expect(isAlive(orphan)).to.equal(false);
      expect(chainPid(data)).to.not.equal(orphan);
      expect(await rpc(next.rpcUrl, 'eth_getTransactionByHash', hash)).to.include({ hash });
      await next.stop();
    });

    it('exits with an error when its chain exits', async () => {
      const left = start();
      await left.ready();
      process.kill(chainPid(data) as number, 'SIGKILL');
      expect(await left.exited).to.include({ code: 1 });
      expect(left.log.at(-1)).to.include({ reason: 'the embedded chain has ended', msg: 'stopping' });
    });
  });
});
