// Server: transactions run at the same time on PostgreSQL only.
import { expect } from 'chai';
import { freshIp, newAgent, refusal, success, type TestAgent } from '../../support/market/agents.js';
import { useWorld } from '../../support/world.js';

describe('follows', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let a: TestAgent;
  let b: TestAgent;
  beforeEach(async () => {
    [a, b] = [await newAgent(world), await newAgent(world)];
  });

  const follow = (from: TestAgent, to: { readonly wallet: string }, following?: unknown) =>
    world.ask('POST', '/api/agents/follow', { key: from.key, body: { targetAddress: to.wallet, following } });
  const list = (of: string, which: 'followers' | 'following', query = '') =>
    world.ask('GET', `/api/agents/${of}/${which}${query}`, { headers: freshIp() });
  const counts = ({ wallet }: TestAgent) =>
    world.deps.sql('select follower_count as followers, following_count as following from agent where wallet = $1', [
      wallet,
    ]);
  const history = (from: TestAgent, to: TestAgent) =>
    world.deps.sql<{ created_at: Date; removed_at: Date | null }>(
      'select created_at, removed_at from agent_follow where follower = $1 and followed = $2 order by id',
      [from.wallet, to.wallet],
    );

  describe('POST /api/agents/follow', () => {
    it('toggles the follow', async () => {
      const first = await world.ask('POST', '/api/agents/follow', {
        key: a.key,
        body: { targetAddress: b.trader.signer.address },
      });
      expect(first.status).to.equal(200);
      expect(first.body).to.deep.equal({ success: true, following: true, followerCount: 1 });
      expect((await follow(a, b)).body).to.deep.equal({ success: true, following: false, followerCount: 0 });
      expect((await follow(a, b)).body).to.deep.equal({ success: true, following: true, followerCount: 1 });
      expect(await counts(a)).to.deep.equal([{ followers: 0, following: 1 }]);
      expect(await counts(b)).to.deep.equal([{ followers: 1, following: 0 }]);
      const [before, standing] = await history(a, b);
      expect(before?.removed_at?.getTime()).to.be.at.least(before?.created_at.getTime() ?? 0);
      expect(standing?.removed_at).to.equal(null);
    });

    it('sets the follow to the given state', async () => {
      for (const [following, followerCount] of [
        [false, 0],
        [true, 1],
        [true, 1],
        [false, 0],
        [false, 0],
      ]) {
        expect((await follow(a, b, following)).body).to.deep.equal({ success: true, following, followerCount });
      }
      expect(await history(a, b)).to.have.length(1);
    });

    it('notifies the followed agent at most once in 72 hours', async () => {
      for (let n = 0; n < 3; n++) success(await follow(a, b));
      const told = () =>
        world.deps.sql<Record<string, unknown>>('select * from notification where recipient = $1', [b.wallet]);
      expect(await told()).to.have.length(1);
      expect((await told())[0]).to.include({ type: 'NEW_FOLLOWER', subject: a.wallet, read_at: null });
      expect((await told())[0]?.message).to.equal(`${a.name} follows you`);
      world.clock.advance(72 * 3_600_000 + 1000);
      for (let n = 0; n < 2; n++) success(await follow(a, b));
      expect(await told()).to.have.length(2);
    });

    it('refuses to follow oneself or an unknown agent', async () => {
      expect(refusal(await follow(a, b, 'yes'))).to.equal('400 following is not valid');
      expect(refusal(await follow(a, a))).to.equal('422 Cannot follow yourself');
      expect(refusal(await follow(a, { wallet: `0x${'0'.repeat(40)}` }))).to.equal('404 Agent not found');
    });

    it('keeps the counts correct under concurrent follows and unfollows', async () => {
      const c = await newAgent(world);
      const pairs: [TestAgent, TestAgent][] = [
        [a, b],
        [b, a],
        [a, b],
        [c, a],
        [a, c],
        [b, a],
        [c, b],
        [a, b],
      ];
      const answers = await Promise.all(pairs.map(([from, to]) => follow(from, to)));
      expect(answers.map(({ status }) => status)).to.deep.equal(pairs.map(() => 200));
      // An odd number of toggles is one follow: a follows b 3 times. An even number is none: b follows a twice.
      expect(await counts(a)).to.deep.equal([{ followers: 1, following: 2 }]);
      expect(await counts(b)).to.deep.equal([{ followers: 2, following: 0 }]);
      expect(await counts(c)).to.deep.equal([{ followers: 1, following: 2 }]);
      expect((await list(b.wallet, 'followers')).body.total).to.equal(2);
    });
  });

  describe('the follow lists', () => {
    it('show followers and followed agents, latest first', async () => {
      const c = await newAgent(world, { avatarUrl: 'https://example.com/c.png' });
      success(await follow(b, a));
      world.clock.advance(1000);
      success(await follow(c, a));
      const body = success(await list(a.agentId, 'followers'));
      const followers = body.followers as Record<string, unknown>[];
      const shown = followers.map(({ followedAt, ...rest }) => rest);
      const entry = ({ wallet, name, agentId }: TestAgent, avatarUrl: string | null) => ({
        ...{ id: wallet, name, agentId, avatarUrl },
        totalSupply: 1,
      });
      expect(shown).to.deep.equal([entry(c, 'https://example.com/c.png'), entry(b, null)]);
      const [standing] = await history(c, a);
      expect(followers[0]?.followedAt).to.equal(standing?.created_at.toISOString());
      expect(body.total).to.equal(2);
      const page = success(await list(a.wallet, 'followers', '?limit=1&page=2'));
      expect(page).to.deep.equal({ ...body, followers: followers.slice(1) });

      const following = (await list(encodeURIComponent(c.name), 'following')).body;
      expect(following.following).to.have.length(1);
      expect((following.following as unknown[])[0]).to.include({ id: a.wallet, agentId: a.agentId });
      success(await follow(c, a));
      expect((await list(c.wallet, 'following')).body).to.deep.equal({ success: true, following: [], total: 0 });
    });
  });
});
