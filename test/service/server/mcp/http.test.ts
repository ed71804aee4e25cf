import { hash } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { z } from 'zod';
import { toolsFor } from '../../../../src/features/features.js';
import { guideResources } from '../../../../src/server/mcp/guide-resources.js';
import { freshIp } from '../../../support/market/agents.js';
import type { Json } from '../../../support/service/graphql.js';
import { frontMatter, guideEnvironments, guidesFor } from '../../../support/service/guides.js';
import { mcpClient, revisions } from '../../../support/service/mcp.js';
import { rawAsk } from '../../../support/service/raw-requests.js';
import { useWorld } from '../../../support/world.js';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const getAgent = (agent: string) => ({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'get_agent', arguments: { agent } },
});
const ACCEPT = { accept: 'application/json, text/event-stream' };

describe('the MCP server', () => {
  const world = useWorld({ TRUST_PROXY: '1' });

  const send = (body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
    world.ask(method, '/mcp', { body, headers: { ...ACCEPT, ...freshIp(), ...headers } });
  /** Sends a request with this Host header, which fetch would replace. Returns the status. */
  const withHost = async (host: string): Promise<number> => {
    const headers = { ...ACCEPT, ...freshIp(), host, 'content-type': 'application/json' };
    return (await rawAsk(world.url, '/mcp', { method: 'POST', headers }, JSON.stringify(LIST))).status;
  };
  /** The JSON-RPC message in an answer. The answer is JSON, or a stream with one event. `text` is the body of a stream. */
  const message = ({ body }: { body: Json }): Json =>
    body.text === undefined ? body : JSON.parse(/^data: (.*)$/m.exec(String(body.text))?.[1] ?? 'null');
  const nested = (levels: number) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`;

  it('answers a list without a handshake, and names no session', async () => {
    const answer = await send(LIST);
    expect(answer.status).to.equal(200);
    expect(message(answer).result.tools).to.have.length(toolsFor(world.deps.config).length);
    expect(answer.headers.get('mcp-session-id')).to.equal(null);
    expect(answer.headers.get('cache-control')).to.equal('no-store');
  });

  it('refuses the host name of a foreign page', async () => {
    for (const host of ['evil.example', 'evil.example:4000', 'a.b.', '127.0.0.1.evil.example']) {
      expect(await withHost(host), host).to.equal(403);
    }
    for (const host of ['localhost:4000', '127.0.0.1', '[::1]:80', 'curvet:3000', '10.1.2.3']) {
      expect(await withHost(host), host).to.equal(200);
    }
  });

  it('limits all messages per address', async () => {
    const headers = freshIp();
    const { headers: answered } = await send(LIST, headers);
    expect(answered.get('ratelimit-policy')).to.equal('"outside";q=300;w=60');
    expect(answered.get('ratelimit')).to.match(/^"outside";r=299;/);
    const called = await send(getAgent('x'), headers);
    expect(called.headers.get('ratelimit-policy')).to.equal('"outside";q=300;w=60, "global";q=20;w=60');
  });

  it('accepts a body of 64 KB or 16 levels, and refuses more before it parses', async () => {
    const padded = (bytes: number) => JSON.stringify(LIST).padEnd(bytes, ' ');
    expect((await send(padded(65_536))).status).to.equal(200);
    const large = await send(padded(65_537));
    expect(large.status).to.equal(400);
    expect(large.body).to.include({ error: 'Request body too large', hint: 'Send at most 65536 bytes.' });
    expect((await send(nested(16))).body.error).to.equal(undefined);
    expect((await send(nested(17))).body.error).to.equal('Request body is too deeply nested');
    // The text is not JSON: if the service parsed it before the check of the depth, the error would be another one.
    expect((await send('['.repeat(60_000))).body.error).to.equal('Request body is too deeply nested');
  });

  it('refuses a body that is not one JSON object', async () => {
    for (const body of ['{', '', '7', 'null', JSON.stringify([LIST, LIST])]) {
      expect((await send(body)).body.error, body).to.equal('Invalid JSON body');
    }
    expect((await send(JSON.stringify(LIST), { 'content-type': 'text/plain' })).status).to.equal(415);
  });

  it('serves POST only', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await send(undefined, {}, method);
      expect([method, status, headers.get('allow')]).to.deep.equal([method, 405, 'POST']);
    }
  });

  it('answers unknown methods, prompts, tools and resources with errors of the protocol', async () => {
    const failure = async (method: string, params: object = {}) =>
      message(await send({ jsonrpc: '2.0', id: 3, method, params })).error;
    expect((await failure('completion/complete')).code).to.equal(-32601);
    expect(await failure('prompts/get', { name: 'steal' })).to.deep.include({ code: -32602, data: { name: 'steal' } });
    expect((await failure('tools/call', { name: 'transfer' })).code).to.equal(-32602);
    expect((await failure('resources/read', { uri: 'file:///etc/passwd' })).code).to.equal(-32602);
  });

  it('opens no stream of notifications', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { _meta, notifications: { toolsListChanged: true } };
    const listen = { jsonrpc: '2.0', id: 4, method: 'subscriptions/listen', params };
    // If the service opened a stream, this request would never end.
    const answer = await send(listen, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' });
    expect(message(answer).error).to.have.property('code');
  });

  it('logs each call with its tool and status, but without its arguments', async () => {
    await send(getAgent('hidden-argument'));
    const line = world.logged.findLast(({ msg }) => msg === 'tool call');
    expect(line).to.include({ tool: 'get_agent', status: 404 });
    expect(JSON.stringify(world.logged)).not.to.contain('hidden-argument');
  });

  const served = async (path: string): Promise<string> => (await fetch(world.url + path)).text();

  for (const revision of revisions) {
    describe(`in revision ${revision}`, () => {
      let client: Client;
      before(async () => {
        client = await mcpClient(world, { revision });
      });
      after(() => client.close());

      it('introduces itself', () => {
        expect(client.getServerVersion()).to.include({ name: 'curvet', title: 'Curvet' });
        expect(client.getInstructions()).to.match(/no tool takes a private key/);
        expect(client.getServerCapabilities()).to.include.keys('tools', 'resources', 'extensions');
      });

      it('serves the guides as resources, byte for byte', async () => {
        const { resources } = await client.listResources();
        const url = world.deps.publicUrl;
        const paths: Record<string, string> = {
          [`${url}/skill.md`]: '/skill.md',
          [`${url}/heartbeat.md`]: '/heartbeat.md',
          [`${url}/llms.txt`]: '/llms.txt',
          'skill://curvet/SKILL.md': '/skill.md',
          'skill://curvet-heartbeat/SKILL.md': '/heartbeat.md',
        };
        expect(resources.map(({ uri }) => uri)).to.deep.equal(Object.keys(paths));
        for (const { uri, size, mimeType } of resources) {
          const { contents } = (await client.readResource({ uri })) as Json;
          expect(contents[0]).to.deep.equal({ uri, mimeType, text: await served(String(paths[uri])) });
          expect(size).to.equal(Buffer.byteLength(contents[0].text));
        }
      });

      it('serves the skills by the Skills extension, with digests of their bytes', async () => {
        const result = z.looseObject({ skills: z.array(z.looseObject({})) });
        const { skills } = (await client.request({ method: 'skills/list', params: {} }, result)) as Json;
        const uris = ['skill://curvet/SKILL.md', 'skill://curvet-heartbeat/SKILL.md'];
        expect(skills.map(({ uri }: Json) => uri)).to.deep.equal(uris);
        for (const { uri, frontmatter, resources } of skills) {
          const { contents } = (await client.readResource({ uri })) as Json;
          const { text } = contents[0];
          expect(text).to.equal(await served(uri.includes('heartbeat') ? '/heartbeat.md' : '/skill.md'));
          expect(frontmatter).to.deep.equal(frontMatter(text));
          expect(resources).to.have.length(1);
          expect(JSON.stringify(resources[0])).to.contain(hash('sha256', text));
        }
      });
    });
  }

  it('accepts the guides of every setting as skills', async () => {
    for (const environment of guideEnvironments) {
      const { list, skills } = await guideResources('https://curvet.example', guidesFor(environment));
      expect([list.length, skills.length], JSON.stringify(environment)).to.deep.equal([5, 2]);
    }
  });
});
