import { createServer } from 'node:http';
import { expect } from 'chai';
import { answerClientError } from '../../../src/server/http/client-errors.js';
import { listen } from '../../support/service/listen.js';
import { talk } from '../../support/service/raw-requests.js';
import { testTimes } from '../../support/times.js';
import { useWorld } from '../../support/world.js';

describe("a request that fails before its endpoint's limits apply", () => {
  const world = useWorld({ TRUST_PROXY: '1', TICKET_CALLBACKS: 'retired' });
  it('counts against the global limit of its IP address', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.1' };
    let left = 20;
    for (const [method, path, status, key] of [
      ['GET', '/api/agents/me', 401],
      ['GET', '/api/agents/me', 401, 'A'.repeat(64)],
      ['GET', '/api/nope', 404],
      ['DELETE', '/api/leaderboard', 405],
      ['POST', '/api/tickets/buy', 410],
    ] as const) {
      const answer = await world.ask(method, path, { headers, ...(key && { key }) });
      expect([path, answer.status]).to.deep.equal([path, status]);
      expect(answer.headers.get('ratelimit')).to.match(new RegExp(`^"global";r=${--left};`));
    }
  });
});

describe('a malformed request', () => {
  const world = useWorld();

  it('is answered with 400 when the URL is invalid', async () => {
    const answer = await talk(world.url, 'GET http://[/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer)
      .to.match(/^HTTP\/1\.1 400 /)
      .and.to.include('Malformed request');
  });

  it('logs no error when the connection closes in the middle of the body', async () => {
    await talk(world.url, 'POST /api/agents HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a"', { ends: true });
    await world.ask('GET', '/health');
    expect(world.logged.filter(({ level }) => Number(level) >= 50)).to.deep.equal([]);
  });

  it('is answered with 400 when a text contains a lone surrogate', async () => {
    const answer = await world.ask('POST', '/api/agents', { body: '{"name":"a\\ud800b","walletAddress":"0x"}' });
    expect([answer.status, answer.body.error]).to.deep.equal([400, 'name contains invalid characters']);
  });
});

describe('input that is not HTTP', () => {
  const server = createServer().on('clientError', answerClientError(testTimes));
  after((done) => {
    server.close(done);
  });

  it('is answered in the form of the API with the security headers', async () => {
    const url = await listen(server);
    for (const text of ['nonsense\r\n\r\n', `GET / HTTP/1.1\r\nHost: x\r\nBig: ${'x'.repeat(20_000)}\r\n\r\n`]) {
      const [head, body = ''] = (await talk(url, text, { ends: true })).split('\r\n\r\n');
      expect(head).to.match(/^HTTP\/1\.1 400 Bad Request.*X-Frame-Options: DENY/s);
      expect(JSON.parse(body)).to.include({ success: false, error: 'Malformed request', code: 'BAD_REQUEST' });
    }
  });
});
