import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { auditServer } from 'graphql-http';
import { addListedAgent } from '../../support/market/rows.js';
import { answerOf, data } from '../../support/service/graphql.js';
import { root } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';
import { documentWork } from './document-work.js';

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
      ['application/json, text/event-stream, multipart/mixed', json],
    ] as const) {
      const answer = await world.ask('POST', '/graphql', { body: { query: '{ __typename }' }, headers: { accept } });
      expect([answer.status, answer.headers.get('content-type')], accept).to.deep.equal([200, expected]);
    }
    const headers = { accept: 'application/json; charset=iso-8859-1' };
    expect((await world.ask('POST', '/graphql', { body: { query: '{ __typename }' }, headers })).status).to.equal(406);
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
});

describe('GraphQL documents', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });

  it('are parsed and validated once while cached, and again after eviction', async () => {
    const visits = async (n: number, comment = '') => {
      const text = `query Q${n} { contract { address } }${comment}`;
      const headers = { 'cache-control': 'no-cache' };
      return (await documentWork(() => data(world, text, { headers }))).visits;
    };
    const first = await visits(0);
    expect(first).to.be.above(0);
    // The second request measures the document that Apollo Server has stored.
    await visits(0);
    expect(await visits(0)).to.equal(0);
    // Documents of 300,000 characters fill the cache.
    for (let n = 1; n <= 16; n++) await visits(n, ` # ${'x'.repeat(19_000)}`);
    expect(await visits(0)).to.equal(first);
  });
});
