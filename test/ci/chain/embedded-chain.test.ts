import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { type DevChain, DevChainError, devAccount, devFaucet, startDevChain } from '../../../src/chain/embedded-chain.js';
import { childEnvironment } from '../../support/processes.js';
import { thrownBy } from '../../support/refused.js';
import { listen } from '../../support/service/listen.js';
import { chainPid, commandOf, endProcesses, eventually, freshDirectory, isAlive, rpc } from '../../support/service/process.js';
import { testTimes } from '../../support/times.js';

describe('the embedded chain', () => {
  const chains: DevChain[] = [];
  const at = async (directory: string, startAt?: Date): Promise<DevChain> => {
    const chain = await startDevChain({
      directory: join(directory, 'chain'),
      chainId: 4711,
      startAt,
      times: testTimes,
    });
    chains.push(chain);
    return chain;
  };
  afterEach(async () => {
    for (const chain of chains.splice(0)) await chain.stop();
  });
  after(endProcesses);

  it('has the configured chain id and the contract at a fixed address', async () => {
    const [a, b] = await Promise.all([at(freshDirectory()), at(freshDirectory())]);
    expect(a.contract).to.match(/^0x[0-9a-f]{40}$/);
    expect(b.contract).to.equal(a.contract);
    expect(await rpc(a.rpcUrl, 'eth_chainId')).to.equal('0x1267');
    expect(await rpc(a.rpcUrl, 'eth_getCode', a.contract, 'latest')).to.have.length.above(1000);
  });

  it('keeps its blocks and follows the system time over restarts, and reports its end', async () => {
    const directory = freshDirectory();
    const header = async ({ rpcUrl }: DevChain, number: string) =>
      (await rpc(rpcUrl, 'eth_getBlockByNumber', number, false)) as { hash: string; timestamp: string };
    const past = new Date('2026-01-01');
    let known: string | undefined;
    for (let i = 0; i < 4; i++) {
      const before = new Date();
      before.setMilliseconds(0);
      const chain = await at(directory, past);
      const { hash } = await header(chain, '0x0');
      expect(hash).to.equal(known ?? hash);
      known = hash;
      expect(await rpc(chain.rpcUrl, 'eth_blockNumber')).to.equal(`0x${i + 1}`);
      expect(await rpc(chain.rpcUrl, 'eth_getCode', chain.contract, 'latest')).to.have.length.above(1000);
      await rpc(chain.rpcUrl, 'evm_mine');
      const time = new Date(Number((await header(chain, 'latest')).timestamp) * 1000);
      // Only the first start uses `past` as the time of the chain. Later starts use the system time.
      const [from, to] = i === 0 ? [past, before] : [before, new Date()];
      expect(time).to.be.within(from, to);
      await chain.stop();
      expect(await chain.exited).to.deep.equal({ expected: true });
      expect(existsSync(join(directory, 'chain', 'pid'))).to.equal(false);
    }
  });

  it('listens on a different loopback address and a random port at every start', async function () {
    if (process.platform !== 'linux') return this.skip();
    const directory = freshDirectory();
    const urls: URL[] = [];
    for (let i = 0; i < 3; i++) {
      const chain = await at(directory);
      urls.push(new URL(chain.rpcUrl));
      await chain.stop();
    }
    for (const { hostname } of urls) expect(hostname).to.match(/^127\.[1-9]\d*\.[1-9]\d*\.[1-9]\d*$/);
    expect(new Set(urls.map(({ hostname }) => hostname)).size).to.equal(3);
    // The system may assign the same port twice, but hardly three times.
    expect(new Set(urls.map(({ port }) => port)).size).to.be.greaterThan(1);
  });

  it('does not accept JSON-RPC from web pages over HTTP', async () => {
    const { rpcUrl } = await at(freshDirectory());
    const ask = (method: string, type: string) =>
      fetch(rpcUrl, {
        method,
        headers: {
          origin: 'https://evil.test',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
          'content-type': type,
        },
        ...(method === 'POST' && { body: '{"jsonrpc":"2.0","id":1,"method":"anvil_nodeInfo","params":[]}' }),
      });
    const preflight = await ask('OPTIONS', 'application/json');
    expect(preflight.ok).to.equal(false);
    expect(preflight.headers.get('access-control-allow-origin')).to.equal(null);
    // A web page may send these content types without a preflight, so the chain itself must refuse them.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      expect(await (await ask('POST', type)).text(), type).to.not.include('"result"');
    }
  });

  it('receives the transactions of its faucet already signed', async () => {
    const { rpcUrl } = await at(freshDirectory());
    const methods: string[] = [];
    const recorder = createServer(async (req, res) => {
      const body = (await req.toArray()).join('');
      for (const { method } of [JSON.parse(body)].flat()) methods.push(method);
      const reply = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      res.end(await reply.text());
    });
    try {
      await devFaucet(await listen(recorder), 4711, testTimes)(devAccount(9).address);
    } finally {
      recorder.close();
    }
    // The account has 10,000 ETH from the start, and the faucet sends 1.
    expect(BigInt(String(await rpc(rpcUrl, 'eth_getBalance', devAccount(9).address, 'latest')))).to.equal(10_001n * 10n ** 18n);
    expect(methods).to.include('eth_sendRawTransaction').and.not.include('eth_sendTransaction');
  });

  it('ends the orphaned process of an earlier run', async () => {
    const directory = freshDirectory();
    const first = await at(directory);
    const orphan = chainPid(directory) as number;
    const second = await at(directory);
    expect(await first.exited).to.deep.equal({ expected: false });
    expect(isAlive(orphan)).to.equal(false);
    expect(await rpc(second.rpcUrl, 'eth_chainId')).to.equal('0x1267');
  });

  it('does not kill an unrelated process with the recorded pid', async () => {
    const directory = freshDirectory();
    mkdirSync(join(directory, 'chain'));
    const state = join(directory, 'chain', 'state.json');
    const innocent = spawn(process.execPath, ['-e', 'process.stdin.resume()', state], {
      env: childEnvironment(),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    try {
      await eventually(() => commandOf(innocent.pid as number).includes(state), 'the process does not run');
      writeFileSync(join(directory, 'chain', 'pid'), String(innocent.pid));
      const chain = await at(directory);
      expect(chainPid(directory)).to.not.equal(innocent.pid);
      await chain.stop();
      expect(commandOf(innocent.pid as number)).to.include(state);
    } finally {
      innocent.kill('SIGKILL');
    }
  });

  it('starts despite a malformed pid file', async () => {
    for (const recorded of ['', 'garbage', '-1', '0', '1', '1e3', '99999999']) {
      const directory = freshDirectory();
      mkdirSync(join(directory, 'chain'));
      writeFileSync(join(directory, 'chain', 'pid'), recorded);
      const chain = await at(directory);
      expect(readFileSync(join(directory, 'chain', 'pid'), 'utf8')).to.match(/^\d+$/);
      await chain.stop();
    }
  });

  it('reports in one line why it does not start', async () => {
    const directory = freshDirectory();
    mkdirSync(join(directory, 'chain'));
    writeFileSync(join(directory, 'chain', 'state.json'), 'not a state');
    expect(await thrownBy(at(directory)))
      .to.be.instanceOf(DevChainError)
      .with.property('message')
      .that.matches(/^RPC_URL: not set, and the embedded chain does not start: [^\n]+$/);
    expect(existsSync(join(directory, 'chain', 'pid'))).to.equal(false);
  });
});
