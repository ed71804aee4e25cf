import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import WebSocket from 'ws';
import { createApp } from '../../../../src/app.js';
import { readConfig } from '../../../../src/config/config.js';
import { originRule } from '../../../../src/server/http/origins.js';
import { listen } from '../../../support/service/listen.js';
import { rawAsk, rawGet } from '../../../support/service/raw-requests.js';
import { useWorld } from '../../../support/world.js';

const LISTED = 'https://app.curvet.test';
const FOREIGN = 'https://evil.test';
const WALLET = `0x${'ab'.repeat(20)}`;

/** Requests to every part of the service, including those that a foreign page can send without a preflight. */
const REQUESTS: readonly (readonly [method: string, path: string, body?: string, type?: string])[] = [
  ['GET', '/health'],
  ['GET', '/ready'],
  ['GET', '/metrics'],
  ['GET', '/docs'],
  ['GET', '/openapi.json'],
  ['GET', '/claim/CURVET-AAAA'],
  ['GET', '/nowhere'],
  ['GET', '/api/agents'],
  ['GET', '/api/agents/me'],
  ['PUT', '/api/agents'],
  ['POST', '/api/agents', JSON.stringify({ name: 'Somebody', walletAddress: WALLET }), 'text/plain'],
  ['POST', '/dev/faucet', JSON.stringify({ address: WALLET }), 'text/plain'],
  ['POST', '/graphql', '{"query":"{ __typename }"}', 'application/json'],
  ['GET', '/graphql?query=%7B__typename%7D'],
  ['GET', '/graphql/graphiql.js'],
  ['POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 'application/json'],
  ['POST', '/internal/jobs/score-season', '{}', 'text/plain'],
  ['POST', '/webhooks/chain', '{}', 'text/plain'],
];

async function upgraded(url: string, origin: string): Promise<string> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers: { origin } });
  const result = await once(socket, 'open').then(() => 'open', String);
  socket.on('error', () => {});
  socket.terminate();
  return result;
}

describe('a request from a foreign web origin', () => {
  const world = useWorld({
    CORS_ORIGINS: LISTED,
    CRON_SECRET: 'a-secret-of-the-scheduler',
    WEBHOOK_SIGNING_KEY: 'a-key-of-the-webhook-sender',
  });

  it('gets no CORS header at METRICS_PORT, even if CORS_ORIGINS lists its origin', async () => {
    const server = createServer(createApp(world.deps).metrics());
    const { status, headers } = await rawGet(await listen(server), '/metrics', { origin: LISTED });
    server.close();
    expect([status, headers['access-control-allow-origin']]).to.deep.equal([200, undefined]);
  });

  for (const [method, path, body = '', type] of REQUESTS) {
    it(`to ${method} ${path} is refused with 403`, async () => {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      for (const origin of [FOREIGN, 'null', `${LISTED}.evil.test`, LISTED.replace('https', 'http')]) {
        const refused = await rawAsk(world.url, path, { method, headers: { ...headers, origin } }, body);
        expect(refused.status, origin).to.equal(403);
        expect(JSON.parse(refused.text)).to.include({ success: false, error: 'Origin not allowed' });
        expect(Object.keys(refused.headers).filter((name) => name.startsWith('access-control-'))).to.deep.equal([]);
        expect(refused.headers).to.not.have.property('ratelimit');
      }
      const passed = await rawAsk(world.url, path, { method, headers: { ...headers, origin: LISTED } }, body);
      expect(passed.status).to.not.equal(403);
    });
  }

  it('is refused even if its Host matches, or the first of two Origin headers is allowed', async () => {
    const { port } = new URL(world.url);
    for (const headers of [
      { origin: 'http://evil.test', host: 'evil.test' },
      { origin: `http://evil.test:${port}`, host: `evil.test:${port}` },
      { origin: [LISTED, FOREIGN] as unknown as string },
    ]) {
      const refused = await rawAsk(world.url, '/graphql', { method: 'POST', headers }, '{}');
      expect(refused.status, JSON.stringify(headers)).to.equal(403);
    }
  });

  it('gets neither a WebSocket nor an event stream', async () => {
    expect(await upgraded(world.url, FOREIGN)).to.include('403');
    expect(await upgraded(world.url, 'null')).to.include('403');
    expect(await upgraded(world.url, LISTED)).to.equal('open');
    expect(await upgraded(world.url, world.url)).to.equal('open');
    const query = encodeURIComponent('subscription { feed { id } }');
    const headers = { accept: 'text/event-stream', origin: FOREIGN };
    expect((await rawGet(world.url, `/graphql?query=${query}`, headers)).status).to.equal(403);
  });

  it('is logged at level info', async () => {
    const before = world.logged.length;
    await rawGet(world.url, '/api/feed', { origin: FOREIGN });
    await upgraded(world.url, FOREIGN);
    const lines = world.logged.slice(before).filter(({ status }) => status === 403);
    expect(lines.map(({ level }) => level)).to.deep.equal([30, 30]);
  });

  it("is refused even if its origin differs from the service's own only in scheme or port", async () => {
    const { port } = new URL(world.url);
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const { status } = await rawGet(world.url, '/health', { origin: `http://${host}:${port}` });
      expect(status, host).to.equal(200);
    }
    for (const origin of ['http://127.0.0.1', `https://127.0.0.1:${port}`, `http://127.0.0.1:${Number(port) ^ 1}`]) {
      expect((await rawGet(world.url, '/health', { origin })).status, origin).to.equal(403);
    }
  });
});

describe("the service's own origin", () => {
  it('is only that of PUBLIC_URL when PUBLIC_URL is set', () => {
    const isAllowed = originRule(readConfig({ PUBLIC_URL: 'https://curvet.example/base/', CORS_ORIGINS: LISTED }));
    expect(isAllowed('https://curvet.example', 4000)).to.equal(true);
    expect(isAllowed(LISTED, 4000)).to.equal(true);
    const loopback = ['http://127.0.0.1:4000', 'http://localhost:4000'];
    for (const origin of [...loopback, 'https://curvet.example:4000', 'null', ''])
      expect(isAllowed(origin, 4000), origin).to.equal(false);
  });

  it('is loopback or HOST with the port of the service when PUBLIC_URL is not set', () => {
    const allowed = (HOST: string, origin: string, port: number) => originRule(readConfig({ HOST }))(origin, port);
    expect(allowed('192.0.2.7', 'http://192.0.2.7:4000', 4000)).to.equal(true);
    expect(allowed('192.0.2.7', 'http://localhost:4000', 4000)).to.equal(true);
    expect(allowed('192.0.2.7', 'http://192.0.2.7:4001', 4000)).to.equal(false);
    expect(allowed('::1', 'http://[::1]:4000', 4000)).to.equal(true);
    // Browsers omit the default port of HTTP, 80, from the Origin header.
    expect(allowed('127.0.0.1', 'http://localhost', 80)).to.equal(true);
    expect(allowed('127.0.0.1', 'http://undefined', 80)).to.equal(false);
  });
});
