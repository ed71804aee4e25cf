import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './ports.js';

export const hasRedis = (): boolean => spawnSync('redis-server', ['--version']).status === 0;

/** A private Redis server on a free loopback port. It does not persist data. */
export class RedisServer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly directory: string,
    readonly port: number,
  ) {}

  static async start(): Promise<RedisServer> {
    const port = await freePort();
    const directory = mkdtempSync(join(tmpdir(), 'curvet-redis-'));
    const process = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory],
      { stdio: 'ignore' },
    );
    const server = new RedisServer(process, directory, port);
    while (!(await answers(port))) {
      if (process.exitCode !== null) throw new Error('redis-server has exited');
      await sleep(20);
    }
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const exited = once(this.process, 'exit');
      this.process.kill('SIGKILL');
      await exited;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
