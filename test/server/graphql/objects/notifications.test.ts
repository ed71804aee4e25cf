import { expect } from 'chai';
import { storeNotices } from '../../../../src/features/notices/notify.js';
import { addAgent, randomWallet } from '../../../support/market/rows.js';
import { data, type Json, query } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

const COUNT = 130;

describe('notifications in GraphQL', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let key: string;

  before(async () => {
    const agent = await addAgent(world);
    ({ key } = agent);
    const notices = Array.from({ length: COUNT }, (_, i) => ({
      recipient: agent.wallet,
      type: 'NEW_FOLLOWER' as const,
      actor: randomWallet(),
      subject: `follower ${i}`,
      message: `Follower ${i}`,
      data: {},
    }));
    await world.deps.write((tx) => storeNotices(tx, notices, world.clock.now()));
  });

  const list = async (args: string): Promise<Json> =>
    (await data(world, `{ notifications${args} { totalUnread nodes { id read } } }`, { key })).notifications;

  it('stay unread when a query reads them', async () => {
    for (const [text, list] of [
      ['{ notifications { totalUnread notifications: nodes { read } } }', 'notifications'],
      ['{ heartbeat { notifications { totalUnread notifications { read } } } }', 'heartbeat.notifications'],
      ['{ me { notifications { totalUnread notifications: nodes { read } } } }', 'me.notifications'],
    ] as const) {
      for (let i = 0; i < 2; i++) {
        const answer = await data(world, text, { key });
        const { totalUnread, notifications } = list.split('.').reduce((value, name) => value[name], answer);
        expect([totalUnread, notifications.some(({ read }: Json) => read)], text).to.deep.equal([COUNT, false]);
      }
    }
  });

  it('are at most 100 on a page', async () => {
    const { errors } = await query(world, '{ notifications(first: 101) { totalUnread } }', { key });
    expect(errors[0]?.extensions.code).to.equal('INVALID_FIELD');
  });

  it('become read by markRead, those of the page only', async () => {
    const shown = await list('(first: 2, markRead: true)');
    expect(shown.nodes.map(({ read }: Json) => read)).to.deep.equal([false, false]);
    expect(shown.totalUnread).to.equal(COUNT);
    const next = await list('(first: 3)');
    expect([next.totalUnread, ...next.nodes.map(({ read }: Json) => read)]).to.deep.equal([
      COUNT - 2,
      true,
      true,
      false,
    ]);
    const text = '{ heartbeat(markRead: true) { nothingToDo notifications { totalUnread notifications { id } } } }';
    const { heartbeat } = await data(world, text, { key });
    expect(heartbeat.nothingToDo).to.equal(false);
    expect(heartbeat.notifications.notifications).to.have.length(50);
    expect((await list('(first: 1)')).totalUnread).to.equal(COUNT - 50);
  });

  it('become read by markNotificationsRead up to one, or all', async () => {
    const { nodes } = await list('(first: 100)');
    // The newest first.
    const unread: string[] = nodes.filter(({ read }: Json) => !read).map(({ id }: Json) => id);
    for (const [upTo, left] of [
      [`(upTo: "${unread[2]}")`, 2],
      [`(upTo: "${unread[1]?.replace('Notification:', '')}")`, 1],
      ['', 0],
    ] as const) {
      const text = `mutation { markNotificationsRead${upTo} { notifications { totalUnread } } }`;
      const { markNotificationsRead: me } = await data(world, text, { key });
      expect(me.notifications.totalUnread, upTo).to.equal(left);
    }
    const wrong = await query(world, 'mutation { markNotificationsRead(upTo: "x") { id } }', { key });
    expect(wrong.errors[0]?.message).to.contain('upTo');
  });
});
