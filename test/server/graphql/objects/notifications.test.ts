import { expect } from 'chai';
import { storeNotices } from '../../../../src/features/notices/notify.js';
import { addAgent, randomWallet } from '../../../support/market/rows.js';
import { data, type Json, query, refusalOf } from '../../../support/service/graphql.js';
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
    (
      await data(
        world,
        `{ notifications${args} { totalUnread totalCount nodes { message read } pageInfo { endCursor hasNextPage } } }`,
        { key },
      )
    ).notifications;

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

  it('are all reachable by pages, newest first', async () => {
    const found: string[] = [];
    for (let after = '', more = true; more; ) {
      const { nodes, pageInfo, totalCount } = await list(`(first: 100${after})`);
      found.push(...nodes.map(({ message }: Json) => message));
      expect(totalCount).to.equal(COUNT);
      more = pageInfo.hasNextPage;
      after = `, after: "${pageInfo.endCursor}"`;
    }
    expect(found).to.deep.equal(Array.from({ length: COUNT }, (_, i) => `Follower ${COUNT - 1 - i}`));
    expect(refusalOf(await query(world, '{ notifications(first: 101) { totalUnread } }', { key }))).to.equal(
      '200 INVALID_FIELD',
    );
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
});
