import { expect } from 'chai';
import { follow, newAgent, type TestAgent } from '../../../support/market/agents.js';
import { addListedAgent } from '../../../support/market/rows.js';
import { data, type Json, query } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

const ME = `fragment M on Me { id verificationCode stats { id totalTickets followerCount }
  notifications(first: 5) { totalUnread totalCount nodes { id read } } }`;

// test/clients/graphql-caches.test.ts has every mutation: its answer leads to all objects that it changes.
describe('what a GraphQL mutation changes', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let ada: TestAgent;

  before(async () => {
    ada = await newAgent(world, { name: 'Ada' });
    for (let i = 0; i < 4; i++) await follow(world, await addListedAgent(world), ada);
  });

  it('is in the answer of markNotificationsRead, which reads them up to one, or all', async () => {
    const { notifications } = await data(world, '{ notifications { nodes { id } } }', { key: ada.key });
    const ids = notifications.nodes.map(({ id }: Json) => id).reverse();
    expect(ids.length).to.be.above(2);
    for (const [upTo, rest] of [
      [`(upTo: "${ids[0]}")`, 1],
      [`(upTo: "${ids[1].replace('Notification:', '')}")`, 2],
      ['', ids.length],
    ] as const) {
      const text = `mutation { markNotificationsRead${upTo} { ...M } } ${ME}`;
      const { markNotificationsRead: me } = await data(world, text, { key: ada.key });
      expect(me).to.deep.equal((await data(world, `{ me { ...M } } ${ME}`, { key: ada.key })).me);
      expect(me.notifications.totalUnread).to.equal(ids.length - rest);
    }
    const wrong = await query(world, 'mutation { markNotificationsRead(upTo: "x") { id } }', { key: ada.key });
    expect(wrong.errors[0]?.message).to.contain('upTo');
  });

  it('leads from an agent to its private part, for the key of this agent only', async () => {
    const text = '{ agents { nodes { id me { id agent { id me { id } } } } } }';
    const parts = async (key: string | undefined) => {
      const { agents } = await data(world, text, key === undefined ? {} : { key });
      return agents.nodes.flatMap(({ me }: Json) => (me ? [me] : []));
    };
    const id = `Me:${ada.wallet}`;
    expect(await parts(ada.key)).to.deep.equal([{ id, agent: { id: ada.wallet, me: { id } } }]);
    expect(await parts(undefined)).to.deep.equal([]);
  });

  it('is named by the answer of deleteAgent', async () => {
    const gone = await newAgent(world, { name: 'Gone' });
    const remove = `mutation { deleteAgent(address: "${gone.wallet}") { deletedId } }`;
    expect((await data(world, remove, { key: gone.key })).deleteAgent).to.deep.equal({ deletedId: gone.wallet });
  });
});
