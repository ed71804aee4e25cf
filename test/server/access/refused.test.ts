import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { answerClientError } from '../../../src/server/http/client-errors.js';
import { testTimes } from '../../support/times.js';
import { useWorld } from '../../support/world.js';

/** Sends raw bytes and returns the response. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe("a request that fails before its endpoint's limits apply", () => {
  const world = useWorld({ TRUST_PROXY: '1', TICKET_CALLBACKS: 'retired' });
  let client = 0;

  for (const [what, method, path, status] of [
    ['without a required key', 'GET', '/api/agents/me', 401],
    ['for an unknown path', 'GET', '/api/nope', 404],
    ['with an undeclared method', 'DELETE', '/api/leaderboard', 405],
    ['to a retired endpoint', 'POST', '/api/tickets/buy', 410],
  ] as const) {
    it(`${what} counts against the global limit of its IP address`, async () => {
      const headers = { 'x-forwarded-for': `203.0.113.${++client}` };
      for (let i = 0; i < 20; i++) {
        const answer = await world.ask(method, path, { headers });
        expect(answer.status).to.equal(status);
        expect(answer.headers.get('ratelimit')).to.match(new RegExp(`^"global";r=${19 - i};`));
      }
      const refused = await world.ask(method, path, { headers });
      expect([refused.status, refused.body.error]).to.deep.equal([429, 'Too many requests']);
    });
  }

  it('with a wrong key counts against the global limit, in addition to the block', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.99' };
    const answer = await world.ask('GET', '/api/agents/me', { headers, key: 'A'.repeat(64) });
    expect(answer.status).to.equal(401);
    expect(answer.headers.get('ratelimit')).to.match(/^"global";r=19;/);
  });
});

describe('a malformed request', () => {
  const world = useWorld();
  const port = () => Number(new URL(world.url).port);

  it('is answered with 400 when the URL is invalid', async () => {
    const answer = await raw(port(), 'GET http://[/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer)
      .to.match(/^HTTP\/1\.1 400 /)
      .and.to.include('Malformed request');
  });

  it('logs no error when the connection closes in the middle of the body', async () => {
    await raw(port(), 'POST /api/agents HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a"');
    await world.ask('GET', '/health');
    expect(world.logged.filter(({ level }) => Number(level) >= 50)).to.deep.equal([]);
  });

  it('is answered with 400 when a text contains a lone surrogate', async () => {
    const { status, body } = await world.ask('GET', '/health');
    expect([status, body.success]).to.deep.equal([200, true]);
    const answer = await world.ask('POST', '/api/agents', { body: '{"name":"a\\ud800b","walletAddress":"0x"}' });
    expect([answer.status, answer.body.error]).to.deep.equal([400, 'name contains invalid characters']);
  });

  it('treats null in a required field as missing', async () => {
    const answer = await world.ask('POST', '/api/agents', { body: { name: null } });
    expect(answer.body.error).to.equal('Missing required field: name');
  });
});

describe('input that is not HTTP', () => {
  let server: Server;
  before((done) => {
    server = createServer().on('clientError', answerClientError(testTimes)).listen(0, '127.0.0.1', done);
  });
  after((done) => {
    server.close(done);
  });

  it('is answered in the form of the API with the security headers', async () => {
    for (const text of ['nonsense\r\n\r\n', `GET / HTTP/1.1\r\nHost: x\r\nBig: ${'x'.repeat(20_000)}\r\n\r\n`]) {
      const answer = await raw((server.address() as AddressInfo).port, text);
      const [head, body] = answer.split('\r\n\r\n');
      expect(head).to.match(/^HTTP\/1\.1 400 Bad Request/);
      for (const header of ['X-Frame-Options: DENY', 'X-Content-Type-Options: nosniff', 'Content-Security-Policy: '])
        expect(head).to.include(header);
      expect(JSON.parse(body ?? '')).to.include({ success: false, error: 'Malformed request', code: 'BAD_REQUEST' });
    }
  });
});
