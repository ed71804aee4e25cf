import { expect } from 'chai';
import { readConfig } from '../../../../src/config/config.js';
import type { Deps } from '../../../../src/deps.js';
import { toolsFor } from '../../../../src/features/features.js';
import { type ModerationRequest, moderate } from '../../../../src/features/moderation/moderate.js';
import { scoreNow } from '../../../../src/features/seasons/score.js';
import { liveBounds } from '../../../../src/live/log.js';
import { isRead } from '../../../../src/server/operation.js';
import { openWrite } from '../../../../src/store/sql.js';
import { testDatabase } from '../../../support/database.js';
import { freshIp, refusal } from '../../../support/market/agents.js';
import { type Cast, callsOf, MARKS, type Mark, marksIn, marksSeen, newCast } from '../../../support/market/moderated.js';
import { withParts } from '../../../support/parts.js';
import { type Subscriber, transports } from '../../../support/service/live.js';
import { eventually } from '../../../support/service/process.js';
import { manualTimes } from '../../../support/times.js';
import { useWorld, type World } from '../../../support/world.js';

const ALL = Object.keys(MARKS).sort() as Mark[];
const TEXTS: Mark[] = ['bio', 'description', 'post', 'thesis'];

describe('hidden content', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let cast: Cast;
  /** The marks (texts that can be hidden) in each answer before anything is hidden. */
  let original: Record<string, Mark[]>;
  const act = (action: 'hide' | 'restore', target: ModerationRequest['target'], deps: Deps = world.deps) => {
    const subject = target === 'post' ? cast.post : cast.author.agentId;
    return moderate(deps, { action, target, subject, operator: 'ann', reason: 'A test' });
  };
  /**
   * Removes these marks from each answer. Lists of posts are left out, because they also
   * lose the name of the author if a post is hidden.
   */
  const without = (seen: Record<string, Mark[]>, marks: readonly Mark[]): Record<string, Mark[]> =>
    Object.fromEntries(
      Object.entries(seen)
        .filter(([name]) => !/type=STATUS|sort=likes|likedFeed/.test(name))
        .map(([name, all]): [string, Mark[]] => [name, all.filter((mark) => !marks.includes(mark))])
        .filter(([, all]) => all.length > 0),
    );

  before(async () => {
    cast = await newCast(world);
    original = await marksSeen(world, cast);
  });
  // Restores everything, so that a failed test hides nothing from the next one.
  afterEach(async () => {
    for (const target of ['post', 'avatar', 'texts'] as const) await act('restore', target);
  });

  it('is looked for with every tool of MCP that reads', () => {
    const tools = toolsFor(readConfig({})).flatMap((declared) => (isRead(declared) ? [declared.tool.name] : []));
    expect(callsOf(cast).map(([tool]) => tool)).to.include.members(tools);
  });

  it('is in the answers of REST, GraphQL and MCP before it is hidden', () => {
    for (const api of ['/api/', 'graphql', ' mcp ']) {
      const answers = Object.entries(original).filter(([name]) => name.includes(api));
      expect(marksIn(Object.fromEntries(answers)), api).to.deep.equal(ALL);
    }
    const avatars = Object.entries(original).flatMap(([name, marks]) => (marks.includes('avatar') ? [name] : []));
    for (const path of ['agents', 'search', 'trending', 'leaderboard', 'feed', 'heartbeat', 'agents/me'])
      expect(avatars.join(' ')).to.include(`/api/${path}`);
  });

  for (const [target, marks] of [
    ['post', ['post']],
    ['avatar', ['avatar']],
    ['texts', TEXTS],
  ] as const) {
    it(`is in no answer for anyone while ${target} is the hidden target, and comes back as it was`, async () => {
      expect(await act('hide', target)).to.deep.equal({ changed: true, agent: cast.author.wallet });
      const seen = await marksSeen(world, cast);
      expect(marksIn(seen)).to.deep.equal(ALL.filter((mark) => !marks.includes(mark as never)));
      expect(without(seen, [])).to.deep.equal(without(original, marks));
      expect(await act('hide', target)).to.include({ changed: false });
      expect(await act('restore', target)).to.include({ changed: true });
      expect(await act('restore', target)).to.include({ changed: false });
      expect(await marksSeen(world, cast)).to.deep.equal(original);
    });
  }

  it('stays hidden as a post when all texts are restored, and as a text when the post is restored', async () => {
    const seen = async () => marksIn(await marksSeen(world, cast));
    await act('hide', 'post');
    await act('hide', 'texts');
    await act('restore', 'texts');
    expect(await seen()).to.deep.equal(ALL.filter((mark) => mark !== 'post'));
    await act('hide', 'texts');
    await act('restore', 'post');
    expect(await seen()).to.deep.equal(['avatar']);
    await act('restore', 'texts');
    expect(await seen()).to.deep.equal(ALL);
  });

  it('counts in no total of the feed, takes no likes, and comes back with its earlier likes', async () => {
    const feed = async () => (await world.ask('GET', '/api/feed?type=STATUS', { headers: freshIp() })).body;
    const own = async () =>
      (await world.ask('GET', `/api/feed?type=STATUS&agent=${cast.author.wallet}`, { headers: freshIp() })).body.total;
    const [all, ofAuthor] = [await feed(), await own()];
    await act('hide', 'post');
    expect([(await feed()).total, await own()]).to.deep.equal([Number(all.total) - 1, Number(ofAuthor) - 1]);
    const liked = await world.ask('POST', `/api/feed/${cast.post}/like`, { key: cast.reader.key, body: {} });
    expect(refusal(liked)).to.equal('404 Post not found');
    await act('restore', 'post');
    expect(await feed()).to.deep.equal(all);
  });

  it('leaves the trades, the prices and the points of the agent as they are', async () => {
    const facts = async () => {
      await scoreNow(world.deps);
      const { leaderboard } = (await world.ask('GET', '/api/seasons/leaderboard', { headers: freshIp() })).body;
      const points = (leaderboard as { walletAddress: string; breakdown: Record<string, number> }[]).find(
        ({ walletAddress }) => walletAddress === cast.author.wallet,
      )?.breakdown;
      expect(points?.uptimePoints).to.be.above(0);
      expect(points?.engagementPoints).to.be.above(0);
      const paths = ['trades', 'candles', 'holdings'].map((part) => `/api/agents/${cast.author.wallet}/${part}`);
      const answers = await Promise.all(paths.map((path) => world.ask('GET', path, { headers: freshIp() })));
      const scored = [points?.uptimePoints, points?.engagementPoints];
      return JSON.stringify([scored, ...answers.map(({ body }) => body)]).replace(`"${MARKS.thesis}"`, 'null');
    };
    const visible = await facts();
    await act('hide', 'texts');
    expect(await facts()).to.equal(visible);
    await act('restore', 'texts');
  });

  it('is in no cached answer of another process when the command returns', async () => {
    /** The parts that two processes with the same database do not share. */
    const ofProcess = async () => {
      const { orm } = await testDatabase();
      const writes = { count: 0 };
      // With a URL, the database may have other processes. So the command waits until their caches are too old to be served.
      const config = { ...world.deps.config, DATABASE_URL: 'postgresql://shared' };
      return { config, writes, write: openWrite(orm, writes) };
    };
    const times = manualTimes();
    const command = { ...world.deps, ...(await ofProcess()), times };
    /** Runs the command. The time only advances by the pause for which the command waits. */
    const run = async (action: 'hide' | 'restore') => {
      let returned = false;
      const running = act(action, 'post', command).finally(() => {
        returned = true;
      });
      await eventually(() => returned || times.waiting.length > 0);
      const [wait = 0] = times.waiting;
      world.clock.advance(wait);
      times.advance(wait);
      await running;
    };
    const withTwo = async (use: (processes: World[]) => Promise<void>) =>
      withParts(world, await ofProcess(), async (one) => withParts(world, await ofProcess(), (two) => use([one, two])));
    await withTwo(async (processes) => {
      const query = '{ feed { nodes { ... on StatusEvent { text } } } }';
      const cached = async () => {
        const asked = processes.flatMap((one) => [
          one.ask('GET', '/api/feed', { headers: freshIp() }),
          one.ask('POST', '/graphql', { body: { query } }),
        ]);
        return (await Promise.all(asked)).map(({ body }) => JSON.stringify(body).includes(MARKS.post));
      };
      // The answers are requested all the time, so that the caches are filled when the command runs.
      let asking = true;
      const load = (async () => {
        while (asking) await cached();
      })();
      expect(await cached()).to.deep.equal([true, true, true, true]);
      await run('hide');
      const after = await cached();
      asking = false;
      await load;
      expect(after).to.deep.equal([false, false, false, false]);
      await run('restore');
      expect(await cached()).to.deep.equal([true, true, true, true]);
    });
  });

  for (const [name, subscribe] of Object.entries(transports)) {
    describe(`in live events over ${name}`, () => {
      const open: Subscriber[] = [];
      const watch = async (after?: number) => {
        const query = `subscription ($after: ID) { feedEvent(after: $after) { kind eventId event {
          ... on StatusEvent { text agent { bio avatarUrl } } ... on BoughtEvent { thesis } } } }`;
        const made = await subscribe(world.url, query, {
          variables: after === undefined ? {} : { after: String(after) },
        });
        open.push(made);
        return made;
      };
      afterEach(() => {
        for (const one of open.splice(0)) one.cut();
      });

      it('is removed, is in no replay, and is added again when it is restored', async () => {
        const live = await watch();
        await act('hide', 'texts');
        await live.until(1);
        expect(live.got[0]).to.deep.equal({ kind: 'REMOVED', eventId: cast.post, event: null });
        // The replay contains the registrations and trades of the cast. It omits the events
        // of hidden posts, because they have no content.
        const { forgotten } = await liveBounds(world.deps);
        const replay = await watch(forgotten);
        await replay.until(3);
        const text = JSON.stringify(replay.got);
        for (const mark of TEXTS) expect(text, mark).not.to.include(MARKS[mark]);
        await act('restore', 'texts');
        await live.until(2);
        expect(live.got[1]).to.deep.include({ kind: 'ADDED', eventId: cast.post });
        expect(live.got[1].event.text).to.equal(MARKS.post);
        const again = await watch(forgotten);
        await again.until(replay.got.length + 1);
        for (const mark of ['post', 'thesis', 'bio'] as const) expect(JSON.stringify(again.got), mark).to.include(MARKS[mark]);
      });
    });
  }
});
