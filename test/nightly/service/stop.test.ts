import { existsSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { devAccount } from '../../../src/chain/embedded-chain.js';
import { thrownBy } from '../../support/refused.js';
import {
  chainPid,
  endProcesses,
  eventually,
  freshDirectory,
  getJson,
  isAlive,
  type Running,
  rpc,
  run,
  usedDirectory,
} from '../../support/service/process.js';

/**
 * A stop waits for a part that hangs, and then ends it. With the factor 100 of the other tests, the wait would take minutes. With
 * 1, a slow machine would not stop in time.
 */
const TIMEOUT_FACTOR = '3';

/** Opens a raw connection, and records the text that it receives. */
function talk(url: string): { socket: Socket; heard: () => string; closed: Promise<void> } {
  let text = '';
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, heard: () => text, closed };
}

describe('a service that stops', () => {
  let directory: string;
  const start = async (): Promise<Running> => {
    const service = run({ env: { DATA_DIR: directory, TIMEOUT_FACTOR } });
    await service.ready();
    return service;
  };
  const gone = () => {
    expect(existsSync(join(directory, 'chain', 'pid'))).to.equal(false);
  };

  before(async () => {
    directory = await usedDirectory();
  });
  after(endProcesses);

  it('answers requests in progress, accepts no new ones and waits for no endless one', async () => {
    const service = await start();
    const chain = chainPid(directory);
    const body = JSON.stringify({ verificationCode: 'none', tweetUrl: 'https://x.com/a/status/1' });
    const post = `POST /api/agents/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    const [slow, endless] = [talk(service.url), talk(service.url)];
    slow.socket.write(`${post}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`);
    endless.socket.write(`${post}Content-Length: 100\r\n\r\n{`);
    // The service accepts connections in order. So when it answers this request, it has accepted the two connections above.
    expect((await getJson(`${service.url}/health`)).status).to.equal(200);
    const stopping = service.stop('SIGINT');
    const isStopping = () => service.log.some(({ msg, reason }) => msg === 'stopping' && reason === 'SIGINT');
    await service.until(isStopping, 'the service does not stop');
    const isRefused = async () => (await thrownBy(getJson(`${service.url}/health`))) !== undefined;
    await eventually(isRefused, 'the service still accepts connections');
    slow.socket.write(body.slice(10));
    expect(await stopping).to.include({ code: 0, signal: null });
    await Promise.all([slow.closed, endless.closed]);
    expect(slow.heard()).to.match(/^HTTP\/1\.1 4\d\d .*"success":false/s);
    expect(endless.heard()).to.equal('');
    expect(isAlive(chain)).to.equal(false);
    gone();
  });

  it('ends a chain that hangs', async () => {
    const service = await start();
    const chain = chainPid(directory) as number;
    process.kill(chain, 'SIGSTOP');
    expect(await service.stop()).to.include({ code: 0 });
    await eventually(() => !isAlive(chain), 'the chain still runs');
    gone();
  });

  it('exits cleanly while a new database is created', async () => {
    const fresh = freshDirectory();
    const service = run({ env: { DATA_DIR: fresh, TIMEOUT_FACTOR } });
    await service.until(() => existsSync(join(fresh, 'database')), 'the service creates no database');
    expect(await service.stop()).to.include({ code: 0, signal: null });
    expect(service.stdout + service.stderr).to.equal('');
    expect(chainPid(fresh)).to.equal(undefined);
  });

  it('exits cleanly while its chain starts, and starts again after that', async () => {
    const service = run({ env: { DATA_DIR: directory, TIMEOUT_FACTOR } });
    await service.until(() => chainPid(directory) !== undefined, 'the service starts no chain');
    const chain = chainPid(directory);
    expect(await service.stop('SIGINT')).to.include({ code: 0, signal: null });
    expect(isAlive(chain)).to.equal(false);
    expect(service.readyLine).to.equal(undefined);
    gone();
    const next = await start();
    expect(await next.stop()).to.include({ code: 0 });
    expect(readdirSync(directory).sort()).to.deep.equal(['chain', 'database', 'lock']);
  });

  it('leaves a chain when it crashes, which the next start ends while it keeps the last transaction', async () => {
    const crashed = await start();
    const orphan = chainPid(directory) as number;
    const [from, to] = [devAccount(6).address, devAccount(5).address];
    const hash = await rpc(crashed.rpcUrl, 'eth_sendTransaction', { from, to, value: '0x1' });
    // The chain saves its state once a second, even after the service is killed.
    expect(await crashed.stop('SIGKILL')).to.include({ signal: 'SIGKILL' });
    expect(isAlive(orphan)).to.equal(true);
    const next = await start();
    expect(isAlive(orphan)).to.equal(false);
    expect(chainPid(directory)).to.not.equal(orphan);
    expect(await rpc(next.rpcUrl, 'eth_getTransactionByHash', hash)).to.include({ hash });
    expect(await next.stop()).to.include({ code: 0 });
  });

  it('exits with an error when its chain ends', async () => {
    const left = await start();
    process.kill(chainPid(directory) as number, 'SIGKILL');
    expect(await left.exited).to.include({ code: 1 });
    expect(left.log.at(-1)).to.include({ reason: 'the embedded chain has ended', msg: 'stopping' });
  });
});
