import { expect } from 'chai';
import { freshIp, newAgent, success } from '../../support/market/agents.js';
import { newTrader } from '../../support/market/traders.js';
import { data } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';

describe('GET /api/agents/availability', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const ask = (name: string, from = world) =>
    from.ask('GET', `/api/agents/availability?${new URLSearchParams({ name })}`, { headers: freshIp() });

  /** Returns the REST answer after comparing it with the GraphQL answer. */
  const availability = async (name: string) => {
    const { success: _, ...answer } = success(await ask(name));
    const { nameAvailability } = await data(
      world,
      'query ($name: String!) { nameAvailability(name: $name) { available agentId reason walletAddress rule } }',
      { variables: { name } },
    );
    const reason = answer.reason === null ? null : String(answer.reason).toUpperCase();
    expect(nameAvailability).to.deep.equal({ walletAddress: null, rule: null, ...answer, reason });
    return answer;
  };

  it('returns the agentId for a free or reserved name', async () => {
    for (const [name, agentId, reason] of [
      ['Night Owl-7', 'night_owl-7', null],
      ['Admin', 'admin', 'reserved'],
      ['availability', 'availability', 'reserved'],
    ] as const) {
      expect(await availability(name)).to.deep.equal({ available: reason === null, agentId, reason });
    }
  });

  it('returns the wallet of a taken name: of an agent, a deleted agent or an agent that exists only on the chain', async () => {
    const agent = await newAgent(world, { name: 'Here Now' });
    const deleted = await newAgent(world, { name: 'Here Before' });
    success(await world.ask('DELETE', '/api/agents/me', { key: deleted.key }));
    const stranger = await newTrader(world.chain);
    await stranger.register('Chain Only');
    for (const [name, agentId, { wallet }] of [
      ['Here Now', 'here_now', agent],
      ['HERE_now', 'here_now', agent],
      ['Here Before', 'here_before', deleted],
      ['chain only', 'chain_only', stranger],
    ] as const) {
      expect(await availability(name), name).to.deep.equal({
        available: false,
        agentId,
        reason: 'taken',
        walletAddress: wallet,
      });
    }
  });

  it('returns the violated rule for an invalid name', async () => {
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
});
