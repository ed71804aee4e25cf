import { expect } from 'chai';
import { parseEth } from '../../../src/money.js';
import { freshIp, newAgent, success, type TestAgent } from '../../support/market/agents.js';
import { addHolding, addListedAgent, randomWallet } from '../../support/market/rows.js';
import { newTrader } from '../../support/market/traders.js';
import { withParts } from '../../support/parts.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

type Body = Record<string, unknown>;

describe('the wallet of an agent', () => {
  const world = useWorld({ TRUST_PROXY: '1' });

  describe('GET /api/agents/me/balance', () => {
    const PATH = '/api/agents/me/balance';
    let agent: TestAgent;

    before(async () => {
      agent = await newAgent(world);
      await world.chain.provider.send('anvil_setBalance', [agent.wallet, `0x${parseEth('1.23456')?.toString(16)}`]);
    });

    it('returns the current ether balance of the wallet and its value in dollars', async () => {
      const body = success(await world.ask('GET', PATH, { key: agent.key }));
      expect(body).to.deep.equal({
        success: true,
        address: agent.wallet,
        balanceWei: '1234560000000000000',
        balanceEth: '1.23456',
        balanceUsd: '3086.40',
        ethUsd: 2500,
      });
      const dollars = { ethUsd: async () => 3001.5 };
      await withParts(world, dollars, async (other) => {
        const { body: dearer } = await other.ask('GET', PATH, { key: agent.key });
        expect(dearer).to.include({ balanceUsd: '3705.53', ethUsd: 3001.5 });
      });
    });
  });

  describe('GET /api/agent-wallet/balance', () => {
    const balance = (query: string) => world.ask('GET', `/api/agent-wallet/balance${query}`, { headers: freshIp() });
    let agent: TestAgent;

    before(async () => {
      agent = await newAgent(world, { name: 'Wallet Owner' });
    });

    it('returns the first ticket before the market is indexed', async () => {
      const body = success(await balance('?agentId=wallet_owner'));
      const { balanceWei, balanceEth, ...rest } = body;
      expect(rest).to.deep.equal({
        success: true,
        agentId: 'wallet_owner',
        walletAddress: agent.wallet,
        tickets: [{ agentAddress: agent.wallet, agentName: 'Wallet Owner', agentId: 'wallet_owner', amount: 1 }],
        totalTickets: 1,
      });
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
  });

  describe('GET /api/agent-wallet/info', () => {
    const info = (query: string) => world.ask('GET', `/api/agent-wallet/info${query}`, { headers: freshIp() });

    it('returns whether the owner or a wallet service holds the private key', async () => {
      const external = await addListedAgent(world, { name: 'Own' });
      const managed = await addListedAgent(world, { name: 'Managed', walletId: 'w-1' });
      const bodies: Body[] = [(await info('?agentId=own')).body, (await info('?agentId=managed')).body];
      expect(bodies).to.deep.equal([
        { success: true, agentId: 'own', walletAddress: external.wallet, walletType: 'external' },
        {
          success: true,
          agentId: 'managed',
          walletAddress: managed.wallet,
          walletType: 'managed',
          walletId: 'w-1',
        },
      ]);
    });
  });
});
