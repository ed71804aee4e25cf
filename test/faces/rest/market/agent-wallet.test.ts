// Runs with few others: an answer must come within 400 ms of a timeout.
import { expect } from 'chai';
import { parseEth } from '../../../../src/money.js';
import { freshIp, newAgent, type TestAgent } from '../../../support/market/agents.js';
import { addHolding, addListedAgent, randomWallet } from '../../../support/market/rows.js';
import { newTrader } from '../../../support/market/traders.js';
import { withoutChain, withParts } from '../../../support/parts.js';
import { expectLimit } from '../../../support/service/limits.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

type Body = Record<string, unknown>;

describe('GET /api/agents/me/balance', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const PATH = '/api/agents/me/balance';
  let agent: TestAgent;

  before(async () => {
    agent = await newAgent(world);
    await world.chain.provider.send('anvil_setBalance', [agent.wallet, `0x${parseEth('1.23456')?.toString(16)}`]);
  });

  it('returns the current ether balance of the wallet and its value in dollars', async () => {
    const { status, body } = await world.ask('GET', PATH, { key: agent.key });
    expect(status).to.equal(200);
    expect(JSON.stringify(body)).to.equal(
      JSON.stringify({
        success: true,
        address: agent.wallet,
        balanceWei: '1234560000000000000',
        balanceEth: '1.23456',
        balanceUsd: '3086.40',
        ethUsd: 2500,
      }),
    );
    const dollars = { ethUsd: async () => 3001.5 };
    await withParts(world, dollars, async (other) => {
      const { body: dearer } = await other.ask('GET', PATH, { key: agent.key });
      expect(dearer).to.include({ balanceUsd: '3705.53', ethUsd: 3001.5 });
    });
  });

  it('answers 401 without a valid key', async () => {
    const missing = await world.ask('GET', PATH, { headers: freshIp() });
    expect([missing.status, missing.body.error]).to.deep.equal([401, 'Missing API key']);
    const wrong = await world.ask('GET', PATH, { key: 'x', headers: freshIp() });
    expect([wrong.status, wrong.body.error]).to.deep.equal([401, 'Invalid API key']);
  });

  it('answers 503 within 3 seconds when the chain is unreachable', async () => {
    await withoutChain(world, async (away) => {
      const started = performance.now();
      const { status, body } = await away.ask('GET', PATH, { key: agent.key });
      expect([status, body.error]).to.deep.equal([503, 'Chain RPC unavailable']);
      expect(performance.now() - started).to.be.below(3400);
    });
  });

  it('allows 30 requests a minute per key', async () => {
    world.clock.advance(60_000);
    await expectLimit(world, PATH, 30, { key: agent.key });
    const { headers } = await world.ask('GET', PATH, { key: agent.key });
    expect(headers.get('ratelimit-policy')).to.equal('"global";q=30;w=60, "balance";q=30;w=60');
  });
});

describe('GET /api/agent-wallet/balance', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const balance = (query: string) => world.ask('GET', `/api/agent-wallet/balance${query}`, { headers: freshIp() });
  let agent: TestAgent;

  before(async () => {
    agent = await newAgent(world, { name: 'Wallet Owner' });
  });

  it('returns the first ticket before the market is indexed', async () => {
    const { status, body } = await balance('?agentId=wallet_owner');
    expect(status).to.equal(200);
    const { balanceWei, balanceEth, ...rest } = body;
    expect(JSON.stringify(rest)).to.equal(
      JSON.stringify({
        success: true,
        agentId: 'wallet_owner',
        walletAddress: agent.wallet,
        tickets: [{ agentAddress: agent.wallet, agentName: 'Wallet Owner', agentId: 'wallet_owner', amount: 1 }],
        totalTickets: 1,
      }),
    );
    expect(Object.keys(body).slice(0, 5)).to.deep.equal([
      'success',
      'agentId',
      'walletAddress',
      'balanceWei',
      'balanceEth',
    ]);
    expect(parseEth(String(balanceEth))).to.equal(BigInt(String(balanceWei)));
    expect(BigInt(String(balanceWei))).to.equal(await world.chain.provider.getBalance(agent.wallet));
  });

  it('reads the balances of all indexed positions from the contract', async () => {
    const other = await newAgent(world);
    const stranger = await newTrader(world.chain);
    await stranger.register('On Chain Only');
    await agent.trader.buy(other.wallet, 2);
    await agent.trader.buy(stranger.wallet, 3);
    const gone = randomWallet();
    // The index lags: one amount is too low, and one position is already sold.
    for (const held of [other.wallet, stranger.wallet, gone]) {
      await runSql(world.deps, 'delete from ticket_holding where agent = $1 and holder = $2', [held, agent.wallet]);
      await addHolding(world, { agent: held, holder: agent.wallet });
    }
    const { body } = await balance('?agentId=wallet_owner');
    expect(body.tickets).to.deep.equal([
      { agentAddress: stranger.wallet, agentName: null, agentId: null, amount: 3 },
      { agentAddress: other.wallet, agentName: other.name, agentId: other.agentId, amount: 2 },
      { agentAddress: agent.wallet, agentName: 'Wallet Owner', agentId: 'wallet_owner', amount: 1 },
    ]);
    expect(body.totalTickets).to.equal(6);
  });

  it('answers 400 without an agentId and 404 for an unknown one', async () => {
    for (const query of ['', '?agentId=']) {
      const { status, body } = await balance(query);
      expect([status, body.error]).to.deep.equal([400, 'Missing required field: agentId']);
    }
    const { status, body } = await balance('?agentId=nobody');
    expect([status, body.error]).to.deep.equal([404, 'Agent not found']);
  });

  it('answers 503 within 3 seconds when the chain is unreachable', async () => {
    await withoutChain(world, async (away) => {
      const started = performance.now();
      const path = '/api/agent-wallet/balance?agentId=wallet_owner';
      const { status, body } = await away.ask('GET', path, { headers: freshIp() });
      expect([status, body.error]).to.deep.equal([503, 'Chain RPC unavailable']);
      expect(performance.now() - started).to.be.below(3400);
    });
  });
});

describe('GET /api/agent-wallet/info', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const info = (query: string) => world.ask('GET', `/api/agent-wallet/info${query}`, { headers: freshIp() });

  it('returns whether the owner or a wallet service holds the private key', async () => {
    const external = await addListedAgent(world, { name: 'Own' });
    const managed = await addListedAgent(world, { name: 'Managed', walletId: 'w-1' });
    const bodies: Body[] = [(await info('?agentId=own')).body, (await info('?agentId=managed')).body];
    expect(JSON.stringify(bodies)).to.equal(
      JSON.stringify([
        { success: true, agentId: 'own', walletAddress: external.wallet, walletType: 'external' },
        {
          success: true,
          agentId: 'managed',
          walletAddress: managed.wallet,
          walletType: 'managed',
          walletId: 'w-1',
        },
      ]),
    );
  });

  it('answers 400 without an agentId and 404 for an unknown one', async () => {
    const missing = await info('');
    expect([missing.status, missing.body.error]).to.deep.equal([400, 'Missing required field: agentId']);
    const unknown = await info('?agentId=nobody');
    expect([unknown.status, unknown.body.error]).to.deep.equal([404, 'Agent not found']);
  });
});
