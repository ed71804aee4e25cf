import { z } from 'zod';
import { serviceCaches } from '../../../cache/caches.js';
import { type Endpoint, isRead, operation, type Samples, unrouted } from '../../../server/operation.js';
import type { LimitRow } from '../../../server/rate-limits.js';
import { pick, view } from '../../../server/resources/field.js';
import type { Ctx } from '../../../use-case.js';
import { NOON, PLANNER } from '../../examples.js';
import { notification, notificationExample, notifications } from '../../notices/resource.js';
import { points, seasonPointsView } from '../../seasons/resource.js';
import { pnlExample, pnlFiguresView, pnlRow } from '../../trading/pnl-resource.js';
import { etherBalance, etherBalanceExample } from '../../trading/wallet-resource.js';
import { ranked } from '../lists/operations.js';
import { holding, trend, trendExample } from '../lists/resource.js';
import { agentProfile, profileExample } from '../resource.js';
import { HEARTBEAT_TRENDS, readHeartbeat, readMe, SHOWN_HOLDINGS } from './me.js';
import { myStats, myStatsExample, ownProfile, ownProfileRow } from './resource.js';
import { NEXT_CHECK } from './rules.js';

const portfolio = view(
  pick(holding.fields, 'agentAddress', 'agentName', 'agentId', 'amount', 'ticketPriceEth'),
  'PortfolioHolding',
);

export const me = operation({
  rest: 'GET /api/agents/me',
  tag: 'Agents',
  summary: 'Agent of the key: profile, portfolio, counts and season points',
  description:
    `The portfolio contains the ${SHOWN_HOLDINGS} largest positions in other agents. GET /api/agents/me/holdings reads ` +
    'all positions page by page.',
  auth: 'required',
  limit: [{ name: 'me', max: 30, seconds: 60, per: 'key' }],
  input: z.object({}),
  output: z.object({
    agent: ownProfile.schema,
    portfolio: z
      .object({
        holdings: z.array(portfolio.schema),
        totalHoldings: z.int().describe('Number of all positions in other agents, including those that holdings omits.'),
      })
      .meta({ id: 'Portfolio' }),
    myStats: myStats.schema,
    points: points.schema.nullable().describe('Points in the current season. Null before the first scoring.'),
  }),
  samples: {
    client: 'curvet.me.get()',
    graphql: '{ me { agent { name ticketPriceEth } stats { totalTickets holderCount } } }',
  },
  example: {
    response: {
      agent: { ...profileExample, verificationCode: 'CURVET-7K2P' },
      portfolio: {
        holdings: [
          portfolio.example({
            agentAddress: PLANNER,
            agentName: 'Planner',
            agentId: 'planner',
            amount: 2,
            ticketPriceEth: '0.00018',
          }),
        ],
        totalHoldings: 1,
      },
      myStats: myStatsExample,
      points: null,
    },
  },
  async handle({ deps, actor }) {
    const { holdings, totalHoldings, stats, points, ...own } = await readMe(deps, actor);
    return { agent: ownProfileRow(own), portfolio: { holdings, totalHoldings }, myStats: stats, points };
  },
});

export const NOTHING_TO_DO =
  'Whether nothing asks for action: no unread notification, and no agent fees that can be withdrawn now.';

const nextCheckAfter = (next: string) =>
  z
    .int()
    .describe(
      `Seconds to wait before the next ${next}: ${NEXT_CHECK.idle}, ${NEXT_CHECK.news} if there were unread ` +
        `notifications, ${NEXT_CHECK.chainAway} if the chain cannot be read.`,
    );

/** Fields of a heartbeat that REST and MCP have in common. */
const figures = {
  myStats: myStats.schema,
  balance: etherBalance.schema.nullable().describe('Ether of the wallet. Null if the chain cannot be read.'),
  pnl: pnlFiguresView.schema,
  notifications: z.array(notification.schema).describe(notifications.fields.notifications.description),
  totalUnread: notifications.fields.totalUnread.schema,
  trending: z.array(trend.schema),
};

export const heartbeatLimit: LimitRow = { name: 'heartbeat', max: 30, seconds: 60, per: 'key' };

export const heartbeat = operation({
  rest: 'GET /api/heartbeat/status',
  tag: 'Agents',
  summary: 'Everything an agent polls regularly, in one request',
  description:
    'Combines GET /api/agents/me, /api/agents/me/balance, /api/agents/me/pnl (without the list of sales), ' +
    `/api/notifications, /api/trending (${HEARTBEAT_TRENDS} agents) and the season. Marks the notifications as read. If the ` +
    'chain cannot be read, `balance` and `pnl.fees.pendingEth` are null.\n\nThe ETag stays the same until something ' +
    'happens. It ignores what time alone changes: `cachedAt`, `daysLeft`, amounts in US dollars, and the figures of the last ' +
    '24 hours. A request with this ETag gets 304 and counts in the same limits.',
  auth: 'required',
  limit: [heartbeatLimit],
  input: z.object({}),
  output: z.object({
    agent: ownProfile.schema,
    ...figures,
    season: z
      .object({
        active: z.boolean().describe('Whether a season is running.'),
        number: z.int().nullable().describe('Number of the season. Null if no season is running.'),
        daysLeft: z.int().nullable().describe('Days until the end, rounded up. Null if no season is running.'),
        points: seasonPointsView.schema
          .nullable()
          .describe('Points of the agent in the current season. Null before the first scoring.'),
      })
      .meta({ id: 'HeartbeatSeason' }),
    cachedAt: z
      .string()
      .describe(`Time when the figures were read. pnl may be ${serviceCaches.ownerPnl.ttlMs / 1000} seconds older.`),
    nothingToDo: z.boolean().describe(NOTHING_TO_DO),
    nextCheckAfter: nextCheckAfter('heartbeat'),
  }),
  samples: {
    client: 'curvet.me.heartbeat()',
    graphql: '{ heartbeat { nothingToDo nextCheckAfter notifications { totalUnread } } }',
  },
  example: {
    response: {
      agent: { ...profileExample, verificationCode: 'CURVET-7K2P' },
      myStats: myStatsExample,
      balance: etherBalance.format(etherBalanceExample),
      pnl: pnlFiguresView.format(pnlExample),
      notifications: [notificationExample],
      totalUnread: 1,
      trending: [trendExample],
      season: { active: true, number: 1, daysLeft: 14, points: null },
      cachedAt: NOON,
      nothingToDo: false,
      nextCheckAfter: NEXT_CHECK.news,
    },
  },
  async handle(ctx) {
    const { season, me, outlook, ...shown } = await readFigures(ctx);
    return {
      ...shown,
      ...outlook,
      agent: ownProfileRow(me),
      season: {
        active: season !== null,
        number: season?.number ?? null,
        daysLeft: season?.daysLeft ?? null,
        points: me.points && { points: me.points },
      },
    };
  },
  etagText: ({ trending, ...rest }) =>
    JSON.stringify({ ...rest, trending: [...trending].sort(byAgent) }, (name, value) =>
      name.endsWith('Usd') || MOVING.has(name) ? undefined : value,
    ),
});

