import { expect } from 'chai';
import { follow, success } from '../../../support/market/agents.js';
import { addAgent } from '../../../support/market/rows.js';
import { useWorld } from '../../../support/world.js';

describe('GET /api/notifications', () => {
  const world = useWorld();
  const fetched = async (key: string, query = '') => {
    const body = success(await world.ask('GET', `/api/notifications${query}`, { key }));
    const list = body.notifications as { message: string; read: boolean; createdAt: string }[];
    return { list, messages: list.map(({ message }) => message), totalUnread: body.totalUnread };
  };

  it('returns only the notifications of the agent of the key, newest first, with their times', async () => {
    const agent = await addAgent(world);
    const [first, second] = [await addAgent(world), await addAgent(world)];
    await follow(world, first, agent);
    world.clock.advance(1000);
    await follow(world, second, agent);
    expect(await fetched(first.key)).to.deep.equal({ list: [], messages: [], totalUnread: 0 });
    const { list, messages } = await fetched(agent.key);
    expect(messages).to.deep.equal([`${second.name} follows you`, `${first.name} follows you`]);
    expect(list[0]?.createdAt).to.equal(world.clock.now().toISOString());
  });

  it('returns notifications with their earlier read state, and marks only those as read', async () => {
    const agent = await addAgent(world);
    for (const name of ['Ann', 'Ben', 'Cid']) await follow(world, await addAgent(world, { name }), agent);
    const first = await fetched(agent.key, '?limit=2');
    expect(first.messages).to.deep.equal(['Cid follows you', 'Ben follows you']);
    expect(first.list.map(({ read }) => read)).to.deep.equal([false, false]);
    expect(first.totalUnread).to.equal(3);
    const second = await fetched(agent.key);
    expect(second.list.map(({ read }) => read)).to.deep.equal([true, true, false]);
    expect(second.totalUnread).to.equal(1);
    expect((await fetched(agent.key)).totalUnread).to.equal(0);
  });
});
