import { expect } from 'chai';
import { readConfig } from '../../../src/config.js';
import { endpoints } from '../../../src/features.js';
import { hashKey } from '../../../src/keys.js';
import { freshIp, freshName, newAgent, refusal, success } from '../../support/market/agents.js';
import { signReplacement } from '../../support/market/key-replacements.js';
import { addListedAgent } from '../../support/market/rows.js';
import { newTrader } from '../../support/market/traders.js';
import { withParts } from '../../support/parts.js';
import { ask, useWorld } from '../../support/world.js';
import { contentOfTables, isStoredWithEffect, operations } from './writes.js';

type Sent = { readonly key?: string | undefined; readonly body?: unknown; readonly headers: Record<string, string> };

describe('Idempotency-Key', () => {
  const world = useWorld({ KEY_REPLACEMENT: 'on', TRUST_PROXY: '1' });
  /** Each test has its own rate-limit windows. */
  beforeEach(() => world.clock.advance(3_700_000));

  async function send(method: string, path: string, { key, body, headers }: Sent) {
    const answer = await fetch(world.url + path, {
      method,
      headers: { ...(key && { 'x-api-key': key }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { status } = answer;
    return { status, headers: answer.headers, text: await answer.text() };
  }
  const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed');
  const errorIn = ({ status, text }: { status: number; text: string }) => `${status} ${JSON.parse(text).error}`;

  it('is tested with every write under /api', () => {
    const declared = endpoints(readConfig({ KEY_REPLACEMENT: 'on' }))
      .filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path}`);
    expect(operations.flatMap((operation) => operation.endpoints).sort()).to.deep.equal(declared.sort());
  });

  for (const { endpoints: declared, prepare } of operations) {
    for (const endpoint of declared) {
      it(`executes ${endpoint} once and replays its first answer`, async () => {
        const [method = '', declaredPath = ''] = endpoint.split(' ');
        const { key, body, other, ...write } = await prepare(world);
        const path = declaredPath.includes('{') ? write.path : declaredPath;
        const headers = { ...freshIp(), 'idempotency-key': '"a-key"' };
        const first = await send(method, path, { key, body, headers });
        expect([Math.floor(first.status / 100), replayed(first)], first.text).to.deep.equal([2, null]);
        expect(await isStoredWithEffect(world)).to.equal(true);
        const content = await contentOfTables(world);
        // The retry sends the key bare instead of quoted. Both forms are the same key.
        const again = await send(method, path, { key, body, headers: { ...headers, 'idempotency-key': 'a-key' } });
        expect([again.status, again.text, replayed(again)]).to.deep.equal([first.status, first.text, 'true']);
        expect(again.headers.get('content-type')).to.equal(first.headers.get('content-type'));
        expect(again.headers.get('ratelimit-policy')).to.match(/^"global";q=\d+;w=60$/);
        if (other.body || other.path) {
          const changed = await send(method, other.path ?? path, { key, body: other.body ?? body, headers });
          expect([errorIn(changed), replayed(changed)]).to.deep.equal(['422 Idempotency key reused', null]);
        }
        expect(await contentOfTables(world)).to.equal(content);
      });
    }
  }

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

  it('is bound to the address without a key, so that a stranger gets no replay of a registration', async () => {
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
    expect(refusal(await world.ask('POST', '/api/agents', { body, headers: other }))).to.equal(
      '409 Agent already exists',
    );
    const again = await world.ask('POST', '/api/agents', { body, headers: { ...headers, ...ip } });
    expect(again.body).to.deep.equal(first.body);
  });

  it('replays a replacement of a key, although its nonce is used up, and keeps the new key encrypted', async () => {
    const { trader, wallet, key: oldKey } = await newAgent(world);
    const body = await signReplacement(world, trader.signer, wallet);
    const headers = { ...freshIp(), 'idempotency-key': 'b9d5c9b6-2f0e-4a55-9b0e-1f5d6f1f2a12' };
    const send = (given = headers) => world.ask('POST', '/api/agents/key', { body, headers: given });
    const { apiKey } = success(await send());
    const again = await send();
    expect([replayed(again), again.body.apiKey]).to.deep.equal(['true', apiKey]);
    expect(again.headers.get('cache-control')).to.equal('no-store');
    for (const other of [
      { ...headers, ...freshIp() },
      { ...headers, 'idempotency-key': 'another' },
    ]) {
      expect(refusal(await send(other))).to.equal('409 Nonce already used');
    }
    const dump = await tablesAsText();
    expect(dump).to.include(hashKey(String(apiKey)).toString('hex'));
    for (const encoding of ['latin1', 'hex', 'base64', 'base64url'] as const) {
      expect(dump.includes(Buffer.from(String(apiKey)).toString(encoding)), encoding).to.equal(false);
    }
    for (const [key, status] of [
      [oldKey, 401],
      [String(apiKey), 200],
    ] as const) {
      expect((await world.ask('GET', '/api/agents/me', { key, headers: freshIp() })).status).to.equal(status);
    }
  });

  it('keeps the API key of a registration encrypted, and itself out of the database', async () => {
    const idempotencyKey = 'b9d5c9b6-2f0e-4a55-9b0e-1f5d6f1f2a11';
    const [trader, name] = [await newTrader(world.chain), freshName()];
    await trader.register(name);
    const body = { name, walletAddress: trader.wallet };
    const headers = { ...freshIp(), 'idempotency-key': idempotencyKey };
    const { apiKey } = success(await world.ask('POST', '/api/agents', { body, headers })) as { apiKey: string };
    const dump = await tablesAsText();
    // Proves that the search finds what is stored in clear, as text or as bytes.
    expect(dump).to.include(trader.wallet).and.to.include(hashKey(apiKey).toString('hex'));
    for (const secret of [apiKey, idempotencyKey]) {
      for (const encoding of ['latin1', 'hex', 'base64', 'base64url'] as const) {
        expect(dump.includes(Buffer.from(secret).toString(encoding)), `${secret} in ${encoding}`).to.equal(false);
      }
    }
    const again = success(await world.ask('POST', '/api/agents', { body, headers }));
    expect(again.apiKey).to.equal(apiKey);
  });

  async function tablesAsText(): Promise<string> {
    const tables = await world.deps.sql<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    const texts = await Promise.all(
      tables.map(({ name }) => world.deps.sql<{ text: string }>(`select t::text as text from ${name} t`)),
    );
    return texts
      .flat()
      .map(({ text }) => text)
      .join('\n');
  }

  it('stores no refusal: the same key can succeed later, also with another body', async () => {
    const [ada, bob] = [await addListedAgent(world), await addListedAgent(world)];
    const headers = { 'idempotency-key': 'corrected' };
    const follow = (targetAddress: string) =>
      world.ask('POST', '/api/agents/follow', { key: ada.key, body: { targetAddress }, headers });
    expect(refusal(await follow(ada.wallet))).to.equal('422 Cannot follow yourself');
    expect(refusal(await follow('0x12'))).to.equal('400 Invalid address format');
    const answer = await follow(bob.wallet);
    expect([answer.status, replayed(answer)]).to.deep.equal([200, null]);
    expect(await world.deps.sql('select from idempotent_write where answer is null')).to.have.length(0);
  });

  it('stores no 429 and no 5xx', async () => {
    const { key } = await addListedAgent(world);
    for (let i = 0; i < 3; i++) success(await world.ask('POST', '/api/feed', { key, body: { text: `Text ${i}` } }));
    const request = { key, body: { text: 'One more' }, headers: { 'idempotency-key': 'later' } };
    expect((await world.ask('POST', '/api/feed', request)).status).to.equal(429);
    world.clock.advance(1_300_000);
    const write = () => Promise.reject(new Error('broken'));
    await withParts(world, { write }, async (broken) => {
      expect((await broken.ask('POST', '/api/feed', request)).status).to.equal(500);
    });
    const answer = await world.ask('POST', '/api/feed', request);
    expect([answer.status, replayed(answer)]).to.deep.equal([201, null]);
  });

  it('is answered with 401 for a wrong key, which gets no replay', async () => {
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

  it('consumes the global window for a replay, and no window of the write, also when that is full', async () => {
    const [{ key }, target] = [await addListedAgent(world), await addListedAgent(world)];
    const body = { targetAddress: target.wallet };
    const first = await world.ask('POST', '/api/agents/follow', { key, body, headers: { 'idempotency-key': 'f' } });
    for (let i = 0; i < 9; i++) success(await world.ask('POST', '/api/agents/follow', { key, body }));
    expect((await world.ask('POST', '/api/agents/follow', { key, body })).status).to.equal(429);
    const again = await world.ask('POST', '/api/agents/follow', { key, body, headers: { 'idempotency-key': 'f' } });
    expect([again.status, again.body]).to.deep.equal([200, first.body]);
    expect(again.headers.get('ratelimit')).to.match(/^"global";r=19;t=\d+$/);
  });

  it('of a wrong form answers 400, which counts in the global window', async () => {
    const { key } = await addListedAgent(world);
    for (const wrong of ['x'.repeat(256), 'a b', '"open', 'a, b']) {
      const headers = { 'idempotency-key': wrong };
      const answer = await world.ask('POST', '/api/feed', { key, body: { text: 'Hi' }, headers });
      expect(refusal(answer), wrong).to.equal('400 Idempotency-Key is not valid');
    }
    const { headers } = await world.ask('GET', '/api/agents/status', { key });
    expect(headers.get('ratelimit')).to.match(/^"global";r=25;/);
    const empty = await ask(world.url, 'POST', '/api/feed', { key, body: {}, headers: { 'idempotency-key': '' } });
    expect(refusal(empty)).to.equal('400 Idempotency-Key is not valid');
  });

  it('is ignored by reads and outside /api', async () => {
    const headers = { ...freshIp(), 'idempotency-key': 'not valid' };
    expect((await world.ask('GET', '/api/agents', { headers })).status).to.equal(200);
    const { wallet } = await newAgent(world);
    expect((await world.ask('POST', '/dev/faucet', { headers, body: { address: wallet } })).status).to.equal(200);
  });
});
