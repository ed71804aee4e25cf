import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import WebSocket from 'ws';
import { eventually } from './support/service/process.js';
import { useWorld } from './support/world.js';

const root = join(import.meta.dirname, '..', '..');
const has = (command: string, flag: string): boolean => spawnSync(command, [flag], { timeout: 5000 }).status === 0;
const found = has('nginx', '-v') && has('openssl', 'version');

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });

type Reply = { readonly status: number; readonly headers: Record<string, unknown>; readonly text: string };

describe(found ? 'the example proxy' : 'the example proxy (SKIPPED: nginx or openssl is not installed)', function () {
  this.timeout(60_000);
  if (!found) return it('needs nginx and openssl: apt-get install nginx openssl');
  const world = useWorld({ TRUST_PROXY: '1', PUBLIC_URL: 'https://localhost:8443', RATE_LIMITS: 'off' });
  let directory: string;
  let nginx: ChildProcess;
  let tls: number;
  let plain: number;
  let complaints = '';

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'curvet-nginx-'));
    mkdirSync(join(directory, 'tls'));
    const key = ['-keyout', join(directory, 'tls/privkey.pem'), '-out', join(directory, 'tls/fullchain.pem')];
    const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes'];
    const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...subject, ...key], { timeout: 30_000 });
    expect(made.status).to.equal(0);
    [tls, plain] = [await freePort(), await freePort()];
    // The test replaces only paths, hosts and ports of the configuration. The address of the second replica refuses
    // connections.
    const conf = readFileSync(join(root, 'deploy/nginx.conf'), 'utf8')
      .replaceAll('/etc/nginx/tls', join(directory, 'tls'))
      .replaceAll('replica-1:4000', new URL(world.url).host)
      .replaceAll('replica-2:4000', '127.0.0.1:1')
      .replaceAll('8443', String(tls))
      .replaceAll('listen 8080', `listen 127.0.0.1:${plain}`)
      .replaceAll(`listen ${tls}`, `listen 127.0.0.1:${tls}`);
    writeFileSync(join(directory, 'default.conf'), conf);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${directory}/${name};`,
    );
    writeFileSync(
      join(directory, 'nginx.conf'),
      `daemon off; worker_processes 1; pid ${directory}/pid; error_log stderr warn;
