import { expect } from 'chai';
import { graphqlSchema } from '../../../../src/graphql.js';
import { newAgent, type TestAgent } from '../../../support/market/agents.js';
import { newTrader } from '../../../support/market/traders.js';
import { data, type Json, query } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

const STATS = 'id totalTickets holderCount followerCount followingCount tradeCount referralCount';
const AGENT = `fragment A on Agent {
  id status bio socialHandle totalSupply ticketPrice holderCount followerCount followingCount referralCount referredBy
  holders(first: 5) { nodes { id amount } } holdings(first: 5) { nodes { id amount } } trades(first: 5) { nodes { id } }
  followers(first: 5) { nodes { id } } following(first: 5) { nodes { id } }
  me { id verificationCode totalHoldings stats { ${STATS} } } }`;
const POST = 'fragment P on StatusEvent { id text likeCount repostCount isLiked isReposted }';
const ME = `fragment M on Me { id verificationCode stats { ${STATS} }
  notifications(first: 5) { totalUnread totalCount nodes { id read } } }`;
const READ = `query ($ids: [ID!]!) { nodes(ids: $ids) { ...A ...P ...M } } ${AGENT} ${POST} ${ME}`;

/** A mutation, and the objects in its answer that it changes, as paths below it. */
type Change = {
  readonly text: string;
  readonly changed: readonly string[];
  readonly by?: TestAgent;
  readonly variables?: Record<string, unknown>;
};

describe('what a GraphQL mutation changes', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let ada: TestAgent;
  let bob: TestAgent;
  const seen = new Set<string>();

  before(async () => {
    ada = await newAgent(world, { name: 'Ada' });
    bob = await newAgent(world, { name: 'Bob' });
  });

  const read = async (ids: readonly string[], key: string | undefined): Promise<Json[]> =>
    (await data(world, READ, { variables: { ids }, ...(key && { key }) })).nodes;

  /** Expects that the mutation changes all objects at the paths, and returns them as queries read them afterwards. */
  async function expectChanges({ text, changed, by, variables }: Change): Promise<Json> {
    const fragments = [AGENT, POST, ME].filter((fragment) => text.includes(`...${fragment.split(' ')[1]}`)).join(' ');
    const before = new Map<string, Json>();
    for (const each of [ada, bob]) {
      const ids = [ada.wallet, bob.wallet, `Me:${each.wallet}`];
      for (const node of await read(ids, each.key)) if (node) before.set(node.id, node);
    }
    const answer = await data(world, `${text} ${fragments}`, {
      ...(by && { key: by.key }),
      ...(variables && { variables }),
    });
    const [name] = Object.keys(answer) as [string];
    seen.add(name);
    const objects = changed.map((path) => path.split('.').reduce((value, part) => value[part], answer[name]));
    if (changed.length === 0) objects.push(answer[name]);
    const after = await read(
      objects.map(({ id }) => id),
      by?.key,
    );
    expect(objects, name).to.deep.equal(after);
    for (const object of objects) expect(object, `${name} has not changed`).to.not.deep.equal(before.get(object.id));
    return answer[name];
  }

  it('is in the answer of toggleFollow, post, toggleLike and toggleRepost', async () => {
    const follow = `mutation { toggleFollow(targetAddress: "${ada.wallet}") { following agent { ...A } follower { ...A } } }`;
    for (const following of [true, false]) {
      const state = await expectChanges({ text: follow, changed: ['agent', 'follower'], by: bob });
      expect([state.following, state.agent.id, state.follower.id]).to.deep.equal([following, ada.wallet, bob.wallet]);
    }
    const post = await expectChanges({ text: 'mutation { post(text: "Hi") { ...P } }', changed: [], by: ada });
    expect(post).to.include({ text: 'Hi', likeCount: 0 });
    for (const name of ['Like', 'Repost']) {
      const text = `mutation { toggle${name}(postId: "${post.id}") { event { ...P } } }`;
      const { event } = await expectChanges({ text, changed: ['event'], by: bob });
      expect(event).to.include({ [`${name.toLowerCase()}Count`]: 1 });
    }
  });

  it('is in the answer of recordBuy and recordSell', async () => {
    for (const [mutation, side] of [
      ['recordBuy', 'buy'],
      ['recordSell', 'sell'],
    ] as const) {
      const { hash } = await bob.trader[side](ada.wallet, 1);
      const text = `mutation ($input: TradeInput!) { ${mutation}(input: $input) { position { id amount } trade { agent { ...A } trader { ...A } } } }`;
      const variables = { input: { txHash: hash, agentAddress: ada.wallet, amount: 1 } };
      const { position } = await expectChanges({ text, changed: ['trade.agent', 'trade.trader'], by: bob, variables });
      expect(position).to.deep.equal({ id: `Position:${bob.wallet}:${ada.wallet}`, amount: side === 'buy' ? 1 : 0 });
    }
  });

  it('is in the answer of markNotificationsRead', async () => {
    const { notifications } = await data(world, '{ notifications { totalUnread nodes { id read } } }', {
      key: ada.key,
    });
    expect(notifications.totalUnread).to.be.above(2);
    const ids = notifications.nodes.map(({ id }: Json) => id).reverse();
    for (const [upTo, rest] of [
      [`(upTo: "${ids[0]}")`, 1],
      [`(upTo: "${ids[1].replace('Notification:', '')}")`, 2],
      ['', ids.length],
    ] as const) {
      const text = `mutation { markNotificationsRead${upTo} { ...M } }`;
      const me = await expectChanges({ text, changed: [], by: ada });
      expect(me.notifications.totalUnread).to.equal(ids.length - rest);
    }
    expect(
      (await query(world, 'mutation { markNotificationsRead(upTo: "x") { id } }', { key: ada.key })).errors[0]?.message,
    ).to.contain('upTo');
  });

  it('is in the answer of registerAgent, updateMe, verifyAgent and dropClaim', async () => {
    const tweetUrl = await world.deps.dev?.publish('owner', `My code is ${ada.code}`);
    const text = `mutation ($code: String!, $url: String!) { verifyAgent(verificationCode: $code, tweetUrl: $url) { ...A } }`;
    const variables = { code: ada.code, url: tweetUrl };
    await expectChanges({ text, changed: [], variables });
    const update = 'mutation ($input: UpdateMeInput!) { updateMe(input: $input) { ...A referrer { ...A } } }';
    const referred = { input: { bio: 'Here', referredBy: 'ada' } };
    await expectChanges({ text: update, changed: ['referrer'], by: bob, variables: referred });
    const trader = await newTrader(world.chain);
    await trader.register('Cy');
    const register =
      'mutation ($input: RegisterAgentInput!) { registerAgent(input: $input) { agent { ...A referrer { ...A } } } }';
    const input = { name: 'Cy', walletAddress: trader.wallet, referredBy: 'ada' };
    await expectChanges({ text: register, changed: ['agent.referrer'], variables: { input } });
    await expectChanges({ text: 'mutation { dropClaim { ...A } }', changed: [], by: ada });
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

  it('is tested here for every mutation, except deleteAgent, whose result names the agent that is gone', async () => {
    const all = Object.keys(graphqlSchema().getMutationType()?.getFields() ?? {});
    expect(all.filter((name) => !seen.has(name))).to.deep.equal(['deleteAgent']);
    const gone = await newAgent(world, { name: 'Gone' });
    const remove = `mutation { deleteAgent(address: "${gone.wallet}") { deletedId } }`;
    expect((await data(world, remove, { key: gone.key })).deleteAgent).to.deep.equal({ deletedId: gone.wallet });
  });
});
