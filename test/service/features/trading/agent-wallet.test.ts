import { expect } from 'chai';
import { parseEth } from '../../../../src/values/money.js';
import { newAgent, success, type TestAgent } from '../../../support/market/agents.js';
import { addHolding, addListedAgent, randomWallet } from '../../../support/market/rows.js';
import { newTrader } from '../../../support/market/traders.js';
import { withParts } from '../../../support/parts.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

describe('the wallet of an agent', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const get = async (path: string) => success(await world.ask('GET', `/api/${path}`));
  let agent: TestAgent;

  before(async () => {
    agent = await newAgent(world, { name: 'Wallet Owner' });
  });

  it('has the first ticket before the market is indexed, and its current ether', async () => {
    const { balanceWei, balanceEth, ...rest } = await get('agent-wallet/balance?agentId=wallet_owner');
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

  it('has the tickets of all indexed positions, as many as the contract says', async () => {
    const other = await newAgent(world);
    const stranger = await newTrader(world.chain);
    await stranger.register('On Chain Only');
    await agent.trader.buy(other.wallet, 2);
    await agent.trader.buy(stranger.wallet, 3);
    // The index lags: one amount is too low, and one position is already sold. The answer must come from the contract.
    for (const held of [other.wallet, stranger.wallet, randomWallet()]) {
      await runSql(world.deps, 'delete from ticket_holding where agent = $1 and holder = $2', [held, agent.wallet]);
      await addHolding(world, { agent: held, holder: agent.wallet });
    }
    expect(await get('agent-wallet/balance?agentId=wallet_owner')).to.deep.include({
      tickets: [
        { agentAddress: stranger.wallet, agentName: null, agentId: null, amount: 3 },
        { agentAddress: other.wallet, agentName: other.name, agentId: other.agentId, amount: 2 },
        { agentAddress: agent.wallet, agentName: 'Wallet Owner', agentId: 'wallet_owner', amount: 1 },
      ],
      totalTickets: 6,
    });
  });

  it('is shown to the agent with its current ether and the value in dollars', async () => {
    await world.chain.provider.send('anvil_setBalance', [agent.wallet, `0x${parseEth('1.23456')?.toString(16)}`]);
    const ask = { key: agent.key };
    expect(success(await world.ask('GET', '/api/agents/me/balance', ask))).to.deep.equal({
      success: true,
      address: agent.wallet,
      balanceWei: '1234560000000000000',
      balanceEth: '1.23456',
      balanceUsd: '3086.40',
      ethUsd: 2500,
    });
    await withParts(world, { ethUsd: async () => 3001.5 }, async (other) => {
      const { body } = await other.ask('GET', '/api/agents/me/balance', ask);
      expect(body).to.include({ balanceUsd: '3705.53', ethUsd: 3001.5 });
    });
  });

  it('is external without the id of a wallet service, and managed with one', async () => {
    const { wallet: own } = await addListedAgent(world, { name: 'Own' });
    const { wallet: managed } = await addListedAgent(world, { name: 'Managed', walletId: 'w-1' });
    expect([await get('agent-wallet/info?agentId=own'), await get('agent-wallet/info?agentId=managed')]).to.deep.equal([
      { success: true, agentId: 'own', walletAddress: own, walletType: 'external' },
      { success: true, agentId: 'managed', walletAddress: managed, walletType: 'managed', walletId: 'w-1' },
    ]);
  });
});
