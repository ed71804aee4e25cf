// Nightly: each test stops a process of the service; start.test.ts stops one, too. The exit code is 1 if a stop takes too long.
import { cpSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import {
  chainPid,
  endProcesses,
  eventually,
  freshDirectory,
  isAlive,
  type Running,
  root,
  run,
  usedDirectory,
} from '../support/service/process.js';

/** A stop waits for this many times as long as usual for a part that hangs, before it ends the part. */
const TIMEOUT_FACTOR = '3';

/** A raw connection that records the received text. */
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

describe('a stop of the service', () => {
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

  it('answers requests in progress, accepts no new ones and waits for no endless or idle one', async () => {
    const service = await start();
    const chain = chainPid(directory);
    const idle = talk(service.url);
    idle.socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => idle.heard().includes('"success":true'), 'no answer arrived');
    const body = JSON.stringify({ verificationCode: 'none', tweetUrl: 'https://x.com/a/status/1' });
    const { socket, heard } = talk(service.url);
    socket.write(
      `POST /api/agents/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.slice(0, 10));
    const late = talk(service.url);
    late.socket.write('GET /health HTTP/1.1\r\nHost: x\r\n');
    const endless = talk(service.url);
    endless.socket.write('POST /api/agents/verify HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    const other = request(`${service.url}/health`, { agent: false });
    await new Promise<void>((resolve) => other.on('response', (r) => r.resume().on('end', resolve)).end());
    const stopping = service.stop('SIGINT');
    const isStopping = () => service.log.some(({ msg, reason }) => msg === 'stopping' && reason === 'SIGINT');
    await service.until(isStopping, 'the service does not stop');
    await eventually(() => refused(service.url), 'the service still accepts connections');
    socket.write(body.slice(10));
    late.socket.write('\r\n');
    await eventually(() => heard().includes('"success":false'), 'the request got no answer');
    expect(heard()).to.match(/^HTTP\/1\.1 4\d\d /);
    await eventually(() => late.heard().includes('"success":true'), 'the other request got no answer');
    expect(await stopping).to.include({ code: 0, signal: null });
    await Promise.all([endless.closed, idle.closed]);
    expect(isAlive(chain)).to.equal(false);
    expect(endless.heard()).to.equal('');
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

  it('exits cleanly while a new database is initialized without a snapshot, and the next start works', async () => {
    const fresh = freshDirectory();
    const program = [withoutSnapshot()] as const;
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const service = run({ env: { DATA_DIR: fresh, TIMEOUT_FACTOR }, program });
      await service.until(() => existsSync(join(fresh, 'database.new')), 'the service creates no database');
      expect(await service.stop(signal)).to.include(
        signal === 'SIGTERM' ? { code: 0, signal: null } : { code: null, signal },
      );
      expect(service.stdout + service.stderr).to.equal('');
      expect(existsSync(join(fresh, 'database'))).to.equal(false);
    }
    const next = run({ env: { DATA_DIR: fresh, TIMEOUT_FACTOR }, program });
    await next.ready();
    expect(await next.stop()).to.include({ code: 0 });
    expect(readdirSync(fresh).sort()).to.deep.equal(['chain', 'database', 'lock']);
  });

  it('exits cleanly while the chain starts, and the next start works', async () => {
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
});

function refused(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}

/**
 * Copies the compiled service to a directory without the snapshot of a new database. Returns its path in the form that
 * `run` expects.
 */
function withoutSnapshot(): string {
  const copy = freshDirectory();
  for (const name of readdirSync(root)) {
    if (name !== 'dist' && !name.startsWith('.')) symlinkSync(join(root, name), join(copy, name));
  }
  for (const part of ['src', 'schema']) cpSync(join(root, 'dist', part), join(copy, 'dist', part), { recursive: true });
  return relative(join(root, 'dist', 'src'), join(copy, 'dist', 'src', 'main.js'));
}
