import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { expect } from 'chai';
import WebSocket from 'ws';
import { ExampleProxy, hasNginx } from '../../support/proxy/nginx.js';
import { eventually, root } from '../../support/service/process.js';
import { rawAsk } from '../../support/service/raw-requests.js';
import { useWorld } from '../../support/world.js';

const found = hasNginx();

const CRON_SECRET = 'a-secret-of-the-operator';

describe(found ? 'the example proxy' : 'the example proxy (SKIPPED: nginx or openssl is not installed)', () => {
  if (!found) return it('needs nginx and openssl: apt-get install nginx openssl');
  const world = useWorld({ TRUST_PROXY: '1', PUBLIC_URL: 'https://localhost:8443', RATE_LIMITS: 'off', CRON_SECRET });
  let proxy: ExampleProxy;

  before(async () => {
    // The address of the second replica refuses connections, so every request must reach the first.
    proxy = await ExampleProxy.start([new URL(world.url).host, '127.0.0.1:1']);
  });
  after(() => proxy?.stop());

  const ask = (path: string, options: RequestOptions = {}, body = '') =>
    rawAsk(`https://127.0.0.1:${proxy.tlsPort}`, path, { rejectUnauthorized: false, ...options }, body);

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

  it('gives each request an id that nginx and the service log, and that the answer has', async () => {
    const { headers } = await ask('/nowhere', { headers: { 'x-request-id': 'chosen-by-the-client' } });
    const id = String(headers['x-request-id']);
    expect(id).to.match(/^[0-9a-f]{32}$/);
    expect(world.logged.find((line) => line.id === id)).to.include({ msg: 'request', status: 404 });
    const lineOf = () => proxy.log.find((line) => line.id === id);
    await eventually(() => lineOf() !== undefined, 'nginx has not logged the request');
    expect(lineOf()).to.include({ status: 404, method: 'GET' });
    expect(lineOf()?.replica).to.include(new URL(world.url).host);
    expect(proxy.logged, 'a path may hold a secret').not.to.include('nowhere');
  });

  it('redirects plain HTTP to HTTPS with 308, which keeps method and body', async () => {
    const sent = { method: 'POST', headers: { host: 'a.test' } };
    const { status, headers } = await rawAsk(`http://127.0.0.1:${proxy.plainPort}`, '/api/agents?x=1', sent);
    expect([status, headers.location]).to.deep.equal([308, `https://a.test:${proxy.tlsPort}/api/agents?x=1`]);
  });

  it('hides /metrics in every spelling, with a 404 in the form of the service', async () => {
    for (const path of ['/metrics', '/metrics/', '//metrics', '/%6detrics', '/a/../metrics', '/metrics?x', '/metrics//']) {
      const { status, headers, text } = await ask(path);
      expect(status, path).to.equal(404);
      expect(text).to.not.include('curvet_ready');
      expect(JSON.parse(text)).to.include({ success: false, error: 'Not found' });
      expect(headers, path).to.include({ ...SECURITY, 'content-type': 'application/json' });
    }
  });

  it('keeps /internal/ closed, also to a caller with the secret', async () => {
    const job = '/internal/jobs/score-season';
    const sent = { method: 'POST', headers: { authorization: `Bearer ${CRON_SECRET}` } };
    expect((await fetch(world.url + job, sent)).status, 'at the replica').to.equal(200);
    for (const path of [job, `/${job}`, '/%69nternal/jobs/score-season', '/a/..//internal/moderation/list']) {
      const { status, text } = await ask(path, sent);
      expect([status, JSON.parse(text).error], path).to.deep.equal([404, 'Not found']);
      expect(
        // The service has logged only the direct request above, so nginx forwarded none.
        world.logged.filter(({ route }) => String(route).startsWith('/internal')),
        path,
      ).to.have.length(1);
    }
  });

  it('forwards the IP address of the client and ignores its X-Forwarded-For', async () => {
    // Five wrong keys block an address. Each request claims another address, so 429 shows that nginx has replaced the header.
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-api-key': 'w'.repeat(64) };
    for (let i = 0; i < 5; i++) await ask('/api/agents/status', { headers: { ...headers, 'x-forwarded-for': `203.0.113.${i}` } });
    expect((await ask('/api/agents/status', { headers })).status).to.equal(429);
  });

  it('forwards WebSockets, and server-sent events without buffering', async () => {
    const url = `wss://127.0.0.1:${proxy.tlsPort}/graphql`;
    const origin = 'https://localhost:8443';
    const socket = new WebSocket(url, 'graphql-transport-ws', { rejectUnauthorized: false, origin });
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    expect(String((await once(socket, 'message'))[0])).to.include('connection_ack');
    socket.terminate();
    const query = encodeURIComponent('subscription { trade { trade { id } } }');
    const place = { host: '127.0.0.1', port: proxy.tlsPort, rejectUnauthorized: false, agent: false as const };
    const headers = { accept: 'text/event-stream' };
    const stream = request({ ...place, path: `/graphql?query=${query}`, headers }).end();
    const [response] = (await once(stream, 'response')) as [IncomingMessage];
    const [chunk] = await once(response, 'data');
    response.destroy();
    expect(response.statusCode).to.equal(200);
    expect(String(chunk)).to.match(/^id: \d+\n/);
  });

  it('refuses an oversized or malformed request in the form of the service', async () => {
    // nginx accepts 1 MB. It may close the connection before it has read everything. Then the client gets no answer.
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
    // nginx accepts 20 requests per second and a burst of 100. How many of the 400 pass depends on how long they take.
    expect(refused.length).to.be.at.least(20);
    expect(replies.filter(({ status }) => status === 200).length).to.be.at.least(50);
    expect(JSON.parse(refused[0]?.text ?? '')).to.include({ success: false, error: 'Too many requests' });
    expect(refused[0]?.headers).to.include({ ...SECURITY, 'retry-after': '5' });
  });

  it('has a limit of 200 connections per IP address in its configuration', async () => {
    const conf = readFileSync(join(root, 'deploy/nginx.conf'), 'utf8');
    expect(conf).to.match(/limit_conn_zone \$binary_remote_addr zone=(\w+):10m;[\s\S]*limit_conn \1 200;/);
  });
});
