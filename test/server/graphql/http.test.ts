import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { auditServer } from 'graphql-http';
import { graphqlSchema } from '../../../src/graphql.js';
import { schemaText } from '../../../src/server/graphql/schema.js';
import { addListedAgent } from '../../support/market/rows.js';
import { answerOf, data } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';

const root = join(import.meta.dirname, '..', '..', '..', '..');

describe('GraphQL over HTTP', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  it('passes the audit of graphql-http, except for checks that docs/graphql.md explains', async () => {
    const results = await auditServer({ url: `${world.url}/graphql`, fetchFn: fetch });
    const byStatus = Object.groupBy(results, ({ status }) => status);
    const told = readFileSync(join(root, 'docs', 'graphql.md'), 'utf8');
    const untold = [...(byStatus.warn ?? []), ...(byStatus.notice ?? [])].filter(
      ({ id }) => !told.includes(`\`${id}\``),
    );
    expect(byStatus.error ?? []).to.deep.equal([]);
    expect(untold.map(({ id, name }) => `${id} ${name}`)).to.deep.equal([]);
    expect(byStatus.ok?.length).to.be.at.least(57);
  });

  it('answers with the status codes of both media types', async () => {
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

  it('accepts the charset in the Accept header', async () => {
    const [json, newer] = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];
    for (const [accept, expected] of [
      [json, json],
      [newer, newer],
      [`${newer}, ${json};q=0.9`, newer],
      ['application/*; charset=UTF-8', json],
    ] as const) {
      const answer = await world.ask('POST', '/graphql', { body: { query: '{ __typename }' }, headers: { accept } });
      expect([answer.status, answer.headers.get('content-type')], accept).to.deep.equal([200, expected]);
    }
    const headers = { accept: 'application/json; charset=iso-8859-1' };
    expect((await world.ask('POST', '/graphql', { body: { query: '{ __typename }' }, headers })).status).to.equal(406);
  });

  it('refuses requests that break the specification with 400, 405, 406 or 415', async () => {
    const json = { 'content-type': 'application/json' };
    const ask = async (method: string, headers: Record<string, string>, body?: object) => {
      const search = body ? '' : `?${new URLSearchParams({ query: '{ __typename }' })}`;
      const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      return (await fetch(`${world.url}/graphql${search}`, init)).status;
    };
    const query = '{ __typename }';
    expect(await ask('POST', { ...json, accept: 'image/png' }, { query })).to.equal(406);
    expect(await ask('GET', { 'content-type': 'application/xml' })).to.equal(415);
    expect(await ask('HEAD', { 'apollo-require-preflight': 'true' })).to.equal(405);
    for (const field of [{ operationName: 5 }, { variables: [1] }, { extensions: '{}' }, { query: [query] }]) {
      expect(await ask('POST', json, { query, ...field }), JSON.stringify(field)).to.equal(400);
    }
    const persistedQuery = { version: 1, sha256Hash: 'not the hash' };
    for (const accept of ['application/json', 'text/event-stream']) {
      expect(await ask('POST', { ...json, accept }, { query, extensions: { persistedQuery } }), accept).to.equal(400);
    }
  });

  it('reads the first of repeated parameters of a GET, and null as an omitted one', async () => {
    const headers = { 'apollo-require-preflight': 'true' };
    for (const search of ['query={__typename}&query={trades{totalCount}}', 'query={__typename}&variables=null']) {
      for (let i = 0; i < 2; i++) {
        const { status, body } = await world.ask('GET', `/graphql?${encodeURI(search)}`, { headers });
        expect([status, body], search).to.deep.equal([200, { data: { __typename: 'Query' } }]);
      }
    }
  });

  it('accepts only queries over GET, and refuses requests that a foreign page can send without preflight', async () => {
    await addListedAgent(world);
    const get = (text: string, headers: Record<string, string>) =>
      world.ask('GET', `/graphql?${new URLSearchParams({ query: text })}`, { headers });
    expect((await get('{ __typename }', {})).status).to.equal(400);
    expect((await get('{ __typename }', { 'x-apollo-operation-name': 'a' })).body).to.deep.equal({
      data: { __typename: 'Query' },
    });
    expect((await get('mutation { post(text: "x") { id } }', { 'x-apollo-operation-name': 'a' })).status).to.equal(405);
    const form = await world.ask('POST', '/graphql', {
      body: 'query={__typename}',
      headers: { 'content-type': 'text/plain' },
    });
    expect(form.status).to.equal(400);
    const put = await world.ask('DELETE', '/graphql');
    expect([put.status, put.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, POST']);
    expect(
      (await world.ask('POST', '/graphql', { body: { query: '{ me { totalHoldings } }' } })).headers.get(
        'cache-control',
      ),
    ).to.equal('no-store');
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
});

describe('GraphQL documents', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });

  it('are parsed and validated once while cached, and again after eviction', async () => {
    // The first request starts Apollo Server, which looks at the whole schema.
    await data(world, '{ __typename }');
    let looked = 0;
    const schema = graphqlSchema();
    const type = schema.getQueryType();
    if (!type) throw new Error('no queries');
    // Every check of a document looks up its fields, so the counter shows whether a check runs. An execution looks up the
    // field once.
    const fields = type.getFields();
    const field = fields.contract;
    Object.defineProperty(fields, 'contract', {
      configurable: true,
      enumerable: true,
      get: () => {
        looked++;
        return field;
      },
    });
    try {
      const ask = async (text: string) => {
        const before = looked;
        expect((await data(world, text, { headers: { 'cache-control': 'no-cache' } })).contract).to.be.an('object');
        return looked - before;
      };
      const text = (n: number) => `query Q${n} { contract { address } }`;
      const first = await ask(text(0));
      expect(first).to.be.above(1);
      // The second request measures the document that Apollo Server has stored.
      await ask(text(0));
      expect(await ask(text(0))).to.equal(1);
      // Documents of 300,000 characters fill the cache.
      for (let n = 1; n <= 16; n++) await ask(`${text(n)} # ${'x'.repeat(19_000)}`);
      expect(await ask(text(0))).to.equal(first);
    } finally {
      Object.defineProperty(fields, 'contract', { configurable: true, enumerable: true, writable: true, value: field });
    }
  });
});

describe('the GraphQL schema', () => {
  it('matches schema/schema.graphql', () => {
    expect(readFileSync(join(root, 'schema', 'schema.graphql'), 'utf8')).to.equal(schemaText(graphqlSchema()));
  });
});
