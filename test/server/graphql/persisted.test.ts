import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { freshIp } from '../../support/market/agents.js';
import { withParts } from '../../support/parts.js';
import { answerOf, query } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';

const apq = (text: string) => ({
  persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(text).digest('hex') },
});

describe('persisted queries', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });

  it('answers a persisted query by its hash', async () => {
    const text = '{ agents { totalCount } }';
    const extensions = apq(text);
    const ask = async (body: object) => answerOf(await world.ask('POST', '/graphql', { body }));
    expect((await ask({ extensions })).errors[0]?.extensions.code).to.equal('PERSISTED_QUERY_NOT_FOUND');
    expect((await ask({ query: text, extensions })).data).to.deep.equal({ agents: { totalCount: 0 } });
    expect((await ask({ extensions })).data).to.deep.equal({ agents: { totalCount: 0 } });
    const search = new URLSearchParams({ extensions: JSON.stringify(extensions) });
    const headers = { 'apollo-require-preflight': 'true' };
    const got = answerOf(await world.ask('GET', `/graphql?${search}`, { headers }));
    expect(got.data).to.deep.equal({ agents: { totalCount: 0 } });
  });

  it('applies the query limits to a persisted query', async () => {
    const text = 'query ($n: Int!) { agents(first: $n) { nodes { id } } }';
    const extensions = apq(text);
    await world.ask('POST', '/graphql', { body: { query: text, extensions, variables: { n: 1 } } });
    const refused = await world.ask('POST', '/graphql', { body: { extensions, variables: { n: 1_000_000 } } });
    expect([refused.status, answerOf(refused).errors[0]?.extensions.code]).to.deep.equal([400, 'QUERY_LIMIT']);
  });

  it('keeps a persisted query while clients send invalid documents', async () => {
    const text = '{ trades { totalCount } }';
    const extensions = apq(text);
    await query(world, text);
    for (let n = 0; n < 20; n++) await query(world, `{ unknown${n} } # ${'x'.repeat(19_000)}`);
    const answer = answerOf(await world.ask('POST', '/graphql', { body: { extensions } }));
    expect(answer.data).to.deep.equal({ trades: { totalCount: 0 } });
  });

  it('reads a persisted query only by exactly its hash, so that the charged query is the executed one', async () => {
    const text = '{ agents { nodes { name } } }';
    const { persistedQuery } = apq(text);
    await query(world, text);
    const { sha256Hash } = persistedQuery;
    for (const [named, code] of [
      [{ sha256Hash }, undefined],
      [{ sha256Hash: `a:${sha256Hash}` }, 'PERSISTED_QUERY_NOT_FOUND'],
      [{ sha256Hash: '' }, 'PERSISTED_QUERY_NOT_FOUND'],
      [{ sha256Hash: [sha256Hash] }, 'INVALID_FIELD'],
      [{ sha256Hash: { toString: 1 } }, 'INVALID_FIELD'],
      [{}, 'INVALID_FIELD'],
      [{ sha256Hash, version: 2 }, 'BAD_REQUEST'],
    ] as const) {
      const body = { extensions: { persistedQuery: { version: 1, ...named } } };
      const answer = answerOf(await world.ask('POST', '/graphql', { body, headers: freshIp() }));
      expect(answer.errors[0]?.extensions.code, JSON.stringify(named)).to.equal(code);
    }
  });

  it('does not execute a persisted query that another request registers while this one is charged', async () => {
    const text = '{ agents(first: 100) { nodes { name } } }';
    const { limits } = world.deps;
    let registered: Promise<unknown> | undefined;
    const take: typeof limits.take = async (...call) => {
      if (!registered) {
        registered = query(other, text, { headers: freshIp() });
        await registered;
      }
      return limits.take(...call);
    };
    let other = world;
    const config = { ...world.deps.config, RATE_LIMITS: 'on' as const };
    await withParts(world, { limits: { ...limits, take }, config }, async (made) => {
      other = made;
      const body = { extensions: apq(text) };
      const ask = async () => answerOf(await made.ask('POST', '/graphql', { body, headers: freshIp() }));
      expect((await ask()).errors[0]?.extensions.code).to.equal('PERSISTED_QUERY_NOT_FOUND');
      expect((await ask()).errors).to.deep.equal([]);
    });
  });
});
