import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { Curvet, verifyWebhook } from '../../../client/src/curvet.js';
import * as errors from '../../../client/src/errors.js';
import { AppError, errorTable } from '../../../src/errors/errors.js';
import { type Reply, SleepClock, scriptedFetch } from '../../support/client/scripted.js';

const OK = { body: { success: true, post: { id: 'x' } } };
const failure = (status: number, error: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { success: false, error, hint: 'Do this.' },
});

async function post(...replies: readonly Reply[]) {
  const clock = new SleepClock();
  const { fetch, sent } = scriptedFetch(...replies);
  const curvet = new Curvet({ baseUrl: 'http://curvet.test/', apiKey: 'k', fetch, clock });
  const outcome = await curvet.feed.post('hello').catch((error: unknown) => error);
  return { outcome, sent, clock };
}

describe('a request of the client', () => {
  it('sends the key, JSON and an idempotency key', async () => {
    const { sent } = await post(OK);
    expect(sent).to.have.length(1);
    const [{ url, headers, method, body } = {} as never] = sent;
    expect([method, url, body]).to.deep.equal(['POST', 'http://curvet.test/api/feed', '{"text":"hello"}']);
    expect(headers.get('x-api-key')).to.equal('k');
    expect(headers.get('content-type')).to.equal('application/json');
    expect(headers.get('idempotency-key')).to.match(/^[\x21-\x7e]{1,255}$/);
  });

  for (const [what, reply] of [
    ['a network error', new TypeError('fetch failed')],
    ['a truncated answer', { body: '{"success":tr' }],
    ['500', failure(500, 'Internal server error')],
    ['503', failure(503, 'Database busy', { 'retry-after': '5' })],
    ['a proxy error without JSON', { status: 502, body: '<html>' }],
    ['429', failure(429, 'Too many requests', { 'retry-after': '7' })],
    ['409 for a request in progress', failure(409, 'Request in progress', { 'retry-after': '1' })],
  ] as const) {
    it(`is repeated with the same idempotency key after ${what}`, async () => {
      const { outcome, sent, clock } = await post(reply, reply, OK);
      expect(outcome).to.deep.equal({ id: 'x' });
      expect(sent).to.have.length(3);
      expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).to.equal(1);
      // The backoff is half of its bounds, 300 and 600 ms, because `SleepClock` draws 0.5.
      const retryAfter = Number(reply instanceof Error ? 0 : ('headers' in reply && reply.headers?.['retry-after']) || 0);
      expect(clock.slept).to.deep.equal([retryAfter * 1000 + 150, retryAfter * 1000 + 300]);
    });
  }

  it('has an idempotency key of its own for each call', async () => {
    const { fetch, sent } = scriptedFetch(OK);
    const curvet = new Curvet({ baseUrl: 'http://curvet.test', fetch, clock: new SleepClock() });
    await curvet.feed.post('one');
    await curvet.feed.post('one');
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).to.equal(2);
  });

  it('can also go to a path on the origin of a web page', async () => {
    for (const baseUrl of ['', '/market']) {
      const { fetch, sent } = scriptedFetch(OK);
      const curvet = new Curvet({ baseUrl, fetch, clock: new SleepClock() });
      await curvet.feed.post('one');
      expect(sent.map(({ url }) => url)).to.deep.equal([`${baseUrl}/api/feed`]);
    }
  });

  it('gives up after 4 retries', async () => {
    const { outcome, sent } = await post(failure(500, 'Internal server error', { 'x-request-id': 'r-1' }));
    expect(sent).to.have.length(5);
    expect(outcome).to.be.instanceOf(errors.ServiceError);
    expect(outcome).to.include({ code: 'INTERNAL', status: 500, requestId: 'r-1', hint: 'Do this.' });
  });

  it('fails at once if the service asks for a longer wait than the bound', async () => {
    // The bound is 60 seconds (`maxWaitMs`).
    const { outcome, sent, clock } = await post(failure(429, 'Too many requests', { 'retry-after': '600' }));
    expect(sent).to.have.length(1);
    expect(clock.slept).to.deep.equal([]);
    expect(outcome).to.be.instanceOf(errors.RateLimitError);
    expect(outcome).to.include({ code: 'RATE_LIMITED', retryAfter: 600 });
  });

  it('waits once for a rate limit of a minute, as the bound allows', async () => {
    const minute = failure(429, 'Too many requests', { 'retry-after': '60' });
    const { outcome, sent, clock } = await post(minute, OK);
    expect([outcome, sent.length, clock.slept]).to.deep.equal([{ id: 'x' }, 2, [60_150]]);
    const twice = await post(minute, failure(429, 'Too many requests', { 'retry-after': '1' }));
    expect(twice.sent).to.have.length(2);
    expect(twice.outcome).to.include({ code: 'RATE_LIMITED', retryAfter: 1 });
  });

  it('ends its stream with the error if the service asks for a longer wait than the bound', async () => {
    const longer = failure(429, 'Too many requests', { 'retry-after': '900' });
    const { fetch, sent } = scriptedFetch(longer, failure(404, 'Not found'));
    const clock = new SleepClock();
    const { live } = new Curvet({ baseUrl: 'http://curvet.test', fetch, clock });
    const outcome = await live
      .trades()
      .next()
      .catch((error: unknown) => error);
    expect(outcome).to.include({ code: 'RATE_LIMITED', retryAfter: 900 });
    expect([sent.length, clock.slept]).to.deep.equal([1, []]);
  });

  it('is not repeated if a retry cannot help, and fails with the error class of the status', async () => {
    for (const [status, message, Class] of [
      [400, 'text contains invalid characters', errors.InputError],
      [401, 'Invalid API key', errors.AuthenticationError],
      [403, 'Not authorized', errors.PermissionError],
      [404, 'Agent not found', errors.NotFoundError],
      [409, 'Duplicate post', errors.ConflictError],
      [422, 'Cannot follow yourself', errors.UnprocessableError],
    ] as const) {
      const { outcome, sent } = await post(failure(status, message));
      expect(sent).to.have.length(1);
      expect(outcome).to.be.instanceOf(Class).and.include({ status, name: Class.name });
    }
  });

  it('stops when the caller aborts', async () => {
    const { fetch, sent } = scriptedFetch(failure(500, 'Internal server error'));
    const curvet = new Curvet({ baseUrl: 'http://curvet.test', fetch, clock: new SleepClock() });
    const signal = AbortSignal.abort(new Error('enough'));
    const outcome = await curvet.feed.post('hello', { signal }).catch((error: unknown) => error);
    expect(outcome).to.have.property('message', 'enough');
    expect(sent.length).to.be.at.most(1);
  });
});

