import { expect } from 'chai';
import { AppError } from '../../../src/errors.js';
import { RateLimited, windowsOf } from '../../../src/server/access.js';
import { problemHeaders } from '../../../src/server/http/problem.js';
import { once } from '../../../src/times.js';

describe('the windows of a rate limit', () => {
  const row = { name: 'some', max: 3, seconds: 60, per: 'ip' } as const;
  const actor = { wallet: '0xabc', name: 'Ada', agentId: 'ada' };
  const keys = (...given: Parameters<typeof windowsOf>) => windowsOf(...given).map(({ key, max }) => [key, max]);

  it('are one per IPv4 address or key', () => {
    expect(keys([row], null, '192.0.2.1')).to.deep.equal([['some:ip:192.0.2.1', 3]]);
    expect(keys([row], null, '::ffff:192.0.2.1')).to.deep.equal([['some:ip:192.0.2.1', 3]]);
    expect(keys([{ ...row, per: 'key' }], actor, '2001:db8::1')).to.deep.equal([['some:key:0xabc', 3]]);
    expect(keys([row], actor, '192.0.2.1')).to.deep.equal([['some:ip:192.0.2.1', 3]]);
  });

  it('are two per IPv6 address: its /64, and its /48 with ten times the limit', () => {
    expect(keys([row], null, '2001:db8:1:2::9')).to.deep.equal([
      ['some:ip:2001:db8:1:2::/64', 3],
      ['some-48:ip:2001:db8:1::/48', 30],
    ]);
  });
});

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
    const short = new RateLimited({ retryAfter: 9, windows: [free, one] }, now);
    expect(short.hint).to.equal('The limit of 5 requests per minute per IP is reached. Wait 9 seconds.');
  });

  it('lists all windows in its headers, after the windows already in the answer', () => {
    const refused = new RateLimited({ retryAfter: 9, windows: [one] }, now);
    expect(problemHeaders(refused, [free])).to.deep.equal({
      'Retry-After': '9',
      'RateLimit-Policy': '"free";q=5;w=60, "one";q=5;w=60',
      RateLimit: '"free";r=4;t=9, "one";r=0;t=9',
    });
  });

  it('by the number of open connections has headers without a time window', () => {
    const refused = new AppError('TOO_MANY_OPEN', { what: 'connections', max: 100, seconds: 10 });
    expect(problemHeaders(refused)).to.deep.equal({
      'Retry-After': '10',
      'RateLimit-Policy': '"open-connections";q=100',
      RateLimit: '"open-connections";r=0;t=10',
    });
  });

  it('takes a write limit once per request, even if a use case asks for it repeatedly', async () => {
    let taken = 0;
    const spend = once(async () => {
      taken += 1;
    });
    await Promise.all([spend(), spend()]);
    await spend();
    expect(taken).to.equal(1);
  });
});