events { worker_connections 512; }
http { access_log off; ${temporary.join(' ')} include ${directory}/default.conf; }`,
    );
    const args = ['-p', directory, '-c', join(directory, 'nginx.conf')];
    const checked = spawnSync('nginx', [...args, '-t'], { encoding: 'utf8', timeout: 10_000 });
    expect(checked.status, checked.stderr).to.equal(0);
    expect(checked.stderr).to.not.include('[warn]');
    nginx = spawn('nginx', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    nginx.stderr?.on('data', (chunk) => {
      complaints += chunk;
    });
    await eventually(async () => {
      if (nginx.exitCode !== null) throw new Error(complaints);
      return (await ask('/health').catch(() => undefined))?.status === 200;
    }, 'nginx does not answer');
  });
  after(async () => {
    if (nginx && nginx.exitCode === null) {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
    }
    if (directory) rmSync(directory, { recursive: true, force: true });
  });

  const ask = (path: string, options: RequestOptions = {}, body = ''): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const place = { host: '127.0.0.1', port: tls, path, rejectUnauthorized: false, agent: false as const };
      const sent = request({ ...place, ...options }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      sent.on('error', reject).end(body);
    });

  const SECURITY = {
    'strict-transport-security': 'max-age=31536000',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
  };

  it('forwards requests and sends each security header and HSTS exactly once', async () => {
    const { status, headers } = await ask('/health');
    expect(status).to.equal(200);
    // Node joins two headers of the same name into one value, which would not match.
    expect(headers).to.include(SECURITY);
    expect(headers['content-security-policy']).to.match(/^default-src 'self'/);
    expect(headers).to.not.have.property('x-powered-by');
    expect(headers.server).to.equal('nginx');
  });

  it('redirects plain HTTP to HTTPS with 308, which keeps method and body', async () => {
    const location = await new Promise((resolve, reject) => {
      const place = {
        host: '127.0.0.1',
        port: plain,
        method: 'POST',
        path: '/api/agents?x=1',
        headers: { host: 'a.test' },
      };
      plainRequest(place, ({ statusCode, headers }) => resolve([statusCode, headers.location]))
        .on('error', reject)
        .end();
    });
    expect(location).to.deep.equal([308, `https://a.test:${tls}/api/agents?x=1`]);
  });

  it('hides /metrics in every spelling, with a 404 in the form of the service', async () => {
    for (const path of [
      '/metrics',
      '/metrics/',
      '//metrics',
      '/%6detrics',
      '/a/../metrics',
      '/metrics?x',
      '/metrics//',
    ]) {
      const { status, headers, text } = await ask(path);
      expect(status, path).to.equal(404);
      expect(text).to.not.include('curvet_ready');
      expect(JSON.parse(text)).to.include({ success: false, error: 'Not found' });
      expect(headers, path).to.include({ ...SECURITY, 'content-type': 'application/json' });
    }
  });

  it('forwards the IP address of the client and ignores its X-Forwarded-For', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-api-key': 'w'.repeat(64) };
    for (let i = 0; i < 5; i++)
      await ask('/api/agents/status', { headers: { ...headers, 'x-forwarded-for': `203.0.113.${i}` } });
    expect((await ask('/api/agents/status', { headers })).status).to.equal(429);
  });

  it('forwards WebSockets, and server-sent events without buffering', async () => {
    const url = `wss://127.0.0.1:${tls}/graphql`;
    const origin = 'https://localhost:8443';
    const socket = new WebSocket(url, 'graphql-transport-ws', { rejectUnauthorized: false, origin });
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    expect(String((await once(socket, 'message'))[0])).to.include('connection_ack');
    socket.terminate();
    const query = encodeURIComponent('subscription { trade { trade { id } } }');
    const [status, chunk] = await new Promise<[number | undefined, string]>((resolve, reject) => {
      const place = { host: '127.0.0.1', port: tls, rejectUnauthorized: false, agent: false as const };
      const headers = { accept: 'text/event-stream' };
      const sent = request({ ...place, path: `/graphql?query=${query}`, headers }, (response) =>
        response.once('data', (chunk) => {
          resolve([response.statusCode, String(chunk)]);
          response.destroy();
        }),
      );
      sent.on('error', reject).end();
    });
    expect(status).to.equal(200);
    expect(chunk).to.match(/^id: \d+\n/);
  });

  it('refuses an oversized or malformed request in the form of the service', async () => {
    const large = await ask('/api/agents', { method: 'POST' }, 'x'.repeat(1_100_000)).catch(() => undefined);
    if (large) expect(JSON.parse(large.text)).to.include({ success: false, error: 'Request body too large' });
    const { status, text, headers } = await ask('/health', { headers: { big: 'x'.repeat(40_000) } });
    expect([status, JSON.parse(text).error]).to.deep.equal([400, 'Malformed request']);
    expect(headers).to.include(SECURITY);
  });

  it('limits the rate of requests per IP address', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const replies = await Promise.all(Array.from({ length: 400 }, () => ask('/health', { agent })));
    agent.destroy();
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).to.be.at.least(20);
    expect(replies.filter(({ status }) => status === 200).length).to.be.at.least(50);
    expect(JSON.parse(refused[0]?.text ?? '')).to.include({ success: false, error: 'Too many requests' });
    expect(refused[0]?.headers).to.include({ ...SECURITY, 'retry-after': '5' });
  });

  it('limits the connections per IP address', async () => {
    const conf = readFileSync(join(root, 'deploy/nginx.conf'), 'utf8');
    expect(conf).to.match(/limit_conn_zone \$binary_remote_addr zone=(\w+):10m;[\s\S]*limit_conn \1 200;/);
  });
});