describe('an error of the client', () => {
  it('has the code of the answer, or UNKNOWN, whatever its message says', () => {
    expect(errors.serviceError(404, { error: 'Reworded', code: 'AGENT_NOT_FOUND' }).code).to.equal('AGENT_NOT_FOUND');
    // A later version of the service may send codes and messages that this client does not know.
    for (const code of ['TEAPOT', 'toString', undefined]) {
      const error = errors.serviceError(418, { error: 'Teapot', code });
      expect(error).to.include({ code: 'UNKNOWN', status: 418, message: 'Teapot' });
    }
  });

  it('gets its code from the message if the service sends none', () => {
    for (const code of Object.keys(errorTable) as (keyof typeof errorTable)[]) {
      const params = {
        field: 'bio',
        expected: 'a text',
        max: 5,
        what: 'streams',
        seconds: 1,
        limit: 'x',
        allow: 'GET',
      };
      const { status, message } = new AppError(code, params);
      expect(errors.serviceError(status, { error: message }).code, message).to.equal(code);
    }
  });
});

describe('verifyWebhook', () => {
  it('accepts exactly the HMAC-SHA256 of the body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string({ minLength: 1 }), async (body, key) => {
        const signature = createHmac('sha256', key).update(body).digest('hex');
        expect(await verifyWebhook({ body, signature, key })).to.equal(true);
        expect(await verifyWebhook({ body: new TextEncoder().encode(body), signature, key })).to.equal(true);
        expect(await verifyWebhook({ body: `${body} `, signature, key })).to.equal(false);
        expect(await verifyWebhook({ body, signature, key: `${key}x` })).to.equal(false);
      }),
      { numRuns: 50 },
    );
    for (const signature of [undefined, null, '', 'xyz', 'a'.repeat(63)]) {
      expect(await verifyWebhook({ body: '', signature, key: 'k' })).to.equal(false);
    }
  });
});
