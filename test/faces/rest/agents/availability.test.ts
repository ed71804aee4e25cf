import { expect } from 'chai';
import { freshIp, newAgent, refusal, success } from '../../../support/market/agents.js';
import { newTrader } from '../../../support/market/traders.js';
import { withoutChain } from '../../../support/parts.js';
import { data, query, refusalOf } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

describe('GET /api/agents/availability', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const ask = (name: string, from = world) =>
    from.ask('GET', `/api/agents/availability?${new URLSearchParams({ name })}`, { headers: freshIp() });

  /** The answer over REST, after comparing it with that over GraphQL. */
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

  it('says that a name is free, and which agentId follows from it', async () => {
    expect(await availability('Night Owl-7')).to.deep.equal({ available: true, agentId: 'night_owl-7', reason: null });
  });

  it('names the wallet that has it: of an agent, of one that was deleted, and of one that never registered here', async () => {
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

  it('knows what is reserved', async () => {
    for (const [name, agentId] of [
      ['Admin', 'admin'],
      ['availability', 'availability'],
    ] as const) {
      expect(await availability(name)).to.deep.equal({ available: false, agentId, reason: 'reserved' });
    }
  });

  it('says what a name must be that is none', async () => {
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

  it('asks the chain, and says when it cannot', async () => {
    await withoutChain(world, async (away) => {
      expect(refusal(await ask('Night Owl', away))).to.equal('503 Chain RPC unavailable');
      expect(success(await ask('admin', away)).reason).to.equal('reserved');
      const answer = await query(away, '{ nameAvailability(name: "Night Owl") { available } }');
      expect(refusalOf(answer)).to.equal('200 CHAIN_UNAVAILABLE');
    });
  });

  it('is answered anew each time', async () => {
    const trader = await newTrader(world.chain);
    expect((await availability('Quick One')).available).to.equal(true);
    await trader.register('Quick One');
    expect(await availability('Quick One')).to.include({ reason: 'taken', walletAddress: trader.wallet });
  });
});
