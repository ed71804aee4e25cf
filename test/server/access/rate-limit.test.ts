import { expect } from 'chai';
import { AppError } from '../../../src/errors.js';
import { RateLimited } from '../../../src/server/access.js';
import { problemHeaders } from '../../../src/server/http/problem.js';

describe('a refusal by a rate limit', () => {
  const now = new Date('2026-01-15T12:00:00.000Z');
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

  it('states the limit with the longest wait and its advice', () => {
    const refused = new RateLimited({ retryAfter: 3600, windows: [free, one, day] }, now);
    expect(refused).to.include({ status: 429, code: 'RATE_LIMITED', message: 'Too many requests', retryAfter: 3600 });
    expect(refused.hint).to.equal(
      'The limit of 5 things per 24 hours per key is reached. Come back at 2026-01-15T13:00:00.000Z, in 3600 seconds.',
    );
    expect(refused.refusedBy).to.deep.equal(['one', 'day']);
  });

  it('by the number of open connections has headers without a time window', () => {
    const refused = new AppError('TOO_MANY_OPEN', { what: 'connections', max: 100, seconds: 10 });
    expect(problemHeaders(refused)).to.deep.equal({
      'Retry-After': '10',
      'RateLimit-Policy': '"open-connections";q=100',
      RateLimit: '"open-connections";r=0;t=10',
    });
  });
});
