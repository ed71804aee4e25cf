import { expect } from 'chai';
import type { ZodObject, ZodType } from 'zod';
import { readConfig } from '../../../../src/config/config.js';
import { toolsFor } from '../../../../src/features/features.js';
import { metaOf } from '../../../../src/server/inputs.js';
import { indexAll } from '../../../support/chain/indexed.js';
import { freshIp, newAgent, refusal, success, type TestAgent, tradeOnChain } from '../../../support/market/agents.js';
import { randomWallet } from '../../../support/market/rows.js';
import { newTrader, type Trader } from '../../../support/market/traders.js';
import { counting } from '../../../support/parts.js';
import { callTool, mcpClient } from '../../../support/service/mcp.js';
import { declared, nameOf } from '../../../support/service/samples.js';
import { useWorld, type World } from '../../../support/world.js';

/** The fields of all operations and tools that take an address. Fields in the group `agent` also take an agentId or a name. */
const addressFields = () => {
  const tools = toolsFor(readConfig({})).map(({ tool }) => [tool.name, [tool.args]] as const);
  const all = [...declared.map((one) => [nameOf(one), [one.query, one.body]] as const), ...tools];
  const fields = all.flatMap(([name, schemas]) =>
    schemas
      .flatMap((schema: ZodObject | undefined) => Object.entries<ZodType>(schema?.shape ?? {}))
      .map(([field, schema]) => [`${name} ${field}`, metaOf(schema)] as const)
      .filter(([, { code }]) => code === 'INVALID_ADDRESS'),
  );
  return Map.groupBy(fields, ([, { walletOf }]) => (walletOf ? 'agent' : 'wallet'));
};

/** Texts that name no agent. */
const NO_AGENTS = ['nobody', 'Nobody Here', '0x12', `0x${'5c'.repeat(32)}`, 'x', 'a'.repeat(31), 'night.owl', ' ', 'é'];

