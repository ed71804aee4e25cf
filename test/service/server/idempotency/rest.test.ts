import { expect } from 'chai';
import { AppError } from '../../../../src/errors/errors.js';
import { hashKey } from '../../../../src/keys.js';
import {
  fingerprintsOf,
  parseIdempotencyKey,
  renewLease,
  seal,
  takeLease,
  unseal,
} from '../../../../src/server/idempotency/keys.js';
import { freshIp, freshName, newAgent, refusal, success } from '../../../support/market/agents.js';
import { addListedAgent } from '../../../support/market/rows.js';
import { newTrader } from '../../../support/market/traders.js';
import { drawUuid } from '../../../support/seed.js';
import { ask, useWorld } from '../../../support/world.js';

describe('Idempotency-Key', () => {
  const world = useWorld({ KEY_REPLACEMENT: 'on', TRUST_PROXY: '1' });
  /** Moves the clock by more than an hour, so that no test meets the rate-limit windows that the one before used up. */
  beforeEach(() => world.clock.advance(3_700_000));

  const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed');

  it('replays status and headers of the first answer, and means the same bare and quoted', async () => {
    const { key } = await addListedAgent(world);
    const post = (once: string) =>
      world.ask('POST', '/api/feed', { key, body: { text: 'Once' }, headers: { 'idempotency-key': once } });
    const [first, again] = [await post('"a-key"'), await post('a-key')];
    expect([again.status, replayed(again), replayed(first)]).to.deep.equal([201, 'true', null]);
    for (const name of ['content-type', 'cache-control']) expect(again.headers.get(name)).to.equal(first.headers.get(name));
    expect(again.headers.get('ratelimit-policy')).to.match(/^"global";q=\d+;w=60$/);
  });

  it('counts a replay once in the global window, and in no window of the write, even a full one', async () => {
    const [{ key }, target] = [await addListedAgent(world), await addListedAgent(world)];
    const follow = (headers = {}) =>
      world.ask('POST', '/api/agents/follow', { key, body: { targetAddress: target.wallet }, headers });
    const first = await follow({ 'idempotency-key': 'f' });
    for (let i = 0; i < 9; i++) success(await follow());
    expect((await follow()).status).to.equal(429);
    const again = await follow({ 'idempotency-key': 'f' });
    expect([again.status, again.body]).to.deep.equal([200, first.body]);
    expect(again.headers.get('ratelimit')).to.match(/^"global";r=19;t=\d+$/);
  });

  it('has a scope of caller, method and route', async () => {
    const [ada, bob] = [await addListedAgent(world), await addListedAgent(world)];
    const headers = { 'idempotency-key': 'shared' };
    const body = { text: 'The same text' };
    for (const { key } of [ada, bob]) {
      const answer = await world.ask('POST', '/api/feed', { key, body, headers });
      expect([answer.status, replayed(answer)]).to.deep.equal([201, null]);
    }
    const change = await world.ask('PATCH', '/api/agents/me', { key: ada.key, body, headers });
    expect([change.status, replayed(change)]).to.deep.equal([200, null]);
  });

  it('is bound to the IP address if no API key is sent, so that no stranger gets a registration replayed', async () => {
    const [trader, name] = [await newTrader(world.chain), freshName()];
    await trader.register(name);
    const body = { name, walletAddress: trader.wallet };
    const ip = freshIp();
    const headers = { 'idempotency-key': 'registration' };
    const first = await world.ask('POST', '/api/agents', { body, headers: { ...headers, ...ip } });
    expect(first.status).to.equal(201);
    const stranger = await world.ask('POST', '/api/agents', { body, headers: { ...headers, ...freshIp() } });
    expect(refusal(stranger)).to.equal('409 Agent already exists');
    const other = { ...headers, ...ip, 'idempotency-key': 'another' };
    expect(refusal(await world.ask('POST', '/api/agents', { body, headers: other }))).to.equal('409 Agent already exists');
    const again = await world.ask('POST', '/api/agents', { body, headers: { ...headers, ...ip } });
    expect(again.body).to.deep.equal(first.body);
  });

  it('replays nothing for a wrong or missing API key, which gets 401', async () => {
    const { key } = await addListedAgent(world);
    const request = { body: { text: 'Mine' }, headers: { ...freshIp(), 'idempotency-key': 'mine' } };
    success(await world.ask('POST', '/api/feed', { key, ...request }));
    const wrong = await world.ask('POST', '/api/feed', { key: 'A'.repeat(64), ...request });
    expect(refusal(wrong)).to.equal('401 Invalid API key');
    expect(refusal(await world.ask('POST', '/api/feed', request))).to.equal('401 Missing API key');
  });

  it('replays the deletion of an agent for its former key, and nothing else', async () => {
    const { key, wallet } = await addListedAgent(world);
    const request = { key, headers: { ...freshIp(), 'idempotency-key': 'the-end' } };
    const first = await world.ask('DELETE', `/api/agents/${wallet}`, request);
    expect(first.body).to.deep.equal({ success: true, deleted: true, walletAddress: wallet });
    const again = await world.ask('DELETE', `/api/agents/${wallet}`, request);
    expect([again.status, again.body, replayed(again)]).to.deep.equal([200, first.body, 'true']);
    for (const [method, path, headers] of [
      ['DELETE', '/api/agents/me', request.headers],
      ['DELETE', `/api/agents/${wallet}`, { ...request.headers, 'idempotency-key': 'other' }],
      ['GET', '/api/agents', request.headers],
    ] as const) {
      expect(refusal(await world.ask(method, path, { key, headers })), path).to.equal('401 Invalid API key');
    }
  });

  it('gets 409 while a dead process has its lease, and is free again when the lease has ended', async () => {
    const { key } = await addListedAgent(world);
    const request = { key, body: { text: 'Late' }, headers: { 'idempotency-key': 'died' } };
    const keyed = { key: 'died', operation: 'POST /api/feed', content: `/api/feed\n${JSON.stringify(request.body)}` };
    const caller = `key ${hashKey(key).toString('hex')}`;
    const [fingerprints, holder] = [fingerprintsOf(world.deps.secretKey, { ...keyed, caller }), drawUuid()];
    expect(await takeLease(world.deps, fingerprints, holder)).to.equal(null);
    const during = await world.ask('POST', '/api/feed', request);
    expect([refusal(during), during.headers.get('retry-after')]).to.deep.equal(['409 Request in progress', '1']);
    await renewLease({ ...world.deps, times: { ...world.deps.times, writeLease: -1 } }, fingerprints, holder);
    const after = await world.ask('POST', '/api/feed', request);
    expect([after.status, replayed(after)]).to.deep.equal([201, null]);
  });

  it('gets 400 if it is malformed, which counts in the global window', async () => {
    const { key } = await addListedAgent(world);
    for (const [wrong, left] of [
      ['a, b', 29],
      ['', 28],
    ] as const) {
      const answer = await ask(world.url, 'POST', '/api/feed', {
        key,
        body: {},
        headers: { 'idempotency-key': wrong },
      });
      expect(refusal(answer), wrong).to.equal('400 Idempotency-Key is not valid');
      expect(answer.headers.get('ratelimit')).to.match(new RegExp(`^"global";r=${left};`));
    }
  });

  it('is ignored by reads and outside /api', async () => {
    const headers = { ...freshIp(), 'idempotency-key': 'not valid' };
    expect((await world.ask('GET', '/api/agents', { headers })).status).to.equal(200);
    const { wallet } = await newAgent(world);
    expect((await world.ask('POST', '/dev/faucet', { headers, body: { address: wallet } })).status).to.equal(200);
  });
});

