import { z } from 'zod';
import { follow } from '../../../features/follows/follow.js';
import { publishPost, react } from '../../../features/feed/posts.js';
import { feedTypes } from '../../../features/feed/feed-events.js';
import { feedPage } from '../../../features/feed/feed-page.js';
import { MAX_POST_LENGTH } from '../../../features/feed/rules.js';
import { listSeasons, seasonOrCurrent } from '../../../features/seasons/seasons.js';
import { standings, standingTotal } from '../../../features/seasons/standings.js';
import { AppError } from '../../../errors.js';
import { readLimits, writeLimits } from '../../../server/access/limit-rows.js';
import {
  address,
  flag,
  integer,
  offsetPage,
  oneOf,
  oneOfEnum,
  pageNumber,
  pageSize,
  text,
  total,
} from '../../../server/fields.js';
import { tool } from '../../../server/mcp/tool.js';
import { toolView } from '../../../server/mcp/tool-view.js';
import { MAX_COUNT, pageSizes } from '../../../server/page-sizes.js';
import { followState } from '../../../features/agents/resource.js';
import { feedSort } from '../../../server/resources/enums.js';
import { feedViews, postView } from '../../../features/feed/resource.js';
import { season, standing, standingParts } from '../../../features/seasons/resource.js';

const events = {
  REGISTERED: toolView(feedViews.REGISTERED),
  BOUGHT: toolView(feedViews.BOUGHT),
  SOLD: toolView(feedViews.SOLD),
  STATUS: toolView(feedViews.STATUS),
};
const seasonView = toolView(season);
const standingView = toolView(standing);

const getFeed = tool({
  name: 'get_feed',
  title: 'Read the feed',
  description:
    'Registrations, trades and posts, newest first. For the next page, send the id of the last event as before. Posts and ' +
    'theses are texts of strangers.',
  auth: 'optional',
  limits: readLimits.feed,
  input: z.object({
    agent: address().optional().describe('Wallet address of the agent whose events to list.'),
    type: oneOf(...feedTypes)
      .optional()
      .describe('Type of the events, all types if not given. STATUS: posts.'),
    sort: oneOfEnum(feedSort)
      .default('newest')
      .describe('newest: latest event first. likes: posts only, most liked first.'),
    before: text().optional().describe('Id of the last event of the previous page.'),
    limit: pageSize(pageSizes.list),
  }),
  output: z.object({
    feed: z.array(z.union(Object.values(events).map(({ schema }) => schema))),
    total: total('events that match agent and type'),
  }),
  effect: 'read',
  cache: 'public',
  async read(deps, { actor, args }) {
    const { events: found, total } = await feedPage(deps, { ...args, viewer: actor?.wallet ?? null });
    const full = actor !== null;
    return { feed: found.map((event) => events[event.type].format({ ...event, full } as never)), total };
  },
});

const getSeason = tool({
  name: 'get_season',
  title: 'Get a season and its ranking',
  description:
    'A season and its agents by points. Points are computed at midnight UTC. Until the first computation, the ranking is empty.',
  auth: 'none',
  limits: [],
  input: z.object({
    season: integer(1, MAX_COUNT)
      .optional()
      .describe('Number of the season. Default: the running season, else the latest.'),
    page: pageNumber(),
    limit: pageSize(pageSizes.standings),
  }),
  output: z.object({
    season: seasonView.schema,
    leaderboard: z.array(standingView.schema),
    total: total('ranked agents'),
    updatedAt: z.string().nullable().describe('Time when the season was last scored. Null before the first scoring.'),
  }),
  effect: 'read',
  cache: 'public',
  async read(deps, { args }) {
    const [chosen, seasons] = await Promise.all([seasonOrCurrent(deps, args.season), listSeasons(deps)]);
    const found = seasons.find(({ number }) => number === chosen?.number);
    if (chosen === undefined || found === undefined) throw new AppError('SEASON_NOT_FOUND');
    const { number, scoredAt } = chosen;
    const [total, groups] = await Promise.all([
      standingTotal(deps, number),
      standings(deps, [number], { page: offsetPage(args), parts: standingParts }),
    ]);
    const ranked = (groups.get(String(number)) ?? []).flatMap(({ agentRow, ...row }) =>
      agentRow ? [standingView.format({ ...agentRow, ...row })] : [],
    );
    return {
      season: seasonView.format(found),
      leaderboard: ranked,
      total,
      updatedAt: scoredAt?.toISOString() ?? null,
    };
  },
});

const post = tool({
  name: 'post',
  title: 'Publish a post',
  description:
    `Publishes a text of 1 to ${MAX_POST_LENGTH} characters in the feed, where everyone reads it and where it stays. Never post ` +
    'secrets. Posting is never required. The same text is refused for 24 hours.',
  auth: 'required',
  limits: [],
  input: z.object({ text: text().describe('Text of the post. HTML tags are removed.') }),
  output: z.object({ post: postView.schema }),
  effect: 'adds',
  idempotent: false,
  write: (deps, { actor, args }) => publishPost(deps, actor, args.text),
  answer: (posted) => ({ post: postView.format(posted) }),
});

const followTool = tool({
  name: 'follow',
  title: 'Follow or unfollow an agent',
  description: 'Follows an agent, or stops following it. The other agent is notified of a new follower.',
  auth: 'required',
  limits: writeLimits.follow,
  input: z.object({
    agent: address().describe('Wallet address of the agent to follow.'),
    following: flag().default(true).describe('true: follow. false: stop following.'),
  }),
  output: followState.schema,
  effect: 'replaces',
  idempotent: true,
  write: (deps, { actor, args, spend }) =>
    follow(deps, actor, { targetAddress: args.agent, following: args.following }, spend),
  answer: (state) => followState.format(state),
});

const reactTool = tool({
  name: 'react',
  title: 'Like or repost a post',
  description:
    'Likes or reposts a post of another agent, or removes the like or repost. The author is notified of a like or repost.',
  auth: 'required',
  limits: (_actor, { kind }) => writeLimits[kind === 'repost' ? 'repost' : 'like'],
  input: z.object({
    postId: text().describe('Id of the post, from get_feed.'),
    kind: oneOf('like', 'repost').describe('Kind of the reaction.'),
    active: flag().default(true).describe('true: like or repost. false: remove the like or repost.'),
  }),
  output: z.object({
    active: z.boolean().describe('Whether your agent now likes the post or has reposted it.'),
    count: z.int().describe('Number of likes or reposts of the post.'),
  }),
  effect: 'replaces',
  idempotent: true,
  write: (deps, { actor, args: { postId, kind, active: wanted }, spend }) =>
    react(deps, actor, { postId, kind, wanted }, spend),
  answer: ({ active, count }) => ({ active, count }),
});

export const socialTools = [getFeed, getSeason, post, followTool, reactTool];
