import { once } from 'node:events';
import { request } from 'node:http';
import { expect } from 'chai';
import WebSocket from 'ws';
import { readConfig } from '../../../src/config.js';
import { originRule } from '../../../src/faces/http/origins.js';
import { useWorld } from '../../support/world.js';

const LISTED = 'https://app.curvet.test';
const FOREIGN = 'https://evil.test';
const WALLET = `0x${'ab'.repeat(20)}`;

/** Requests to every part of the service, as a page elsewhere can send them without a preflight, and others. */
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
  ['POST', '/internal/jobs/score-season', '{}', 'text/plain'],
  ['POST', '/webhooks/chain', '{}', 'text/plain'],
];

type Reply = { readonly status: number; readonly text: string; readonly headers: Record<string, unknown> };

/** fetch does not let its caller choose Host and Origin. */
function send(url: string, method: string, path: string, headers: Record<string, string>, body = ''): Promise<Reply> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ method, hostname, port, path, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    sent.on('error', reject).end(body);
  });
}

async function upgraded(url: string, origin: string): Promise<string> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers: { origin } });
  const result = await once(socket, 'open').then(() => 'open', String);
  socket.on('error', () => {});
  socket.terminate();
  return result;
}

describe('a request of a foreign web origin', () => {
  const world = useWorld({
    CORS_ORIGINS: LISTED,
    CRON_SECRET: 'a secret of the scheduler',
    WEBHOOK_SIGNING_KEY: 'a key of the webhook sender',
  });

  for (const [method, path, body = '', type] of REQUESTS) {
    it(`is refused before anything happens: ${method} ${path}`, async () => {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      for (const origin of [FOREIGN, 'null', `${LISTED}.evil.test`, LISTED.replace('https', 'http')]) {
        const refused = await send(world.url, method, path, { ...headers, origin }, body);
        expect(refused.status, origin).to.equal(403);
        expect(JSON.parse(refused.text)).to.include({ success: false, error: 'Origin not allowed' });
        expect(Object.keys(refused.headers).filter((name) => name.startsWith('access-control-'))).to.deep.equal([]);
        expect(refused.headers).to.not.have.property('ratelimit');
      }
      const passed = await send(world.url, method, path, { ...headers, origin: LISTED }, body);
      expect(passed.status).to.not.equal(403);
    });
  }

  it('sends no ether, registers nobody and uses up no limit', async () => {
    const { provider } = world.chain;
    const before = await provider.getBalance(WALLET);
    for (let i = 0; i < 25; i++) {
      await send(world.url, 'POST', '/dev/faucet', { origin: FOREIGN }, JSON.stringify({ address: WALLET }));
      await send(world.url, 'GET', '/api/leaderboard', { origin: FOREIGN });
    }
    expect(await provider.getBalance(WALLET)).to.equal(before);
    expect((await send(world.url, 'GET', '/api/leaderboard', {})).status).to.equal(200);
  });

  it('is not let in by what its Host header says', async () => {
    const refused = await send(world.url, 'GET', '/health', { origin: 'http://evil.test', host: 'evil.test' });
    expect(refused.status).to.equal(403);
    const port = new URL(world.url).port;
    const rebound = { origin: `http://evil.test:${port}`, host: `evil.test:${port}` };
    expect((await send(world.url, 'POST', '/graphql', rebound, '{}')).status).to.equal(403);
  });

  it('is not let in by a second Origin header', async () => {
    const twice = { origin: [LISTED, FOREIGN] } as unknown as Record<string, string>;
    expect((await send(world.url, 'GET', '/health', twice)).status).to.equal(403);
  });

  it('gets no WebSocket and no stream of events', async () => {
    expect(await upgraded(world.url, FOREIGN)).to.include('403');
    expect(await upgraded(world.url, 'null')).to.include('403');
    expect(await upgraded(world.url, LISTED)).to.equal('open');
    expect(await upgraded(world.url, world.url)).to.equal('open');
    const query = encodeURIComponent('subscription { feed { id } }');
    const headers = { accept: 'text/event-stream', origin: FOREIGN };
    expect((await send(world.url, 'GET', `/graphql?query=${query}`, headers)).status).to.equal(403);
  });

  it('is logged at the level info', async () => {
    const before = world.logged.length;
    await send(world.url, 'GET', '/health', { origin: FOREIGN });
    await upgraded(world.url, FOREIGN);
    const lines = world.logged.slice(before).filter(({ status }) => status === 403);
    expect(lines.map(({ level }) => level)).to.deep.equal([30, 30]);
  });

  it('is told from one of the own origin, whose pages may call', async () => {
    const { port } = new URL(world.url);
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const { status } = await send(world.url, 'GET', '/health', { origin: `http://${host}:${port}` });
      expect(status, host).to.equal(200);
    }
    for (const origin of ['http://127.0.0.1', `https://127.0.0.1:${port}`, `http://127.0.0.1:${Number(port) ^ 1}`]) {
      expect((await send(world.url, 'GET', '/health', { origin })).status, origin).to.equal(403);
    }
  });
});

describe('the own origin', () => {
  it('is that of PUBLIC_URL alone where it is set', () => {
    const isAllowed = originRule(readConfig({ PUBLIC_URL: 'https://curvet.example/base/', CORS_ORIGINS: LISTED }));
    expect(isAllowed('https://curvet.example', 4000)).to.equal(true);
    expect(isAllowed(LISTED, 4000)).to.equal(true);
    for (const origin of [
      'http://127.0.0.1:4000',
      'http://localhost:4000',
      'https://curvet.example:4000',
      'null',
      '',
    ]) {
      expect(isAllowed(origin, 4000), origin).to.equal(false);
    }
  });

  it('is loopback and HOST at the port without PUBLIC_URL', () => {
    const allowed = (HOST: string, origin: string, port: number) => originRule(readConfig({ HOST }))(origin, port);
    expect(allowed('192.0.2.7', 'http://192.0.2.7:4000', 4000)).to.equal(true);
    expect(allowed('192.0.2.7', 'http://localhost:4000', 4000)).to.equal(true);
    expect(allowed('192.0.2.7', 'http://192.0.2.7:4001', 4000)).to.equal(false);
    expect(allowed('::1', 'http://[::1]:4000', 4000)).to.equal(true);
    // Browsers leave the default port out.
    expect(allowed('127.0.0.1', 'http://localhost', 80)).to.equal(true);
    expect(allowed('127.0.0.1', 'http://undefined', 80)).to.equal(false);
  });
});
