import { expect } from 'chai';
import { AppError } from '../../../src/errors/errors.js';
import { RateLimited } from '../../../src/limits/limits.js';
import { problemHeaders } from '../../../src/server/http/problem.js';
import { addListedAgent } from '../../support/market/rows.js';
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

describe('a call of a retired endpoint', () => {
  const world = useWorld({ TRUST_PROXY: '1', TICKET_CALLBACKS: 'retired' });
  it('counts against the global limit of its key', async () => {
    const { key } = await addListedAgent(world);
    const answer = await world.ask('POST', '/api/tickets/buy', { key });
    expect([answer.status, answer.headers.get('ratelimit')?.split(';')[1]]).to.deep.equal([410, 'r=29']);
  });
});

describe('a refusal by a rate limit', () => {
  it('states the limit with the longest wait and its advice', () => {
    const one = { key: 'one:ip:192.0.2.1', max: 5, seconds: 60, remaining: 0, resetSeconds: 9, waitSeconds: 9 };
    const day = {
      ...one,
      key: 'day:key:0xabc',
      seconds: 86_400,
      waitSeconds: 3600,
      counts: 'things',
      per: 'key',
      advice: 'Come back at <until>, in <seconds> seconds',
    };
    const free = { ...one, key: 'free:ip:192.0.2.1', remaining: 4, waitSeconds: 0 };
    const now = new Date('2026-01-15T12:00:00.000Z');
    const refused = new RateLimited({ retryAfter: 3600, windows: [free, one, day] }, now);
    expect(refused).to.include({ status: 429, code: 'RATE_LIMITED', message: 'Too many requests', retryAfter: 3600 });
    expect(refused.hint).to.equal(
      'The limit of 5 things per 24 hours per key is reached. Come back at 2026-01-15T13:00:00.000Z, in 3600 seconds.',
    );
    expect(refused.refusedBy).to.deep.equal(['one', 'day']);
  });

  it('has headers without a time window if too many connections are open', () => {
    const refused = new AppError('TOO_MANY_OPEN', { what: 'connections', max: 100, seconds: 10 });
    expect(problemHeaders(refused)).to.deep.equal({
      'Retry-After': '10',
      'RateLimit-Policy': '"open-connections";q=100',
      RateLimit: '"open-connections";r=0;t=10',
    });
  });
});
