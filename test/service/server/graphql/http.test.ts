import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { auditServer } from 'graphql-http';
import { graphqlSchema } from '../../../../src/features/graphql.js';
import { schemaText } from '../../../../src/server/graphql/schema.js';
import { freshIp } from '../../../support/market/agents.js';
import { addListedAgent } from '../../../support/market/rows.js';
import { withParts } from '../../../support/parts.js';
import { answerOf, data, query } from '../../../support/service/graphql.js';
import { root } from '../../../support/service/process.js';
import { useWorld } from '../../../support/world.js';

const apq = (text: string) => ({
  persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(text).digest('hex') },
});

describe('GraphQL over HTTP', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  it('passes the audit of graphql-http, except for checks that docs/graphql.md explains', async () => {
    const results = await auditServer({ url: `${world.url}/graphql`, fetchFn: fetch });
    const byStatus = Object.groupBy(results, ({ status }) => status);
    const told = readFileSync(join(root, 'docs', 'graphql.md'), 'utf8');
    const untold = [...(byStatus.warn ?? []), ...(byStatus.notice ?? [])].filter(({ id }) => !told.includes(`\`${id}\``));
    expect(byStatus.error ?? []).to.deep.equal([]);
    expect(untold.map(({ id, name }) => `${id} ${name}`)).to.deep.equal([]);
    expect(byStatus.ok?.length).to.be.at.least(57);
  });

  it('answers with the status codes of the media type that the client accepts', async () => {
    for (const [query, json, newer] of [
      ['{ trades { nodes { id } } }', 200, 200],
      ['{ me { totalHoldings } }', 200, 200],
      ['{ nothing }', 200, 400],
      ['{ trades', 200, 400],
      ['{ trade(txHash: "0x12") { id } }', 200, 400],
      ['{ agents(first: 1000000) { nodes { id } } }', 400, 400],
      ['', 400, 400],
    ] as const) {
      for (const [accept, expected] of [
        ['application/json', json],
        ['*/*', json],
        ['application/graphql-response+json', newer],
      ] as const) {
        const answer = await world.ask('POST', '/graphql', { body: { query }, headers: { accept } });
        expect(answer.status, `${accept} ${query}`).to.equal(expected);
        const type = accept === '*/*' ? 'application/json' : accept;
        expect(answer.headers.get('content-type')).to.equal(`${type}; charset=utf-8`);
      }
    }
    const unsupported = { persistedQuery: { version: 2, sha256Hash: 'ab' } };
    const answer = answerOf(await world.ask('POST', '/graphql', { body: { extensions: unsupported } }));
    expect([answer.status, answer.errors[0]?.extensions.code]).to.deep.equal([400, 'BAD_REQUEST']);
  });

  it('accepts the charset UTF-8 in the Accept header, and refuses another one', async () => {
    const [json, newer] = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];
    for (const [accept, expected] of [
      [json, json],
      [newer, newer],
      [`${newer}, ${json};q=0.9`, newer],
      ['application/*; charset=UTF-8', json],
      ['application/json, text/event-stream, multipart/mixed', json],
    ] as const) {
      const answer = await world.ask('POST', '/graphql', { body: { query: '{ __typename }' }, headers: { accept } });
      expect([answer.status, answer.headers.get('content-type')], accept).to.deep.equal([200, expected]);
    }
    const headers = { accept: 'application/json; charset=iso-8859-1' };
    expect((await world.ask('POST', '/graphql', { body: { query: '{ __typename }' }, headers })).status).to.equal(406);
  });

  it('reads the first of repeated parameters of a GET, and treats null as an omitted parameter', async () => {
    const headers = { 'apollo-require-preflight': 'true' };
    for (const search of ['query={__typename}&query={trades{totalCount}}', 'query={__typename}&variables=null']) {
      for (let i = 0; i < 2; i++) {
        const { status, body } = await world.ask('GET', `/graphql?${encodeURI(search)}`, { headers });
        expect([status, body.data, body.errors], search).to.deep.equal([200, { __typename: 'Query' }, undefined]);
      }
    }
  });

  it('refuses mutations over GET, and requests that a foreign page can send without preflight', async () => {
    const form = { body: 'query={__typename}', headers: { 'content-type': 'text/plain' } };
    expect((await world.ask('POST', '/graphql', form)).status).to.equal(400);
    for (const [query, headers, status] of [
      ['{__typename}', {}, 400],
      ['{__typename}', { 'x-apollo-operation-name': 'a' }, 200],
      ['mutation{post(text:"x"){id}}', { 'x-apollo-operation-name': 'a' }, 405],
    ] as const) {
      const answer = await world.ask('GET', `/graphql?${new URLSearchParams({ query })}`, { headers });
      expect(answer.status, query).to.equal(status);
    }
  });

  it('does not execute a mutation whose answer the client does not accept', async () => {
    const { key } = await addListedAgent(world);
    const bio = async () => (await data(world, '{ me { agent { bio } } }', { key })).me.agent.bio;
    const body = { query: 'mutation { updateMe(input: { bio: "Changed" }) { id } }' };
    const refused = await world.ask('POST', '/graphql', { body, key, headers: { accept: 'image/png' } });
    expect([refused.status, await bio()]).to.deep.equal([406, null]);
    await world.ask('POST', '/graphql', { body, key });
    expect(await bio()).to.equal('Changed');
  });

  it('explains how to subscribe when a subscription requests a single answer', async () => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const body = { query: 'subscription { trade { id } }' };
      const answer = await world.ask('POST', '/graphql', { body, headers: { accept } });
      expect(answer.status).to.equal(400);
      expect(JSON.stringify(answer.body))
        .to.include('INVALID_FIELD')
        .and.match(/text\/event-stream, or .* WebSocket/);
    }
  });

  it('serves browsers an editor without external resources', async () => {
    const page = await world.ask('GET', '/graphql', { headers: browser });
    expect(page.status).to.equal(200);
    const html = String(page.body.text);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy)
      .to.match(/^default-src 'self';/)
      .and.not.match(/https?:|unsafe-eval|script-src/);
    expect(html).to.not.match(/<script>/);
    const [, script = ''] = /<script src="([^"]+)">/.exec(html) ?? [];
    const outside = html.replace(/<style>[\s\S]*<\/style>/, '').match(/(?:src|href)="(?!\/graphql\/|data:)[^"]*"/g);
    expect(outside).to.equal(null);
    const answer = await world.ask('GET', script);
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([200, 'text/javascript; charset=utf-8']);
    expect(String(answer.body.text)).to.include('YogaGraphiQL.renderYogaGraphiQL(').and.include('query Dashboard');
    const rest = await world.ask('GET', '/health', { headers: browser });
    expect(rest.headers.get('content-security-policy')).to.not.include('blob:');
  });

  it('answers a persisted query by its hash', async () => {
    const text = '{ seasons { totalCount } }';
    const extensions = apq(text);
    const ask = async (body: object) => answerOf(await world.ask('POST', '/graphql', { body }));
    expect((await ask({ extensions })).errors[0]?.extensions.code).to.equal('PERSISTED_QUERY_NOT_FOUND');
    expect((await ask({ query: text, extensions })).data).to.deep.equal({ seasons: { totalCount: 0 } });
    expect((await ask({ extensions })).data).to.deep.equal({ seasons: { totalCount: 0 } });
    const search = new URLSearchParams({ extensions: JSON.stringify(extensions) });
    const headers = { 'apollo-require-preflight': 'true' };
    const got = answerOf(await world.ask('GET', `/graphql?${search}`, { headers }));
    expect(got.data).to.deep.equal({ seasons: { totalCount: 0 } });
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
    // If these documents were cached, they would evict the persisted query: the cache holds 300,000 characters.
    for (let n = 0; n < 20; n++) await query(world, `{ unknown${n} } # ${'x'.repeat(19_000)}`);
    const answer = answerOf(await world.ask('POST', '/graphql', { body: { extensions } }));
    expect(answer.data).to.deep.equal({ trades: { totalCount: 0 } });
  });

  it('finds a persisted query only by its exact hash, so that the charged query is the executed one', async () => {
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

  it('does not execute a persisted query that is registered only while the request is charged', async () => {
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

for (const keyReplacement of [false, true]) {
  describe(`the GraphQL schema of a service with KEY_REPLACEMENT=${keyReplacement ? 'on' : 'off'}`, () => {
    const world = useWorld({ TRUST_PROXY: '1', KEY_REPLACEMENT: keyReplacement ? 'on' : 'off' });
    const read = (headers: Record<string, string> = {}) =>
      fetch(`${world.url}/graphql/schema.graphql`, { headers: { ...freshIp(), ...headers } });

    it(`is served as text with an ETag${keyReplacement ? '' : ', as in schema/schema.graphql'}`, async () => {
      const answer = await read();
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      const text = await answer.text();
      const committed = () => readFileSync(join(root, 'schema', 'schema.graphql'), 'utf8');
      expect(text).to.equal(keyReplacement ? schemaText(graphqlSchema({ KEY_REPLACEMENT: 'on' })) : committed());
      expect(text.includes('replaceKey')).to.equal(keyReplacement);
      const etag = answer.headers.get('etag') ?? '';
      expect((await read({ 'if-none-match': etag })).status).to.equal(304);
    });
  });
}
