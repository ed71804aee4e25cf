import { expect } from 'chai';
import { HOUR_MS } from '../../../../src/values/time.js';
import { eventId, registrationKey } from '../../../../src/values/trade.js';
import { freshIp, refusal, success, writePost } from '../../../support/market/agents.js';
import { addAgent, addListedAgent } from '../../../support/market/rows.js';
import { useWorld } from '../../../support/world.js';

type Agent = Awaited<ReturnType<typeof addAgent>>;

const onPost = {
  missing: '404 Post not found',
  history: 'select actor, removed_at is null as standing from reaction where post = $1 order by id',
};
/**
 * What differs between the three acts: fields of input and answer, refusals, the type of the notification, and the stored history.
 */
const kinds = {
  like: { ...onPost, flag: 'liked', count: 'likeCount', own: '400 Cannot like your own post', type: 'POST_LIKED' },
  repost: {
    ...onPost,
    flag: 'reposted',
    count: 'repostCount',
    own: '400 Cannot repost your own post',
    type: 'POST_REPOSTED',
  },
  follow: {
    missing: '404 Agent not found',
    history: 'select follower as actor, removed_at is null as standing from agent_follow where followed = $1 order by id',
    flag: 'following',
    count: 'followerCount',
    own: '422 Cannot follow yourself',
    type: 'NEW_FOLLOWER',
  },
};

