import { expect } from 'chai';
import { freshIp, newAgent, refusal, type TestAgent } from '../../support/market/agents.js';
import { useWorld } from '../../support/world.js';

describe('an undeclared method', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  const limited = useWorld({ TRUST_PROXY: '1', CORS_ORIGINS: 'https://app.test' });
  let agent: TestAgent;
  before(async () => {
    agent = await newAgent(world);
  });

  it('is refused for a page with a parameter, too', async () => {
    const answer = await world.ask('POST', '/claim/CURVET-7K2Q', { headers: freshIp() });
    expect([refusal(answer), answer.headers.get('allow')]).to.deep.equal(['405 Method not allowed', 'GET, HEAD']);
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
    for (const [path, status] of [
      ['/api/agents', 200],
      [`/api/agents/${agent.wallet}`, 200],
      ['/health', 200],
      ['/nowhere', 404],
    ] as const) {
      const head = await world.ask('HEAD', path, { headers: freshIp() });
      const get = await world.ask('GET', path, { headers: freshIp() });
      expect([head.status, head.body]).to.deep.equal([status, { text: '' }]);
      for (const name of ['content-length', 'content-type', 'etag', 'cache-control']) {
        expect(head.headers.get(name), name).to.equal(get.headers.get(name));
      }
    }
  });
});
