import { expect } from 'chai';
import { readConfig } from '../../src/config/config.js';
import { type ErrorCode, errorTable } from '../../src/errors/errors.js';
import { endpoints } from '../../src/features/features.js';
import { success } from '../support/market/agents.js';
import { addAgent } from '../support/market/rows.js';
import { replacing, withParts } from '../support/parts.js';
import { rawGet } from '../support/service/raw-requests.js';
import { type Answer, useWorld } from '../support/world.js';

const ORIGIN = 'https://app.curvet.test';

describe('the HTTP application', () => {
  const world = useWorld({
    CORS_ORIGINS: `${ORIGIN},https://beta.curvet.test`,
    CRON_SECRET: 'a-secret-of-the-scheduler',
    WEBHOOK_SIGNING_KEY: 'a-key-of-the-webhook-sender',
    RATE_LIMITS: 'off',
    TRUST_PROXY: '1',
  });

  /** Sends a request with the path exactly as it is written here. `fetch` would normalise it. */
  const raw = async (method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> => {
    const { status, headers: given, text } = await rawGet(world.url, path, headers, method);
    const body = text.startsWith('{') ? JSON.parse(text) : { text };
    return { status, headers: new Headers(given as Record<string, string>), body };
  };

  /** A request for each error status that does not depend on what an endpoint declares. */
  const kinds: Record<string, () => Promise<Answer>> = {
    '403': () => raw('OPTIONS', '/api/agents', { origin: 'https://evil.test', 'access-control-request-method': 'GET' }),
    '404': () => raw('GET', '/nowhere'),
    '405': () => raw('PUT', '/health'),
    '500': async () => {
      const { chain } = world.deps;
      const broken = {
        ...chain,
        // `/health` reads `chainId`, so it fails with an unexpected error.
        get chainId(): number {
          throw new Error('a secret of the house');
        },
      };
      return replacing(world, { chain: broken }, () => raw('GET', '/health'));
    },
  };

  for (const [status, ask] of Object.entries(kinds)) {
    it(`sends ${status} with the security headers, a request id and a body that begins with the error`, async () => {
      const { status: given, headers, body } = await ask();
      expect(String(given)).to.equal(status);
      expect(headers.get('x-frame-options')).to.equal('DENY');
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('referrer-policy')).to.equal('strict-origin-when-cross-origin');
      expect(headers.get('content-security-policy')).to.match(/^default-src 'self'/);
      expect(headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
      expect(headers.get('content-type')).to.match(/^application\/json/);
      expect(headers.get('x-powered-by')).to.equal(null);
      expect(Object.keys(body).slice(0, 4)).to.deep.equal(['success', 'error', 'hint', 'code']);
      const [declared, error] = errorTable[body.code as ErrorCode];
      expect([declared, error], String(body.code)).to.deep.equal([Number(status), body.error]);
    });
  }

  it('gives every request its own id', async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await raw('GET', '/health')).headers.get('x-request-id')));
    expect(new Set(ids).size).to.equal(3);
  });

  it('keeps a well-formed request id from a trusted proxy, and replaces any other', async () => {
    const idOf = async (id: string) => (await raw('GET', '/nowhere', { 'x-request-id': id })).headers.get('x-request-id');
    for (const id of ['0123456789abcdef0123456789abcdef', 'edge-1_2.3']) {
      expect(await idOf(id)).to.equal(id);
      expect(world.logged.find((line) => line.id === id)).to.include({ msg: 'request' });
    }
    const drawn = /^[0-9a-f-]{36}$/;
    for (const id of ['short', 'a'.repeat(129), 'two words', '{"json":1}']) expect(await idOf(id), id).to.match(drawn);
    await withParts(world, { config: readConfig({ RATE_LIMITS: 'off' }) }, async (direct) => {
      const { headers } = await direct.ask('GET', '/nowhere', { headers: { 'x-request-id': 'edge-1_2.3' } });
      expect(headers.get('x-request-id'), 'without a trusted proxy').to.match(drawn);
    });
  });

  it('hides the cause of a 500 from the client and logs it under the request id', async () => {
    const { body, headers } = await (kinds['500'] as () => Promise<Answer>)();
    expect(body.error).to.equal('Internal server error');
    expect(JSON.stringify(body)).to.not.include('secret');
    const line = world.logged.find(({ id, error }) => id === headers.get('x-request-id') && error !== undefined);
    expect(JSON.stringify(line)).to.include('a secret of the house');
  });

  it('answers 404 for an unknown path with any method, and for every path with a trailing slash', async () => {
    const unknown = '/nowhere /api/ /api/nowhere /api/agents/a/b /API/feed /HEALTH /health/x //health /api/../health';
    const pages = '/metrics/ /docs/ /openapi.json/ /claim/CURVET-AAAA/ /graphql/ /graphql/graphiql.js/';
    const hooks = '/graphql/ /internal/jobs/score-season/ /webhooks/chain/';
    const declared = endpoints(world.deps.config);
    for (const [method = '', path = ''] of [
      ...['GET', 'POST', 'DELETE'].flatMap((method) => unknown.split(' ').map((path) => [method, path])),
      ...pages.split(' ').map((path) => ['GET', path]),
      ...hooks.split(' ').map((path) => ['POST', path]),
      ...declared.map(({ method, path }) => [method, `${path.replace(/\{\w+\}/g, 'x')}/`]),
    ]) {
      const { status, body } = await raw(method, path);
      expect(status, `${method} ${path}`).to.equal(404);
      expect(body).to.include({ success: false, error: 'Not found' });
    }
  });

  it('answers a malformed percent-encoding in the path without an unexpected error', async () => {
    for (const path of ['/%', '/%zz', '/api/agents/%', '/api/agents/%E0%A4%A', '/api/agents/%ff/holdings', '/health?x=%']) {
      const { status, body } = await raw('GET', path);
      expect(status, path).to.be.within(200, 499);
      expect(body).to.have.property('success');
    }
    expect(world.logged.filter(({ msg, error }) => msg === 'unexpected error' && /URI/.test(JSON.stringify(error)))).to.deep.equal(
      [],
    );
  });

  describe('with CORS_ORIGINS', () => {
    const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));
    const preflight = (origin: string, path = '/api/agents') =>
      raw('OPTIONS', path, {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-api-key',
      });

    for (const [path, expected] of Object.entries({ '/health': 200, '/nowhere': 404 })) {
      it(`lets a configured origin read an answer with ${expected}, and sends Vary: Origin`, async () => {
        const { status, headers } = await raw('GET', path, { origin: ORIGIN });
        expect([status, headers.get('access-control-allow-origin')]).to.deep.equal([expected, ORIGIN]);
        expect(headers.get('access-control-expose-headers')).to.equal(
          'RateLimit, RateLimit-Policy, Retry-After, ETag, X-Request-Id, Idempotent-Replayed',
        );
        expect(headers.get('access-control-allow-credentials')).to.equal(null);
        expect(headers.get('vary')?.toLowerCase()).to.include('origin');
      });
    }

    it('allows the methods and headers of the API in the preflight response', async () => {
      const { status, headers } = await preflight(ORIGIN);
      expect(status).to.equal(204);
      expect(headers.get('access-control-allow-origin')).to.equal(ORIGIN);
      expect(headers.get('access-control-allow-methods')).to.equal('GET, POST, PATCH, DELETE');
      expect(headers.get('access-control-allow-headers')).to.equal(
        'Content-Type, X-Api-Key, Idempotency-Key, If-None-Match, Cache-Control, Last-Event-ID, Apollo-Require-Preflight, ' +
          'GraphQL-Cost, Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
      );
      expect(headers.get('access-control-max-age')).to.equal('600');
    });

    for (const origin of ['https://evil.test', `${ORIGIN}.evil.test`, ORIGIN.replace('https', 'http'), `${ORIGIN}:444`, 'null']) {
      it(`refuses requests and preflights from ${origin} with 403 and without a CORS header`, async () => {
        for (const refused of [await raw('GET', '/health', { origin }), await preflight(origin)]) {
          expect(refused.status).to.equal(403);
          expect(refused.body).to.include({ success: false, error: 'Origin not allowed' });
          expect(corsHeaders(refused.headers)).to.deep.equal([]);
          expect(refused.headers.get('vary')?.toLowerCase()).to.include('origin');
        }
      });
    }
  });

  describe('in its request log', () => {
    const lineOf = (answer: Answer) =>
      world.logged.filter(({ id, msg }) => id === answer.headers.get('x-request-id') && msg === 'request');

    it('writes one line per request with id, method, route, status and time', async () => {
      const answers = [await raw('GET', '/api/agents/0xabc?x=1'), await raw('PUT', '/health'), await raw('GET', '/nowhere')];
      const lines = answers.map(lineOf);
      expect(lines.map(({ length }) => length)).to.deep.equal([1, 1, 1]);
      expect(lines[0]?.[0]).to.include({ method: 'GET', route: '/api/agents/:address', status: answers[0]?.status });
      expect(lines[1]?.[0]).to.include({ method: 'PUT', status: 405 });
      expect(lines[2]?.[0]).to.include({ method: 'GET', route: null, status: 404 });
      for (const [line] of lines) expect(line?.time).to.be.a('number').least(0);
    });

    it('names the agent, but never an API key, a query or a body', async () => {
      const { key, name } = await addAgent(world, {});
      const wrong = 'w'.repeat(64);
      const asked = await world.ask('GET', '/api/agents/status?note=written-in-the-query', { key });
      success(asked);
      await world.ask('GET', '/api/agents/status', { key: wrong });
      await world.ask('POST', '/api/agents', { body: { name: 'written-in-the-body', walletAddress: key } });
      expect(lineOf(asked)[0]?.agent).to.equal(name.toLowerCase().replaceAll(' ', '_'));
      const all = JSON.stringify(world.logged);
      for (const secret of [key, wrong, 'written-in-the-query', 'written-in-the-body']) {
        expect(all.includes(secret), secret).to.equal(false);
      }
    });
  });
});
