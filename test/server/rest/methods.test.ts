import { expect } from 'chai';
import { readConfig } from '../../../src/config.js';
import { endpoints } from '../../../src/features.js';
import { freshIp, newAgent, refusal, type TestAgent } from '../../support/market/agents.js';
import { useWorld } from '../../support/world.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Adds the endpoints that are off by default. */
const EXTRA = { KEY_REPLACEMENT: 'on' } as const;

/** The declared methods of every path without parameters. */
const literals = new Map<string, Set<string>>();
for (const { method, path } of endpoints(readConfig(EXTRA))) {
  if (path.includes('{')) continue;
  const methods = literals.get(path) ?? new Set();
  literals.set(path, methods.add(method));
  if (method === 'GET') methods.add('HEAD');
}

describe('an undeclared method', () => {
  const world = useWorld({ ...EXTRA, TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  const limited = useWorld({ ...EXTRA, TRUST_PROXY: '1', CORS_ORIGINS: 'https://app.test' });
  let agent: TestAgent;
  before(async () => {
    agent = await newAgent(world);
  });

  for (const [path, methods] of literals) {
    const allow = [...methods].sort().join(', ');
    it(`is answered with 405 at ${path}, which has ${allow}`, async () => {
      for (const method of METHODS.filter((name) => !methods.has(name))) {
        // The request carries a key. If the path matched an endpoint with a parameter, its answer would not be 405.
        const answer = await world.ask(method, path, { key: agent.key, headers: freshIp() });
        expect([answer.status, answer.headers.get('allow')], method).to.deep.equal([405, allow]);
        if (method === 'HEAD') continue;
        expect(answer.body).to.include({ error: 'Method not allowed', hint: `Use one of: ${allow}.` });
      }
    });
  }

  it('is answered with 405 at paths with parameters', async () => {
    for (const [method, path, allow] of [
      ['POST', `/api/agents/${agent.wallet}`, 'DELETE, GET, HEAD'],
      ['PATCH', `/api/agents/${agent.agentId}`, 'DELETE, GET, HEAD'],
      ['DELETE', `/api/agents/${agent.wallet}/trades`, 'GET, HEAD'],
      ['GET', '/api/feed/q1bLmZtN0Yc8Wg2vJdR5Tw/like', 'POST'],
      ['POST', '/claim/CURVET-7K2Q', 'GET, HEAD'],
    ] as const) {
      const answer = await world.ask(method, path, { headers: freshIp() });
      expect([refusal(answer), answer.headers.get('allow')], path).to.deep.equal(['405 Method not allowed', allow]);
    }
  });

  it('counts against the global limit', async () => {
    const headers = freshIp();
    for (let n = 0; n < 20; n++) {
      expect((await limited.ask('GET', '/api/agents/follow', { headers })).status).to.equal(405);
    }
    expect((await limited.ask('GET', '/api/agents/follow', { headers })).status).to.equal(429);
  });

  it('counts when it is OPTIONS, against the limit of the key or of the IP address', async () => {
    const headers = freshIp();
    for (const [max, key] of [
      [20, undefined],
      [30, agent.key],
    ] as const) {
      const ask = () => limited.ask('OPTIONS', '/api/agents/me', { headers, ...(key === undefined ? {} : { key }) });
      for (let n = 0; n < max; n++) expect((await ask()).status).to.equal(204);
      expect((await ask()).status).to.equal(429);
    }
    expect((await limited.ask('GET', '/api/agents', { headers })).status).to.equal(429);
  });

  it('does not count when it is the preflight of an allowed origin', async () => {
    const headers = {
      ...freshIp(),
      origin: 'https://app.test',
      'access-control-request-method': 'POST',
    };
    for (const path of ['/api/agents', '/graphql']) {
      for (let n = 0; n < 310; n++) expect((await limited.ask('OPTIONS', path, { headers })).status).to.equal(204);
    }
  });

  it('is answered by OPTIONS with the Allow header and no body', async () => {
    for (const [path, allow] of [
      ['/api/agents/follow', 'POST'],
      ['/api/agents/me', 'DELETE, GET, HEAD, PATCH'],
      [`/api/agents/${agent.wallet}/pnl`, 'GET, HEAD'],
      ['/graphql', 'GET, HEAD, POST'],
    ]) {
      const answer = await world.ask('OPTIONS', String(path), { headers: freshIp() });
      expect([answer.status, answer.headers.get('allow'), answer.body.text]).to.deep.equal([204, allow, '']);
      expect(answer.headers.get('x-frame-options')).to.equal('DENY');
    }
    expect(refusal(await world.ask('OPTIONS', '/api/nothing', { headers: freshIp() }))).to.equal('404 Not found');
  });

  it('does not affect HEAD, which answers like GET without a body', async () => {
    for (const path of ['/api/agents', `/api/agents/${agent.wallet}`, '/health']) {
      const [head, get] = [
        await world.ask('HEAD', path, { headers: freshIp() }),
        await world.ask('GET', path, { headers: freshIp() }),
      ];
      expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, get.headers.get('content-length')]);
    }
  });
});