describe('an idempotency key', () => {
  const parse = (text: string) => parseIdempotencyKey(text, 'Idempotency-Key');

  it('is bare or quoted', () => {
    for (const bare of ['abc', 'a"b', '${~!', 'x'.repeat(255)]) expect(parse(bare)).to.equal(bare);
    expect(parse(`"${'x'.repeat(255)}"`)).to.have.length(255);
    expect(parse('"a\\"b\\\\c"')).to.equal('a"b\\c');
  });

  it('is refused if it is empty, too long, or has other characters', () => {
    for (const text of ['', '""', '"', '"a', 'x'.repeat(256), 'a b', '"a b"', 'a\tb', 'é', '"a";b', '"a\\b"', 'a, b']) {
      expect(() => parse(text), text)
        .to.throw(AppError, 'Idempotency-Key is not valid')
        .with.property('hint', 'Send Idempotency-Key as 1 to 255 visible ASCII characters.');
    }
  });
});

describe('the fingerprints of a write', () => {
  const write = { key: 'k', caller: 'c', operation: 'o', content: 't' };
  const { id, caller, content, cipherKey } = fingerprintsOf('secret', write);

  it('keep caller and operation apart', () => {
    expect(fingerprintsOf('secret', { ...write, caller: 'c,', operation: 'o' }).id).not.to.deep.equal(
      fingerprintsOf('secret', { ...write, caller: 'c', operation: ',o' }).id,
    );
  });

  it('depend on the secret key of the service', () => {
    const other = fingerprintsOf('another', write);
    expect(other.id.equals(id) || other.caller.equals(caller) || other.content.equals(content)).to.equal(false);
    expect(other.cipherKey.equals(cipherKey)).to.equal(false);
  });
});

describe('a sealed answer', () => {
  const fingerprints = fingerprintsOf('secret', { key: 'k', caller: 'c', operation: 'o', content: 't' });
  const answer = Buffer.from('{"apiKey":"shown once"}');

  it('opens only with the idempotency key, and only unchanged', () => {
    const sealed = seal(fingerprints, answer);
    expect(sealed.includes('shown')).to.equal(false);
    expect(unseal(fingerprints, sealed)).to.deep.equal(answer);
    expect(seal(fingerprints, answer)).not.to.deep.equal(sealed);
    const other = fingerprintsOf('secret', { key: 'x', caller: 'c', operation: 'o', content: 't' });
    expect(() => unseal(other, sealed)).to.throw();
    expect(() => unseal({ ...fingerprints, id: other.id }, sealed)).to.throw();
    for (const place of [0, 12, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[place] = (changed[place] ?? 0) ^ 1;
      expect(() => unseal(fingerprints, changed), String(place)).to.throw();
    }
  });
});
