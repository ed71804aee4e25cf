import { expect } from 'chai';
import { storeNotices } from '../../../../src/live/notices.js';
import { newAgent, type TestAgent } from '../../../support/market/agents.js';
import { addAgent, randomWallet } from '../../../support/market/rows.js';
import { data, type Json, query, refusalOf } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

/** Number of notifications. A page shows at most 100 of them, and a heartbeat 50. */
const COUNT = 130;

describe('GraphQL mutations', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let ada: TestAgent;
  let bob: TestAgent;

  before(async () => {
    ada = await newAgent(world, { name: 'Ada' });
    bob = await newAgent(world, { name: 'Bob' });
  });
  /** Moves the clock by more than an hour, so that no test meets the rate limits that the one before used up. */
  beforeEach(() => world.clock.advance(3_700_000));

  it('return the state after each write, not a state that was loaded earlier in the request', async () => {
    const text = `mutation {
      a: updateMe(input: { bio: "One" }) { bio followingCount }
      b: updateMe(input: { bio: "Two" }) { bio }
      toggleFollow(targetAddress: "${ada.wallet}", following: true) { following }
      c: updateMe(input: {}) { bio followingCount following { nodes { agent { followerCount } } } } }`;
    const { a, b, c } = await data(world, text, { key: bob.key });
    expect([a, b]).to.deep.equal([{ bio: 'One', followingCount: 0 }, { bio: 'Two' }]);
    const following = { nodes: [{ agent: { followerCount: 1 } }] };
    expect(c).to.deep.equal({ bio: 'Two', followingCount: 1, following });
  });

  it('clear a field that is null, and leave one that is absent', async () => {
    const change = 'mutation ($input: UpdateMeInput!) { updateMe(input: $input) { description bio } }';
    await data(world, change, { key: bob.key, variables: { input: { description: 'I look ahead', bio: 'Old' } } });
    const cleared = await data(world, change, { key: bob.key, variables: { input: { bio: null } } });
    expect(cleared.updateMe).to.deep.equal({ description: 'I look ahead', bio: null });
  });

  it('affect only the agent of the key, and queries show its private data to no other caller', async () => {
    const remove = `mutation { deleteAgent(address: "${ada.wallet}") { deleted } }`;
    expect(refusalOf(await query(world, remove, { key: bob.key }))).to.equal('200 NOT_AUTHORIZED');
    const full = '{ agent(agentId: "ada") { fullPnl { summary { totalPnlWei } } } }';
    for (const text of ['{ me { totalHoldings } }', full]) {
      expect(refusalOf(await query(world, text)), text).to.equal('200 MISSING_KEY');
    }
    const named = '{ agent(agentId: "ada") { name fullPnl { summary { totalPnlWei } } } }';
    const others = await query(world, named, { key: bob.key });
    expect(refusalOf(others)).to.equal('200 NOT_AUTHORIZED');
    expect(others.errors[0]?.path).to.deep.equal(['agent', 'fullPnl']);
    expect(others.data.agent).to.deep.equal({ name: 'Ada', fullPnl: null });
    const parts = async (key?: string) => {
      const { agents } = await data(world, '{ agents { nodes { id me { id } } } }', { key });
      return agents.nodes.filter(({ me }: Json) => me !== null);
    };
    expect(await parts(bob.key)).to.deep.equal([{ id: bob.wallet, me: { id: `Me:${bob.wallet}` } }]);
    expect(await parts()).to.deep.equal([]);
  });

  it('count one by one against the global limit, also in one document', async () => {
    const many = (count: number) =>
      `mutation { ${Array.from({ length: count }, (_, i) => `a${i}: updateMe(input: {}) { id }`).join(' ')} }`;
    await data(world, many(10), { key: bob.key });
    const { errors } = await query(world, many(25), { key: bob.key });
    // The global limit is 30 requests, so 5 of the 35 mutations fail.
    expect(errors.map(({ extensions }: Json) => extensions.windows)).to.deep.equal(Array(5).fill(['global']));
    const { retryAfter, hint } = errors[0]?.extensions ?? {};
    expect(retryAfter).to.be.within(1, 60);
    expect(hint).to.match(/^The limit of 30 requests per minute per key is reached\. Wait \d+ s/);
  });
});

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
    expect(errors[0]?.extensions.code).to.equal('INVALID_QUERY');
  });

  it('become read by markRead only if they are on the page', async () => {
    const shown = await list('(first: 2, markRead: true)');
    expect(shown.nodes.map(({ read }: Json) => read)).to.deep.equal([false, false]);
    expect(shown.totalUnread).to.equal(COUNT);
    const next = await list('(first: 3)');
    expect(next.nodes.map(({ read }: Json) => read)).to.deep.equal([true, true, false]);
    expect(next.totalUnread).to.equal(COUNT - 2);
    const text = '{ heartbeat(markRead: true) { nothingToDo notifications { totalUnread notifications { id } } } }';
    const { heartbeat } = await data(world, text, { key });
    expect(heartbeat.nothingToDo).to.equal(false);
    expect(heartbeat.notifications.notifications).to.have.length(50);
    expect((await list('(first: 1)')).totalUnread).to.equal(COUNT - 50);
  });

  it('become read by markNotificationsRead, either up to a given one or all', async () => {
    const { nodes } = await list('(first: 100)');
    // The list has the newest first, so marking all up to the third one leaves two unread.
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
