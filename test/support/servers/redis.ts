import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../service/process.js';
import { freePort } from './ports.js';

export const hasRedis = (): boolean => spawnSync('redis-server', ['--version']).status === 0;

/** A private Redis server on a free loopback port, without persistence. A test can kill, freeze and restart it. */
export class RedisServer {
  #process: ChildProcess | undefined;

  private constructor(
    private readonly directory: string,
    readonly port: number,
    private readonly password: string,
  ) {}

  /** `password` is that of the default user. @default no password is needed */
  static async start(password = ''): Promise<RedisServer> {
    const server = new RedisServer(mkdtempSync(join(tmpdir(), 'curvet-redis-')), await freePort(), password);
    await server.run();
    return server;
  }

  get url(): string {
    return this.urlWith(this.password);
  }

  urlWith(password: string, user = ''): string {
    return `redis://${password && `${user}:${password}@`}127.0.0.1:${this.port}`;
  }

  /** Starts the server and waits until it accepts connections. */
  async run(): Promise<void> {
    const process = spawn(
      'redis-server',
      [
        '--port',
        String(this.port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
        '--dir',
        this.directory,
        '--requirepass',
        this.password,
      ],
      { stdio: 'ignore' },
    );
    this.#process = process;
    await eventually(() => {
      if (process.exitCode !== null || process.signalCode !== null) throw new Error('redis-server has exited');
      return answers(this.port);
    }, 'redis-server does not accept connections');
  }

  /** Stops the process. The kernel still accepts connections, but no command is answered. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const server = this.#process;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  }

  async stop(): Promise<void> {
    await this.kill();
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
