import { expect } from 'chai';
import { moderate } from '../../../../src/features/moderation/moderate.js';
import { eventId, tradeKey } from '../../../../src/values/trade.js';
import { indexAll } from '../../../support/chain/indexed.js';
import { askAs, newAgent, type TestAgent, tradeOnChain } from '../../../support/market/agents.js';
import { transports, useSubscriptions } from '../../../support/service/live.js';
import { useWorld } from '../../../support/world.js';

const THESES = `subscription Theses($agent: AgentRef, $after: ID) { thesis(agent: $agent, after: $after) {
  sequence kind tradeId trade { id thesis trader { name } } } }`;

for (const [name, subscribe] of Object.entries(transports)) {
  describe(`the subscription to theses over ${name}`, () => {
    const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
    const watch = useSubscriptions(world, subscribe);
    const record = async (by: TestAgent, of: TestAgent, thesis?: string) => {
      const bought = await tradeOnChain(by, 'buy', of, 1);
      await askAs(world, by, 'POST', '/api/tickets/buy', { ...bought, thesis });
      return `Trade:${eventId(tradeKey(bought.txHash, 0))}`;
    };

    it('delivers each trade with a reason, and omits hidden reasons when it resumes', async () => {
      const [agent, other, author] = [await newAgent(world), await newAgent(world), await newAgent(world)];
      await indexAll(world.deps);
      const [all, one] = [await watch(THESES), await watch(THESES, { variables: { agent: agent.wallet } })];
      // A trade without a reason, which the subscription leaves out.
      await record(author, agent);
      const ids = [await record(author, agent, 'Cheap'), await record(other, agent, 'New'), await record(agent, other, 'Old')];
      await all.until(3);
      const expected = [
        ['ADDED', ids[0], { id: ids[0], thesis: 'Cheap', trader: { name: author.name } }],
        ['ADDED', ids[1], { id: ids[1], thesis: 'New', trader: { name: other.name } }],
        ['ADDED', ids[2], { id: ids[2], thesis: 'Old', trader: { name: agent.name } }],
      ];
      expect(all.got.map(({ kind, tradeId, trade }) => [kind, tradeId, trade])).to.deep.equal(expected);
      await one.until(2);
      expect(one.got).to.deep.equal(all.got.slice(0, 2));
      await moderate(world.deps, {
        action: 'hide',
        target: 'texts',
        subject: other.wallet,
        operator: 'op',
        reason: 'spam',
      });
      const resumed = await watch(THESES, { variables: { after: String(all.got[0].sequence) } });
      await resumed.until(1);
      expect(resumed.got).to.deep.equal(all.got.slice(2));
    });
  });
}
