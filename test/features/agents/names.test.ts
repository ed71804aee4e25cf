import { expect } from 'chai';
import { indexAll } from '../../support/chain/indexed.js';
import { follow, freshIp, freshName, newAgent, refusal, success } from '../../support/market/agents.js';
import { sendRegistration } from '../../support/market/registrations.js';
import { newTrader } from '../../support/market/traders.js';
import { data } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';

describe('a name', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const ask = (path: string, key?: string) => world.ask('GET', `/api/agents/${path}`, { key, headers: freshIp() });

  /** Returns the REST answer after comparing it with the GraphQL answer. */
  const availability = async (name: string) => {
    const { success: _, ...answer } = success(await ask(`availability?${new URLSearchParams({ name })}`));
    const { nameAvailability } = await data(
      world,
      'query ($name: String!) { nameAvailability(name: $name) { available agentId reason walletAddress rule } }',
      { variables: { name } },
    );
    const reason = answer.reason === null ? null : String(answer.reason).toUpperCase();
    expect(nameAvailability).to.deep.equal({ walletAddress: null, rule: null, ...answer, reason });
    return answer;
  };

  it('is available, reserved, or taken by an agent, a deleted agent or an agent that exists only on the chain', async () => {
    const agent = await newAgent(world, { name: 'Here Now' });
    const deleted = await newAgent(world, { name: 'Here Before' });
    success(await world.ask('DELETE', '/api/agents/me', { key: deleted.key }));
    const stranger = await newTrader(world.chain);
    await stranger.register('Chain Only');
    for (const [name, agentId, reason, owner] of [
      ['Night Owl-7', 'night_owl-7', null],
      ['Admin', 'admin', 'reserved'],
      ['availability', 'availability', 'reserved'],
      ['Here Now', 'here_now', 'taken', agent],
      ['HERE_now', 'here_now', 'taken', agent],
      ['Here Before', 'here_before', 'taken', deleted],
      ['chain only', 'chain_only', 'taken', stranger],
    ] as const) {
      const wallet = owner && { walletAddress: owner.wallet };
      expect(await availability(name)).to.deep.equal({ available: reason === null, agentId, reason, ...wallet });
    }
  });

  it('is invalid with the rule that it violates', async () => {
    for (const [name, rule] of [
      ['x', /2 to 15 characters/],
      ['x'.repeat(16), /2 to 15 characters/],
      ['né', /letters, digits/],
      [' led', /single spaces between them/],
      ['a  b', /single spaces/],
    ] as const) {
      const answer = await availability(name);
      expect(answer).to.include({ available: false, agentId: null, reason: 'invalid' });
      expect(answer.rule).to.match(rule);
    }
  });

  it('that a reorg gives to another wallet belongs to it as soon as the reorg is indexed', async () => {
    const name = freshName();
    const second = await newTrader(world.chain);
    const register = () => sendRegistration(world, { name, walletAddress: second.wallet });
    const follower = await newAgent(world);
    const before = await world.chain.provider.send('evm_snapshot', []);
    const first = await newAgent(world, { name });
    await indexAll(world.deps);
    await follow(world, follower, first);
    await world.chain.provider.send('evm_revert', [before]);
    await second.register(name);

    // The index still assigns the agentId to the first wallet, because the reorg is not indexed yet.
    expect(refusal(await register())).to.equal('409 Agent already exists');
    expect((await ask('me', first.key)).status).to.equal(200);
    await indexAll(world.deps);
    const answer = success(await register());
    expect(answer.agent).to.include({ agentId: first.agentId, walletAddress: second.wallet });
    expect((await ask('me', first.key)).status).to.equal(401);
    const { agent } = success(await ask(first.agentId));
    expect(agent).to.include({ walletAddress: second.wallet, followerCount: 0 });
    expect(success(await ask(follower.wallet)).agent).to.include({ followingCount: 0 });
  });
});
