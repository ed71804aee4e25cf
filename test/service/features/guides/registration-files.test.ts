import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { VERSION } from '../../../../src/config/config.js';
import { registrationFile } from '../../../support/erc-8004.js';
import { newAgent, refusal, success, type TestAgent } from '../../../support/market/agents.js';
import { query } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

const REGISTRY = 'eip155:8453:0x8004a169fb4a3325136eb29fa0ceb6d2e539a432';
const OWN = `${REGISTRY}:7`;

describe('the registration files of ERC-8004', () => {
  const world = useWorld({ RATE_LIMITS: 'off', SERVICE_IDENTITY: OWN });
  let scout: TestAgent;
  const get = (path: string, init?: RequestInit) => fetch(world.url + path, init);
  const fileOf = async (reference: string) => {
    const answer = await get(`/agents/${reference}/registration.json`);
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([200, 'application/json; charset=utf-8']);
    return registrationFile.parse(await answer.json());
  };
  const change = (identity: unknown) => world.ask('PATCH', '/api/agents/me', { key: scout.key, body: { identity } });

  before(async () => {
    scout = await newAgent(world, { name: 'Scout' });
  });

  it('describe an agent as the standard says, with all its services', async () => {
    const { publicUrl: url, chain } = world.deps;
    expect(await fileOf(scout.wallet)).to.deep.equal({
      type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
      name: 'Scout',
      description: 'Scout trades tickets of agents on Curvet, and others trade its tickets.',
      image: `${url}/share/agents/scout.png`,
      services: [
        { name: 'web', endpoint: `${url}/agents/scout` },
        { name: 'REST', endpoint: `${url}/api/agents/${scout.wallet}`, version: VERSION },
        { name: 'GraphQL', endpoint: `${url}/graphql` },
        { name: 'MCP', endpoint: `${url}/mcp`, version: '2025-11-25' },
        { name: 'live', endpoint: `${url.replace('http', 'ws')}/graphql`, version: 'graphql-transport-ws' },
        { name: 'wallet', endpoint: `eip155:${chain.chainId}:${scout.wallet}` },
      ],
      x402Support: false,
      active: true,
      registrations: [],
      supportedTrust: ['reputation'],
    });
    expect(await fileOf('scout')).to.deep.equal(await fileOf(scout.wallet.toUpperCase().replace('0X', '0x')));
  });

  it('name services that answer, and the revision of MCP that a client gets', async () => {
    const { services, image } = await fileOf('scout');
    const path = (name: string) =>
      String(services.find((service) => service.name === name)?.endpoint).replace(world.deps.publicUrl, '');
    for (const name of ['web', 'REST']) expect((await get(path(name))).status, name).to.equal(200);
    expect((await get(image.replace(world.deps.publicUrl, ''))).headers.get('content-type')).to.equal('image/png');
    expect((await query(world, '{ __typename }')).errors).to.deep.equal([]);
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(world.url + path('MCP')));
    await client.connect(transport);
    expect(transport.protocolVersion).to.equal(services.find(({ name }) => name === 'MCP')?.version);
    await client.close();
  });

  it('show the description and the picture of the profile', async () => {
    const body = { description: 'I look ahead.', avatarUrl: 'https://pictures.example/scout.png' };
    success(await world.ask('PATCH', '/api/agents/me', { key: scout.key, body }));
    expect(await fileOf('scout')).to.deep.include({ description: body.description, image: body.avatarUrl });
  });

  it('name the identity that the agent has set, and no other', async () => {
    const identity = `${REGISTRY}:22`;
    const upper = identity.toUpperCase().replace('EIP', 'eip').replace('0X', '0x');
    expect(success(await change(upper)).agent).to.deep.include({ identity });
    expect((await fileOf('scout')).registrations).to.deep.equal([{ agentRegistry: REGISTRY, agentId: 22 }]);
    expect(success(await change(undefined)).agent).to.deep.include({ identity });
    for (const wrong of [
      '22',
      REGISTRY,
      `${REGISTRY}:022`,
      `${REGISTRY}:-1`,
      `${REGISTRY}:1 `,
      'eip155:0x1:0x8004:1',
      `${REGISTRY}:${'9'.repeat(16)}`,
      22,
    ]) {
      expect(refusal(await change(wrong)), String(wrong)).to.equal('400 identity is not valid');
    }
    const { updateMe } = (await query(world, 'mutation { updateMe(input: { bio: "Hi" }) { identity } }', { key: scout.key }))
      .data as never;
    expect(updateMe).to.deep.equal({ identity });
    for (const none of ['', null]) {
      success(await change(identity));
      expect(success(await change(none)).agent).to.deep.include({ identity: null });
    }
    expect((await fileOf('scout')).registrations).to.deep.equal([]);
  });

  it('describe the service at a well-known address, with the identity of the setting', async () => {
    const { publicUrl: url } = world.deps;
    const file = registrationFile.parse(await (await get('/.well-known/agent-registration.json')).json());
    expect(file).to.deep.include({ name: 'Curvet', image: `${url}/share/market.png` });
    expect(file.registrations).to.deep.equal([{ agentRegistry: REGISTRY, agentId: 7 }]);
    expect(file.services.map(({ name, endpoint }) => [name, endpoint])).to.deep.equal([
      ['web', `${url}/`],
      ['REST', `${url}/api`],
      ['GraphQL', `${url}/graphql`],
      ['MCP', `${url}/mcp`],
      ['live', `${url.replace('http', 'ws')}/graphql`],
    ]);
  });

  it('are refused for what is no agent, and revalidated by their ETag', async () => {
    for (const reference of ['nobody', `0x${'0'.repeat(40)}`, 'a%00b', '%24where', 'x'.repeat(43)]) {
      const answer = await get(`/agents/${reference}/registration.json`, { headers: { accept: 'text/html' } });
      expect([answer.status, (await answer.json()).code], reference).to.deep.equal([404, 'AGENT_NOT_FOUND']);
    }
    const answer = await get('/agents/scout/registration.json');
    expect(answer.headers.get('cache-control')).to.equal('public, no-cache');
    const etag = String(answer.headers.get('etag'));
    expect((await get('/agents/scout/registration.json', { headers: { 'if-none-match': etag } })).status).to.equal(304);
    expect((await get('/agents/scout/registration.json', { method: 'POST' })).status).to.equal(405);
    for (const path of ['/agents/scout/registration.json', '/.well-known/agent-registration.json']) {
      const head = await get(path, { method: 'HEAD' });
      expect([head.status, await head.text(), head.headers.has('etag')]).to.deep.equal([200, '', true]);
    }
  });

  it('are gone with the agent', async () => {
    const { wallet, key } = await newAgent(world);
    expect((await get(`/agents/${wallet}/registration.json`)).status).to.equal(200);
    success(await world.ask('DELETE', `/api/agents/${wallet}`, { key }));
    expect((await get(`/agents/${wallet}/registration.json`)).status).to.equal(404);
  });
});
