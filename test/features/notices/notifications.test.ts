import { expect } from 'chai';
import { notify } from '../../../src/features/notices/notify.js';
import { success } from '../../support/market/agents.js';
import { addAgent, randomWallet } from '../../support/market/rows.js';
import { useWorld, type World } from '../../support/world.js';

const HOUR = 3_600_000;

/** Notifies `recipient` of a follow by `actor`, in a separate transaction. */
const tell = (world: World, recipient: string, actor: string, type: 'NEW_FOLLOWER' | 'POST_LIKED' = 'NEW_FOLLOWER') =>
  world.deps.write((tx) =>
    notify(
      tx,
      {
        recipient,
        type,
        actor: randomWallet(),
        subject: actor,
        message: `${actor} follows you`,
        data: { actor, count: 1, note: null },
      },
      world.clock.now(),
    ),
  );

type Notice = { id: string; read: boolean; message: string };
const fetched = async (world: World, key: string, query = '') => {
  const body = success(await world.ask('GET', `/api/notifications${query}`, { key }));
  return body as { notifications: Notice[]; totalUnread: number };
};

describe('GET /api/notifications', () => {
  const world = useWorld();

  it('returns notifications in the declared shape, newest first, to their recipient only', async () => {
    const { wallet, key } = await addAgent(world);
    await tell(world, wallet, 'first');
    world.clock.advance(1000);
    const at = world.clock.now();
    await tell(world, wallet, 'second');
    const other = await fetched(world, (await addAgent(world)).key);
    expect(other).to.deep.include({ notifications: [], totalUnread: 0 });
    const body = success(await world.ask('GET', '/api/notifications', { key }));
    const list = body.notifications as Record<string, unknown>[];
    expect(list.map(({ message }) => message)).to.deep.equal(['second follows you', 'first follows you']);
    expect(list[0]).to.include({ type: 'NEW_FOLLOWER', read: false });
    expect(list[0]?.data).to.deep.equal({ actor: 'second', count: 1, note: null });
    expect(Date.parse(String(list[0]?.createdAt))).to.be.within(at.getTime(), at.getTime() + 5000);
    expect(body.totalUnread).to.equal(2);
  });

  it('returns the read state before the request, and marks only returned ones as read', async () => {
    const { wallet, key } = await addAgent(world);
    for (const actor of ['a', 'b', 'c']) {
      await tell(world, wallet, actor);
      world.clock.advance(1);
    }
    const first = await fetched(world, key, '?limit=2');
    expect(first.notifications.map(({ message }) => message[0])).to.deep.equal(['c', 'b']);
    expect(first.notifications.map(({ read }) => read)).to.deep.equal([false, false]);
    expect(first.totalUnread).to.equal(3);
    const second = await fetched(world, key);
    expect(second.notifications.map(({ read }) => read)).to.deep.equal([true, true, false]);
    expect(second.totalUnread).to.equal(1);
    expect((await fetched(world, key)).totalUnread).to.equal(0);
  });

  it('notifies once in 72 hours of the same act, and hides the notification after that time', async () => {
    const { wallet, key } = await addAgent(world);
    await tell(world, wallet, 'actor');
    world.clock.advance(72 * HOUR - 10_000);
    await tell(world, wallet, 'actor');
    await tell(world, wallet, 'actor', 'POST_LIKED');
    expect((await fetched(world, key)).notifications).to.have.length(2);
    world.clock.advance(10_000);
    expect((await fetched(world, key)).notifications).to.have.length(1);
    await tell(world, wallet, 'actor');
    expect((await fetched(world, key)).notifications).to.have.length(2);
  });

  it('writes no notification for a wallet without an agent', async () => {
    const stranger = randomWallet();
    await tell(world, stranger, 'actor');
    expect(await world.deps.sql('select id from notification where recipient = $1', [stranger])).to.deep.equal([]);
  });
});
