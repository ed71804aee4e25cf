import { expect } from 'chai';
import { toolsFor } from '../../../src/features/features.js';
import { hashKey } from '../../../src/keys.js';
import { limitsOf } from '../../../src/server/openapi/limits.js';
import { type Endpoint, isRead } from '../../../src/server/operation.js';
import { windowsOf } from '../../../src/server/rate-limits.js';
import { freshIp } from '../../support/market/agents.js';
import { expectAll, valueAt } from '../../support/operations/compare.js';
import { mutations, waysOf } from '../../support/operations/ways.js';
import { contentOfTables, isStoredWithEffect, writes } from '../../support/operations/writes.js';
import { declared, EXTRA, nameOf } from '../../support/service/samples.js';
import { useWorld } from '../../support/world.js';

/** The idempotency key of the writes. No table of the database may contain it in clear. */
const ONCE = 'b9d5c9b6-2f0e-4a55-9b0e-1f5d6f1f2a11';

/** The mutations that need no key. */
const keyless: readonly string[] = ['registerAgent', 'replaceKey', 'verifyAgent'];

describe('writes', () => {
  const world = useWorld({ ...EXTRA, TRUST_PROXY: '1' });
  /** Moves the clock by more than an hour, so that no test meets the rate-limit windows that the one before used up. */
  beforeEach(() => world.clock.advance(3_700_000));

  it('are all in the test table, whether they are endpoints under /api, mutations or tools', () => {
    const paths = declared.filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/')).map(nameOf);
    expect(writes.flatMap(({ endpoints }) => endpoints)).to.have.members(paths);
    expect(writes.map(({ mutation }) => mutation)).to.have.members(Object.keys(mutations));
    const tools = toolsFor(world.deps.config)
      .filter((one) => !isRead(one))
      .map(({ tool }) => tool.name);
    expect(new Set(writes.flatMap(({ tool }) => (tool ? [tool[0]] : [])))).to.deep.equal(new Set(tools));
  });

  for (const write of writes) {
    const { expected, at = '', expectedOfTool = expected, wrong } = write;
    for (const { name, api, call } of waysOf(write)) {
      it(`by ${name} execute once with an idempotency key, store no secret in clear, and replay the answer`, async () => {
        const { key, input, other } = await write.prepare(world);
        const sent = { key, input, once: ONCE, headers: freshIp() };
        const { count } = world.deps.writes;
        const first = await call(world, sent);
        expect([first.code, first.replayed], first.text).to.deep.equal([undefined, false]);
        if (api === 'MCP') expectAll(first.body, expectedOfTool);
        else expectAll(api === 'REST' ? valueAt(first.body, at) : first.body, expected);
        if (api === 'REST') expect(world.deps.writes.count, 'writes that invalidate the caches').to.be.above(count);
        expect(await isStoredWithEffect(world)).to.equal(true);
        await expectEncrypted(ONCE, first.body.apiKey ?? ONCE, key ?? ONCE);
        const content = await contentOfTables(world);
        const again = await call(world, { ...sent, isReversed: true });
        // GraphQL does not accept the key of a deleted agent, not even for a replay.
        if (name === 'the mutation deleteAgent') return expect(again.code).to.equal('INVALID_KEY');
        expect([again.text, again.replayed]).to.deep.equal([first.text, true]);
        if (api === 'GraphQL') {
          const selected = await call(world, sent, write.otherSelection);
          expect([selected.code, selected.replayed]).to.deep.equal([undefined, true]);
        }
        if (other) {
          const changed = await call(world, { ...sent, input: other });
          expect([changed.code, changed.replayed]).to.deep.equal(['IDEMPOTENCY_KEY_REUSED', false]);
        }
        expect(await contentOfTables(world)).to.equal(content);
      });
    }

    const names = waysOf(write)
      .map(({ name }) => name)
      .join(', ');
    const [fields, code] = wrong ?? [];
    const needsKey = !keyless.includes(write.mutation);
    const refusals = [needsKey && 'a missing key', code && `a wrong ${Object.keys(fields ?? {})} with ${code}`].filter(Boolean);
    it(`by ${names} refuse ${refusals.join(', and ')}`, async () => {
      const { key, input } = await write.prepare(world);
      const content = await contentOfTables(world);
      for (const { name, call } of waysOf(write)) {
        if (needsKey) expect((await call(world, { input, headers: freshIp() })).code, name).to.equal('MISSING_KEY');
        // This endpoint takes no field of the input.
        if (code === undefined || name === 'DELETE /api/agents/me') continue;
        const answer = await call(world, { key, input: { ...input, ...fields }, headers: freshIp() });
        expect(answer.code, name).to.equal(code);
      }
      expect(await contentOfTables(world)).to.equal(content);
    });

    const endpoint = declared.find((one) => nameOf(one) === write.endpoints[0]);
    for (const { name, call } of endpoint ? waysOf(write) : []) {
      const rows = limitsOf(endpoint as Endpoint);
      it(`by ${name} count in each window of the operation: ${[...new Set(rows.map((row) => row.name))].join(', ')}`, async () => {
        const { key, input } = await write.prepare(world);
        const headers = freshIp();
        const [actor = null] = key
          ? await world.deps.sql<{ wallet: string }>('select wallet from agent where api_key_hash = $1', [hashKey(key)])
          : [];
        // A caller with a key has only the windows of the key, except where an operation has a limit for addresses alone.
        const counted = rows.filter((row) => row.name !== 'global' || row.per === (actor ? 'key' : 'ip'));
        const windows = counted.flatMap((row) => windowsOf([row], actor, headers['x-forwarded-for']));
        const now = () => world.clock.now().getTime();
        const left = windows.map((window) => ({ ...window, cost: window.max - 1 }));
        expect((await world.deps.limits.take(left, now())).allowed).to.equal(true);
        const last = await call(world, { key, input, headers });
        expect(last.code, last.text).to.equal(undefined);
        for (const window of windows) {
          expect((await world.deps.limits.peek([window], now())).allowed, window.key).to.equal(false);
        }
        // After a deletion, the key is refused before its limits are looked up.
        const after = write.mutation === 'deleteAgent' ? 'INVALID_KEY' : 'RATE_LIMITED';
        expect((await call(world, { key, input, headers })).code).to.equal(after);
      });
    }
  }

  /** Checks that no table has one of the secrets in clear, as text or as bytes. */
  async function expectEncrypted(...secrets: readonly string[]): Promise<void> {
    const tables = await world.deps.sql<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    const texts = await Promise.all(
      tables.map(({ name }) => world.deps.sql<{ text: string }>(`select t::text as text from ${name} t`)),
    );
    const dump = JSON.stringify(texts.flat());
    // Proves that the search finds what is stored in clear: wallets, and hashes as bytes.
    expect(dump)
      .to.match(/0x[0-9a-f]{40}/)
      .and.match(/\\\\x[0-9a-f]{64}/);
    for (const secret of secrets) {
      for (const encoding of ['latin1', 'hex', 'base64', 'base64url'] as const) {
        expect(dump.includes(Buffer.from(secret).toString(encoding)), `${secret} in ${encoding}`).to.equal(false);
      }
    }
  }
});
