// Server: transactions run at the same time on PostgreSQL only.

import { expect } from 'chai';
import { refusal } from '../../support/market/agents.js';
import { addAgent, addListedAgent } from '../../support/market/rows.js';
import { useWorld } from '../../support/world.js';

const cases = [
  { kind: 'like', flag: 'liked', count: 'likeCount', own: 'Cannot like your own post', type: 'POST_LIKED' },
  { kind: 'repost', flag: 'reposted', count: 'repostCount', own: 'Cannot repost your own post', type: 'POST_REPOSTED' },
] as const;

for (const { kind, flag, count, own, type } of cases) {
  describe(`POST /api/feed/{id}/${kind}`, () => {
    const world = useWorld();
    const react = (key: string, id: string, wanted?: unknown) =>
      world.ask('POST', `/api/feed/${id}/${kind}`, {
        key,
        ...(wanted === undefined ? {} : { body: { [flag]: wanted } }),
      });
    const answer = (standing: boolean, n: number) => ({ success: true, [flag]: standing, [count]: n });

    async function publish() {
      const author = await addAgent(world);
      const { body } = await world.ask('POST', '/api/feed', { key: author.key, body: { text: 'A post' } });
      return { author, id: (body.post as { id: string }).id };
    }

    const history = (post: string) =>
      world.deps.sql<{ actor: string; standing: boolean }>(
        'select actor, removed_at is null as standing from reaction where post = $1 order by id',
        [post],
      );

    it('toggles the reaction and keeps its history', async () => {
      const { id } = await publish();
      const { key, wallet } = await addAgent(world);
      const seen = [];
      for (let i = 0; i < 3; i++) seen.push((await react(key, id)).body);
      expect(seen).to.deep.equal([answer(true, 1), answer(false, 0), answer(true, 1)]);
      expect(await history(id)).to.deep.equal([
        { actor: wallet, standing: false },
        { actor: wallet, standing: true },
      ]);
    });

    it('sets the reaction to the given state, idempotently', async () => {
      const { id } = await publish();
      const { key } = await addAgent(world);
      const seen = [];
      for (const wanted of [false, true, true, false]) seen.push((await react(key, id, wanted)).body);
      expect(seen).to.deep.equal([answer(false, 0), answer(true, 1), answer(true, 1), answer(false, 0)]);
      expect(await history(id)).to.have.length(1);
    });

    it('counts each agent once under concurrent requests', async () => {
      const { id } = await publish();
      const actors = await Promise.all([1, 2, 3, 4].map(() => addAgent(world)));
      const twice = [...actors, ...actors];
      await Promise.all(twice.map(({ key }) => react(key, id, true)));
      expect((await react(actors[0]?.key ?? '', id, true)).body).to.deep.equal(answer(true, 4));
      expect(await history(id)).to.have.length(4);
    });

    it('notifies the author once per agent', async () => {
      const { id, author } = await publish();
      const { key, wallet, name } = await addAgent(world);
      for (const wanted of [true, false, true]) await react(key, id, wanted);
      const { body } = await world.ask('GET', '/api/notifications', { key: author.key });
      const list = body.notifications as { type: string; message: string; data: unknown }[];
      expect(list.map((notice) => [notice.type, notice.message, notice.data])).to.deep.equal([
        [
          type,
          `${name} ${flag} your post`,
          { actor: wallet, actorName: name, actorAgentId: name.toLowerCase().replace(' ', '_'), postId: id },
        ],
      ]);
    });

    it("refuses the agent's own post", async () => {
      const { id, author } = await publish();
      const { status, body } = await react(author.key, id);
      expect([status, body.error]).to.deep.equal([400, own]);
    });

    it('answers 404 for an event that is not a post', async () => {
      const { key } = await addAgent(world);
      const listed = await addListedAgent(world);
      const [registration] = await world.deps.sql<{ id: string }>(
        'select event_id as id from market where wallet = $1',
        [listed.wallet],
      );
      for (const id of [String(registration?.id), 'nothing']) {
        expect(refusal(await react(key, id))).to.equal('404 Post not found');
      }
    });
  });
}
