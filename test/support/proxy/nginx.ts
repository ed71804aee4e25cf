import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HANG_MS } from '../hang.js';
import { childEnvironment } from '../processes.js';
import { freePort } from '../servers/ports.js';
import { eventually, root } from '../service/process.js';

const has = (command: string, flag: string): boolean => spawnSync(command, [flag], { timeout: HANG_MS }).status === 0;

/** Whether nginx and openssl are installed, so that nginx can run with the example configuration. */
export const hasNginx = (): boolean => has('nginx', '-v') && has('openssl', 'version');

export type Certificate = { readonly certificate: string; readonly key: string };

/** Creates a self-signed certificate for localhost in a directory. */
export function selfSigned(directory: string, name: string, days = 2): Certificate {
  const [certificate, key] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', String(days)];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const args = ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', certificate];
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8', timeout: HANG_MS });
  if (status !== 0) throw new Error(stderr);
  return { certificate, key };
}

/** nginx with the example configuration `deploy/nginx.conf`, in which only paths, hosts and ports are replaced. */
export class ExampleProxy {
  /** What nginx wrote to its error log. */
  complaints = '';
  #process: ChildProcess | undefined;

  private constructor(
    readonly directory: string,
    readonly tlsPort: number,
    readonly plainPort: number,
  ) {}

  /** `replicas`: the addresses of the two replicas, such as `127.0.0.1:4000`. `edit` changes the configuration. */
  static async start(
    replicas: readonly [string, string],
    edit: (configuration: string) => string = (same) => same,
  ): Promise<ExampleProxy> {
    const directory = mkdtempSync(join(tmpdir(), 'curvet-nginx-'));
    const proxy = new ExampleProxy(directory, await freePort(), await freePort());
    try {
      proxy.#configure(replicas, edit);
      await proxy.#run();
    } catch (error) {
      await proxy.stop();
      throw error;
    }
    return proxy;
  }

  /** The text of the access log. */
  get logged(): string {
    return readFileSync(join(this.directory, 'access.log'), 'utf8');
  }

  /** The complete lines of the access log, parsed as JSON. */
  get log(): Record<string, unknown>[] {
    return [...this.logged.matchAll(/.+(?=\n)/g)].map(([line]) => JSON.parse(line));
  }

  /** The directory with the certificate and its key. */
  get tls(): string {
    return join(this.directory, 'tls');
  }
  /** The copy of deploy/nginx.conf. */
  get configuration(): string {
    return join(this.directory, 'default.conf');
  }
  /** The command that runs nginx with this configuration, for example to reload it. */
  get command(): string {
    return `nginx ${this.#args.join(' ')}`;
  }
  get #args(): string[] {
    return ['-p', this.directory, '-c', join(this.directory, 'nginx.conf')];
  }

  #configure(replicas: readonly [string, string], edit: (configuration: string) => string): void {
    const { directory, tlsPort, plainPort } = this;
    mkdirSync(this.tls);
    const { certificate, key } = selfSigned(directory, 'first');
    copyFileSync(certificate, join(this.tls, 'fullchain.pem'));
    copyFileSync(key, join(this.tls, 'privkey.pem'));
    // Replaces the ports first, because a directory or the address of a replica may contain the same digits.
    const example = readFileSync(join(root, 'deploy/nginx.conf'), 'utf8')
      .replaceAll('8443', String(tlsPort))
      .replaceAll('listen 8080', `listen 127.0.0.1:${plainPort}`)
      .replaceAll(`listen ${tlsPort}`, `listen 127.0.0.1:${tlsPort}`)
      .replaceAll('/etc/nginx/tls', this.tls)
      .replaceAll('/var/log/nginx', this.directory)
      .replaceAll('replica-1:4000', replicas[0])
      .replaceAll('replica-2:4000', replicas[1]);
    writeFileSync(this.configuration, edit(example));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`);
    writeFileSync(
      join(directory, 'nginx.conf'),
      `daemon off; worker_processes 1; pid ${directory}/pid; error_log stderr warn;
events { worker_connections 512; }
http { access_log ${directory}/access.log; ${temporary.join(' ')} include ${directory}/default.conf; }`,
    );
  }

  async #run(): Promise<void> {
    const checked = spawnSync('nginx', [...this.#args, '-t'], { encoding: 'utf8', timeout: HANG_MS });
    if (checked.status !== 0 || checked.stderr.includes('[warn]')) throw new Error(checked.stderr);
    const nginx = spawn('nginx', this.#args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: childEnvironment(),
      cwd: this.directory,
    });
    this.#process = nginx;
    nginx.stderr?.on('data', (chunk) => {
      this.complaints += chunk;
    });
    await eventually(async () => {
      if (nginx.exitCode !== null) throw new Error(this.complaints);
      const answer = await fetch(`http://127.0.0.1:${this.plainPort}/`, { redirect: 'manual' }).catch(() => undefined);
      // The port without TLS redirects every request to TLS.
      return answer?.status === 308;
    }, 'nginx does not answer');
  }

  async stop(): Promise<void> {
    const nginx = this.#process;
    if (nginx && nginx.exitCode === null) {
      const exited = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await exited;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}
