import { expect } from 'chai';
import { indexAll } from '../../support/chain/indexed.js';
import { freshName, newAgent, refusal, success } from '../../support/market/agents.js';
import { sendRegistration } from '../../support/market/registrations.js';
import { newTrader } from '../../support/market/traders.js';
import { useWorld } from '../../support/world.js';

describe('an agentId that a reorg gives to another wallet', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const post = (name: string, walletAddress: string) => sendRegistration(world, { name, walletAddress });

  it('belongs to the new wallet as soon as the reorg is indexed', async () => {
    const name = freshName();
    const second = await newTrader(world.chain);
    const follower = await newAgent(world);
    const before = await world.chain.provider.send('evm_snapshot', []);
    const first = await newAgent(world, { name });
    await indexAll(world.deps);
    success(
      await world.ask('POST', '/api/agents/follow', { key: follower.key, body: { targetAddress: first.wallet } }),
    );
    await world.chain.provider.send('evm_revert', [before]);
    await second.register(name);

    // The index still assigns the agentId to the first wallet, because the reorg is not indexed yet.
    expect(refusal(await post(name, second.wallet))).to.equal('409 Agent already exists');
    expect((await world.ask('GET', '/api/agents/me', { key: first.key })).status).to.equal(200);
    await indexAll(world.deps);
    const answer = success(await post(name, second.wallet));
    expect(answer.agent).to.include({ agentId: first.agentId, walletAddress: second.wallet });
    expect((await world.ask('GET', '/api/agents/me', { key: first.key })).status).to.equal(401);
    const { agent } = success(await world.ask('GET', `/api/agents/${first.agentId}`));
    expect(agent).to.include({ walletAddress: second.wallet, followerCount: 0 });
    const me = success(await world.ask('GET', `/api/agents/${follower.wallet}`)).agent;
    expect(me).to.include({ followingCount: 0 });
  });
});