describe('an agent that a parameter asks for', () => {
  const world = useWorld({ RATE_LIMITS: 'off', TRUST_PROXY: '1' });
  let owl: TestAgent;
  let ada: TestAgent;
  let stranger: Trader;
  before(async () => {
    owl = await newAgent(world, { name: 'Night Owl' });
    ada = await newAgent(world, { name: 'Ada' });
    stranger = await newTrader(world.chain);
    await stranger.register('Stranger 1');
    await indexAll(world.deps);
  });

  const names = () => [owl.wallet, `0x${owl.wallet.slice(2).toUpperCase()}`, 'night_owl', 'Night Owl', 'NIGHT owl'];
  const get = (path: string, query: Record<string, string>, { ask }: Pick<World, 'ask'> = world) =>
    ask('GET', `${path}?${new URLSearchParams(query)}`, { key: ada.key });
  const post = (path: string, body: object) => world.ask('POST', path, { key: ada.key, body });

  it('can be named by wallet, agentId or name in every field that means an agent, not a wallet', () => {
    const fields = addressFields();
    expect(fields.get('agent')?.map(([name]) => name)).to.have.members([
      'GET /api/price agent',
      'GET /api/tickets/quote agent',
      'GET /api/feed agentAddress',
      'GET /api/feed agent',
      'POST /api/tickets/buy agentAddress',
      'POST /api/tickets/sell agentAddress',
      'POST /api/agents/follow targetAddress',
      'get_price agent',
      'quote_trade agent',
      'record_trade agent',
      'get_feed agent',
      'follow agent',
    ]);
    expect(fields.get('wallet')?.map(([name]) => name)).to.have.members([
      'GET /api/tickets/quote walletAddress',
      'GET /api/agents/{address} holderAddress',
      'POST /api/agents walletAddress',
      'POST /api/agents/key walletAddress',
      'POST /dev/faucet address',
    ]);
  });

  for (const [path, field, others] of [
    ['/api/price', 'agent', {}],
    ['/api/feed', 'agentAddress', {}],
    ['/api/feed', 'agent', {}],
    ['/api/tickets/quote', 'agent', { action: 'buy', amount: '1', walletAddress: '' }],
  ] as const) {
    it(`has the same answer under each of its names: GET ${path} ${field}`, async () => {
      const query = { ...others, ...('walletAddress' in others && { walletAddress: ada.wallet }) };
      const [expected, ...answers] = await Promise.all(names().map((name) => get(path, { ...query, [field]: name })));
      expect(expected && success(expected)).to.have.any.keys('price', 'feed', 'transaction');
      for (const { body } of answers) expect(body).to.deep.equal(expected?.body);
    });
  }

  it('may be named by two parameters, but only if both mean the same agent', async () => {
    const { feed } = success(await get('/api/feed', { agent: 'night_owl', agentAddress: owl.wallet }));
    expect(feed).to.have.lengthOf(1);
    const differs = await get('/api/feed', { agent: 'ada', agentAddress: owl.wallet });
    expect(refusal(differs)).to.equal('400 Invalid query parameter: agent');
  });

  for (const side of ['buy', 'sell'] as const) {
    it(`has its trade recorded under each of its names: ${side}`, async () => {
      for (const name of names()) {
        const trade = await tradeOnChain(ada, side, owl, 1);
        const recorded = success(await post(`/api/tickets/${side}`, { ...trade, agentAddress: name }));
        expect(recorded.trade).to.include({ agentAddress: owl.wallet });
      }
    });
  }

  it('can be followed under each of its names, but not by itself', async () => {
    for (const targetAddress of names()) {
      const body = success(await post('/api/agents/follow', { targetAddress, following: true }));
      expect(body).to.deep.equal({ success: true, following: true, followerCount: 1 });
    }
    expect(refusal(await post('/api/agents/follow', { targetAddress: 'ADA' }))).to.equal('422 Cannot follow yourself');
  });

  it('can be named by its name in the tools of MCP, too', async () => {
    const client = await mcpClient(world, { key: ada.key });
    const trade = { action: 'buy', amount: 1 };
    const { txHash } = await tradeOnChain(ada, 'buy', owl, 1);
    for (const [tool, args, found] of [
      ['get_price', {}, { agent: owl.wallet }],
      ['quote_trade', trade, { agent: owl.wallet }],
      ['get_feed', { type: 'REGISTERED' }, { total: 1 }],
      ['follow', {}, { following: true }],
      ['record_trade', { ...trade, txHash }, { position: { amount: 1 } }],
    ] as const) {
      const { body } = await callTool(client, tool, { ...args, agent: 'Night Owl' });
      expect(body, tool).to.containSubset(found);
      const unknown = await callTool(client, tool, { ...args, agent: 'nobody' });
      expect(unknown.body, tool).to.include({ status: 400, error: 'Invalid address format', code: 'INVALID_ADDRESS' });
    }
  });

  it('is found by its name on the chain for a price and a sale, even without a profile here', async () => {
    const { agent, totalSupply } = success(await get('/api/price', { agent: 'stranger 1' }));
    expect([agent, totalSupply]).to.deep.equal([stranger.wallet, 1]);
    const query = { agent: 'stranger_1', amount: '1', walletAddress: ada.wallet };
    const quoted = (action: string) => get('/api/tickets/quote', { ...query, action });
    expect(refusal(await quoted('buy'))).to.equal('404 Agent not found');
    expect(refusal(await quoted('sell'))).to.equal('400 Insufficient ticket balance');
  });

  it('is refused as an invalid address if the text names no agent, and as not found if the address is unknown', async () => {
    const trade = { txHash: `0x${'5c'.repeat(32)}`, amount: 1 };
    const quote = { action: 'buy', amount: '1', walletAddress: ada.wallet };
    const asks: Record<string, (agent: string) => ReturnType<World['ask']>> = {
      '/api/price': (agent) => get('/api/price', { agent }),
      '/api/tickets/quote': (agent) => get('/api/tickets/quote', { ...quote, agent }),
      '/api/tickets/buy': (agentAddress) => post('/api/tickets/buy', { ...trade, agentAddress }),
      '/api/tickets/sell': (agentAddress) => post('/api/tickets/sell', { ...trade, agentAddress }),
      '/api/agents/follow': (targetAddress) => post('/api/agents/follow', { targetAddress }),
      '/api/feed': (agent) => get('/api/feed', { agent }),
    };
    for (const [path, ask] of Object.entries(asks)) {
      for (const text of NO_AGENTS) {
        const { status, body } = await ask(text);
        expect([status, body.error, body.code], `${path} ${text}`).to.deep.equal([
          400,
          'Invalid address format',
          'INVALID_ADDRESS',
        ]);
        expect(body.hint).to.match(
          text.length > 1 && /^[\w -]{2,30}$/.test(text) ? /^No agent has this agentId or name\. / : /^Send a wallet address: /,
        );
      }
      // The feed of an unknown wallet is empty, which is no refusal.
      const unknown = refusal(await ask(randomWallet()));
      expect(unknown, path).to.equal(path === '/api/feed' ? '200 undefined' : '404 Agent not found');
    }
  });

  it('cannot be named by its agentId in a field for a wallet', async () => {
    const quote = { action: 'buy', amount: '1', agent: owl.wallet, walletAddress: 'ada' };
    const registration = { name: 'Grace', walletAddress: 'ada' };
    for (const answer of [
      await get('/api/tickets/quote', quote),
      await get(`/api/agents/${owl.wallet}`, { holderAddress: 'ada' }),
      await world.ask('DELETE', '/api/agents/ada', { key: ada.key }),
      await world.ask('POST', '/api/agents', { body: registration, headers: freshIp() }),
    ]) {
      expect(refusal(answer)).to.equal('400 Invalid address format');
    }
  });

  it('costs one statement by its name, and none by its wallet', () =>
    counting(world, async (other, count) => {
      const headers = freshIp();
      const statements = async (agent: string) => {
        const before = count();
        success(await other.ask('GET', `/api/price?agent=${encodeURIComponent(agent)}`, { headers }));
        return count() - before;
      };
      expect([await statements(owl.wallet), await statements('Night Owl')]).to.deep.equal([0, 1]);
    }));
});
