// CI: it replaces keys on each transport, which takes seconds.
import { expect } from 'chai';
import { follow, newAgent, type TestAgent } from '../../support/market/agents.js';
import { replaceKey } from '../../support/market/key-replacements.js';
import { type Subscriber, transports, useSubscriptions } from '../../support/service/live.js';
import { eventually } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

const NOTICES = 'subscription ($after: ID) { notification(after: $after) { sequence notification { type } } }';

for (const [name, subscribe] of Object.entries(transports)) {
  describe(`the subscriptions of an agent whose key is replaced, over ${name}`, () => {
    const world = useWorld({ TRUST_PROXY: '1', KEY_REPLACEMENT: 'on' });
    const subscribed = useSubscriptions(world, subscribe);
    const watch = (key: string, after?: string) => subscribed(NOTICES, { key, variables: { after } });
    const followedBy = (agent: TestAgent, by: TestAgent) => follow(world, by, agent);
    const ended = async (subscriber: Subscriber) => {
      await eventually(() => subscriber.errors.length > 0, 'the subscription did not end');
      expect(subscriber.errors[0].extensions.code).to.equal('INVALID_KEY');
    };
    const typesOf = ({ got }: Subscriber) => got.map(({ notification }) => notification.type);

    it('get nothing after it if the service reads all events at once', async () => {
      const [agent, a] = [await newAgent(world), await newAgent(world)];
      const old = await watch(agent.key);
      // The hub reads the events after the last one of these commits.
      const { live } = world.deps;
      Object.assign(world.deps, { live: { ...live, wake: () => {} } });
      await replaceKey(world, agent);
      await followedBy(agent, a);
      Object.assign(world.deps, { live });
      live.wake();
      await ended(old);
      expect(typesOf(old)).to.deep.equal([]);
    });

    it('end, and resume with the new key where the old one ended', async () => {
      const [agent, a, b] = [await newAgent(world), await newAgent(world), await newAgent(world)];
      const old = await watch(agent.key);
      await followedBy(agent, a);
      await old.until(1);
      const key = await replaceKey(world, agent);
      await ended(old);
      const resumed = await watch(key, String(old.got[0].sequence));
      await resumed.until(1);
      await followedBy(agent, b);
      await resumed.until(2);
      expect(typesOf(old)).to.deep.equal(['NEW_FOLLOWER']);
      expect(typesOf(resumed)).to.deep.equal(['KEY_REPLACED', 'NEW_FOLLOWER']);
      expect(resumed.errors).to.deep.equal([]);
    });

    it('are refused if the key is replaced while they start', async () => {
      const agent = await newAgent(world);
      const { sql } = world.deps;
      const late: typeof sql = async (text, values) => {
        if (text.includes('from live_cursor')) {
          Object.assign(world.deps, { sql });
          await replaceKey(world, agent);
        }
        return sql(text, values);
      };
      Object.assign(world.deps, { sql: late });
      const old = await watch(agent.key);
      Object.assign(world.deps, { sql });
      await ended(old);
    });
  });
}