describe('likes, reposts and follows', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const follow = (from: Agent, targetAddress: string, following?: unknown) =>
    world.ask('POST', '/api/agents/follow', { key: from.key, body: { targetAddress, following } });

  for (const [kind, { flag, count, own, type, missing, history }] of Object.entries(kinds)) {
    describe(`by POST ${kind === 'follow' ? '/api/agents/follow' : `/api/feed/{id}/${kind}`}`, () => {
      let author: Agent;
      /** The id of the post, or the wallet of the agent to follow. */
      let id: string;
      let actor: Agent;
      beforeEach(async () => {
        [author, actor] = [await addAgent(world), await addAgent(world)];
        id = kind === 'follow' ? author.wallet : await writePost(world, author, 'A post');
      });
      const act = (from: Agent, target: string, wanted?: unknown) =>
        kind === 'follow'
          ? follow(from, target, wanted)
          : world.ask('POST', `/api/feed/${target}/${kind}`, { key: from.key, body: { [flag]: wanted } });
      const answer = (standing: boolean, n: number) => ({ success: true, [flag]: standing, [count]: n });
      const stored = () => world.deps.sql(history, [id]);

      it('toggle the state and keep its history', async () => {
        const seen = [];
        for (let i = 0; i < 3; i++) seen.push((await act(actor, id)).body);
        expect(seen).to.deep.equal([answer(true, 1), answer(false, 0), answer(true, 1)]);
        expect(await stored()).to.deep.equal([
          { actor: actor.wallet, standing: false },
          { actor: actor.wallet, standing: true },
        ]);
      });

      it('set the given state, idempotently', async () => {
        const seen = [];
        for (const wanted of [false, true, true, false, false]) seen.push((await act(actor, id, wanted)).body);
        const [on, off] = [answer(true, 1), answer(false, 0)];
        expect(seen).to.deep.equal([off, on, on, off, off]);
        expect(await stored()).to.have.length(1);
      });

      it('count each agent once under concurrent requests', async () => {
        const actors = await Promise.all([1, 2, 3, 4].map(() => addAgent(world)));
        await Promise.all([...actors, ...actors].map((from) => act(from, id, true)));
        expect((await act(actors[0] as Agent, id, true)).body).to.deep.equal(answer(true, 4));
        expect(await stored()).to.have.length(4);
      });

      it('notify the agent once per actor in 72 hours, and hide the notification after that time', async () => {
        const { wallet, name } = actor;
        const told = async () => {
          const { notifications } = success(await world.ask('GET', '/api/notifications', { key: author.key }));
          return (notifications as Record<string, unknown>[]).map((n) => [n.type, n.message, n.data]);
        };
        const data = { actor: wallet, actorName: name, actorAgentId: name.toLowerCase().replace(' ', '_') };
        const message = `${name} ${kind === 'follow' ? 'follows you' : `${flag} your post`}`;
        const notice = [type, message, kind === 'follow' ? data : { ...data, postId: id }];
        const actAgain = async () => {
          for (const wanted of [false, true]) await act(actor, id, wanted);
        };
        for (let i = 0; i < 2; i++) await actAgain();
        world.clock.advance(72 * HOUR_MS - 1);
        await actAgain();
        expect(await told()).to.deep.equal([notice]);
        world.clock.advance(1);
        expect(await told()).to.deep.equal([]);
        await actAgain();
        expect(await told()).to.deep.equal([notice]);
      });

      it("are refused for the actor's own post or profile, a missing target or an invalid state", async () => {
        expect(refusal(await act(author, id))).to.equal(own);
        const { wallet } = await addListedAgent(world);
        const registration = eventId(registrationKey(wallet));
        const others = kind === 'follow' ? [`0x${'0'.repeat(40)}`] : [registration, 'nothing'];
        for (const other of others) expect(refusal(await act(actor, other))).to.equal(missing);
        expect(refusal(await act(actor, id, 'yes'))).to.equal(`400 ${flag} is not valid`);
      });
    });
  }

  it('keep the counts of agents correct under concurrent follows and unfollows', async () => {
    const [a, b, c] = [await addAgent(world), await addAgent(world), await addAgent(world)];
    const from = [a, b, a, c, a, b, c, a];
    const to = [b, a, b, a, c, a, b, b];
    const answers = await Promise.all(from.map((one, i) => follow(one, String(to[i]?.wallet))));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(8).fill(200));
    const counts = await world.deps.sql(
      `select follower_count as followers, following_count as following from agent where wallet = any($1)
       order by created_at`,
      [[a, b, c].map(({ wallet }) => wallet)],
    );
    // An odd number of toggles leaves a follow: a toggles b 3 times. An even number leaves none: b toggles a twice.
    expect(counts).to.deep.equal([
      { followers: 1, following: 2 },
      { followers: 2, following: 0 },
      { followers: 1, following: 2 },
    ]);
  });

  it('list followers and followed agents, latest first', async () => {
    const list = async (of: string, which: 'followers' | 'following', query = '') => {
      const body = success(await world.ask('GET', `/api/agents/${of}/${which}${query}`, { headers: freshIp() }));
      return { body, rows: body[which] as Record<string, unknown>[] };
    };
    const [a, b] = [await addAgent(world), await addAgent(world)];
    const c = await addAgent(world, { avatarUrl: 'https://example.com/c.png' });
    success(await follow(b, a.wallet));
    world.clock.advance(1000);
    success(await follow(c, a.wallet));
    const followedAt = world.clock.now().toISOString();
    const agentIdOf = ({ name }: Agent) => name.toLowerCase().replace(' ', '_');
    const entry = (agent: Agent, avatarUrl: string | null, at: unknown) => ({
      id: agent.wallet,
      name: agent.name,
      agentId: agentIdOf(agent),
      avatarUrl,
      walletAddress: agent.wallet,
      totalSupply: 1,
      followedAt: at,
    });
    const { body, rows } = await list(agentIdOf(a), 'followers');
    expect(rows).to.deep.equal([entry(c, 'https://example.com/c.png', followedAt), entry(b, null, rows[1]?.followedAt)]);
    expect(body.total).to.equal(2);
    const page = await list(a.wallet, 'followers', '?limit=1&page=2');
    expect(page.body).to.deep.equal({ ...body, followers: rows.slice(1) });
    const following = (await list(encodeURIComponent(c.name), 'following')).rows;
    expect(following).to.have.length(1);
    expect(following[0]).to.include({ id: a.wallet, agentId: agentIdOf(a) });
    success(await follow(c, a.wallet));
    expect((await list(c.wallet, 'following')).body).to.deep.equal({ success: true, following: [], total: 0 });
  });
});
