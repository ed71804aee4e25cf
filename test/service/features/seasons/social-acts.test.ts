import { expect } from 'chai';
import { hidePost } from '../../../../src/features/feed/posts.js';
import { askAs, claim, follow, newAgent, type TestAgent, writePost } from '../../../support/market/agents.js';
import { costOf, data, type Json, query, refusalOf } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

describe('the social acts in GraphQL', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let [ada, bob, cy]: TestAgent[] = [];
  /** The time of each step, as ISO text. */
  const times: string[] = [];
  let posts: string[] = [];

  const step = () => {
    world.clock.advance(60_000);
    times.push(world.clock.now().toISOString());
  };
  const read = async (kind: string, args = ''): Promise<Json> =>
    (
      await data(
        world,
        `{ socialActs(kind: ${kind}${args}) { totalCount nodes { kind actorAddress targetAddress createdAt removedAt }
           pageInfo { hasNextPage endCursor } } }`,
      )
    ).socialActs;
  /** An act as GraphQL shows it. `from` and `to` are the numbers of the steps in which it was done and undone. */
  const row = (kind: string, [actor, target]: readonly (TestAgent | undefined)[], from: number, to?: number) => ({
    kind,
    actorAddress: actor?.wallet,
    targetAddress: target?.wallet ?? null,
    createdAt: times[from],
    removedAt: to === undefined ? null : times[to],
  });

  before(async () => {
    [ada, bob, cy] = [await newAgent(world), await newAgent(world), await newAgent(world)];
    step();
    posts = [await writePost(world, ada, 'First'), await writePost(world, bob, 'Second')];
    step();
    await follow(world, bob, ada);
    await follow(world, cy, ada);
    await askAs(world, bob, 'POST', `/api/feed/${posts[0]}/like`);
    await askAs(world, cy, 'POST', `/api/feed/${posts[0]}/repost`);
    step();
    await askAs(world, bob, 'POST', '/api/agents/follow', { targetAddress: ada.wallet, following: false });
    await askAs(world, bob, 'POST', `/api/feed/${posts[0]}/like`);
    step();
    await askAs(world, bob, 'POST', `/api/feed/${posts[0]}/like`);
  });

  it('show when each was done and undone, newest first', async () => {
    const { nodes: follows, totalCount } = await read('FOLLOW');
    expect(follows).to.have.deep.members([row('FOLLOW', [bob, ada], 1, 2), row('FOLLOW', [cy, ada], 1)]);
    expect(totalCount).to.equal(2);
    expect((await read('LIKE')).nodes).to.deep.equal([row('LIKE', [bob, ada], 3), row('LIKE', [bob, ada], 1, 2)]);
    expect((await read('REPOST')).nodes).to.deep.equal([row('REPOST', [cy, ada], 1)]);
  });

  it('have an id each', async () => {
    const kinds = ['POST', 'FOLLOW', 'LIKE', 'REPOST'];
    const lists = kinds.map((kind) => `${kind}: socialActs(kind: ${kind}) { edges { node { id } } }`);
    const answer = await data(world, `{ ${lists.join(' ')} }`);
    const ids = kinds.flatMap((kind) => answer[kind].edges.map(({ node }: Json) => node.id));
    // Two posts, two follows, two likes and one repost.
    expect(new Set(ids).size).to.equal(7);
    for (const id of ids) expect(id).to.match(/^SocialAct:(post|follow|like|repost):[\w-]+$/);
  });

  it('are read page by page, at the cost of their fields', async () => {
    for (const kind of ['POST', 'FOLLOW', 'LIKE']) {
      const whole = await read(kind);
      const first = await read(kind, ', first: 1');
      const second = await read(kind, `, first: 1, after: "${first.pageInfo.endCursor}"`);
      expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).to.deep.equal([true, false]);
      expect([...first.nodes, ...second.nodes]).to.deep.equal(whole.nodes);
    }
    expect(await costOf(world, '{ socialActs(kind: LIKE, first: 100) { nodes { createdAt removedAt } } }')).to.equal(202);
    expect(refusalOf(await query(world, '{ socialActs(kind: LIKE, first: 101) { nodes { createdAt } } }'))).to.match(
      /INVALID_QUERY$/,
    );
  });

  it('still count a post that the operator has hidden', async () => {
    const count = async () => (await read('POST')).totalCount;
    expect(await count()).to.equal(2);
    await world.deps.write((tx) => hidePost(tx, String(posts[1])));
    expect(await count()).to.equal(2);
  });

  it('come with the claim time of agents, and leave out deleted agents', async () => {
    const times = 'claimedAt referredAt';
    const of = async (wallet?: string) => (await data(world, `{ agent(address: "${wallet}") { ${times} } }`)).agent;
    expect(await of(ada?.wallet)).to.deep.equal({ claimedAt: null, referredAt: null });
    step();
    if (!ada || !bob || !cy) throw new Error('there are no agents');
    await claim(world, ada, 'ada_owner');
    await askAs(world, bob, 'PATCH', '/api/agents/me', { referredBy: ada.agentId });
    const now = world.clock.now().toISOString();
    expect(await of(ada.wallet)).to.deep.equal({ claimedAt: now, referredAt: null });
    await askAs(world, cy, 'DELETE', '/api/agents/me');
    expect((await read('FOLLOW')).totalCount).to.equal(1);
    expect((await read('REPOST')).totalCount).to.equal(0);
    expect((await read('LIKE')).totalCount).to.equal(2);
  });
});