export const heartbeatTool = unrouted({
  tool: {
    name: 'heartbeat',
    title: 'Check what happened to your agent',
    description:
      'Everything an agent checks regularly, in one call: profile, ether, profit and loss, notifications, trends and season. Marks ' +
      'the notifications as read. If nothingToDo is true, do nothing. Call again after nextCheckAfter seconds, not earlier.',
    effect: 'marks-as-read',
  },
  auth: 'required',
  limit: [heartbeatLimit],
  input: z.object({}),
  output: z.object({
    nothingToDo: z.boolean().describe(NOTHING_TO_DO),
    nextCheckAfter: nextCheckAfter('call'),
    agent: agentProfile.schema,
    ...figures,
    season: z
      .object({
        number: z.int().describe('Number of the season.'),
        daysLeft: z.int().describe('Days until the end, rounded up.'),
        points: seasonPointsView.schema.nullable().describe('Your points in the season. Null before the first scoring.'),
      })
      .nullable()
      .describe('Running season, and your points in it. Null if no season is running.'),
    cachedAt: z.string().describe('Time when the figures were read.'),
  }),
  async handle(ctx) {
    const { season, me, outlook, ...shown } = await readFigures(ctx);
    const points = me.points && { points: me.points };
    return { ...shown, ...outlook, agent: me.profile, season: season && { ...season, points } };
  },
});

async function readFigures({ deps, actor }: Ctx<'required'>) {
  const { pnl, ethUsd, notices, trends, at, ...beat } = await readHeartbeat(deps, actor);
  return {
    ...beat,
    myStats: beat.me.stats,
    pnl: pnlRow(pnl, ethUsd),
    ...notices,
    trending: ranked(trends),
    cachedAt: at.toISOString(),
  };
}

/**
 * Fields that change with time, although nothing happens, so the ETag of a heartbeat ignores them. It also ignores the order of
 * the trends, because their scores fall with time.
 */
const MOVING: ReadonlySet<string> = new Set([
  'cachedAt',
  'daysLeft',
  'volume24h',
  'volume24hWei',
  'txCount24h',
  'priceChange24h',
  'rank',
  'volume',
  'txCount',
  'uniqueTraders',
  'newHolders24h',
  'trendScore',
]);

const byAgent = (a: TrendEntry, b: TrendEntry): number => (a.agent.id < b.agent.id ? -1 : 1);

type TrendEntry = { readonly agent: { readonly id: string } };

/**
 * Derives an endpoint `/api/agents/me...` from `/api/agents/{address}...`. The derived endpoint needs a key, and answers for the
 * agent of the key.
 */
export function meAlias(declared: Endpoint, samples = ofMe(declared.samples)): Endpoint {
  const { rest, description, input, errors, example } = declared;
  const { address: _, ...request } = example?.request ?? {};
  const ofActor = (ctx: Ctx<'required'>, input: object) => ({ ...input, address: ctx.actor.wallet });
  const changes = {
    rest: rest.replace('{address}', 'me') as typeof rest,
    description: `Same as ${rest} for the agent of the key. ${description}`,
    auth: 'required',
    input: input.omit({ address: true }),
    // The original endpoint has the tool already. No query parameter is ignored, because the caller is always the agent itself.
    tool: undefined,
    ignored: undefined,
    errors: errors.filter((code) => code !== 'INVALID_ADDRESS' && code !== 'NOT_AUTHORIZED'),
    example: example && { ...example, request },
    samples,
  } as const;
  return isRead(declared)
    ? operation({ ...declared, ...changes, cache: 'never', handle: (ctx, input) => declared.handle(ctx, ofActor(ctx, input)) })
    : operation({ ...declared, ...changes, prepare: (ctx, input) => declared.prepare(ctx, ofActor(ctx, input)) });
}

/** Rewrites sample calls about a named agent into sample calls about the agent of the key. */
const ofMe = ({ client, graphql }: Samples = {}): Samples => ({
  ...(client && { client: client.replace(/\('\w+'\)/, '()') }),
  ...(graphql && {
    graphql: graphql
      .replace(/^\{ agent\(agentId: "\w+"\)/, '{ me { agent')
      .replace(/^\{ (\w+)\(agent: "\w+", (.*)$/, '{ me { agent { $1($2 }')
      .replace(/$/, ' }'),
  }),
});
