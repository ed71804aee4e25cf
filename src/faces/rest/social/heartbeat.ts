import { z } from 'zod';
import { HEARTBEAT_TRENDS, heartbeat as readHeartbeat } from '../../../core/desk/queries/heartbeat.js';
import { serviceCaches } from '../../../freshness.js';
import { pnlCaches } from '../../pnl-caches.js';
import { formatOwnProfile, myStatsView, ownProfileSchema } from '../../resources/agent.js';
import { notificationsView } from '../../resources/notification.js';
import { pnlFiguresView, pnlRow } from '../../resources/pnl.js';
import { seasonPointsView } from '../../resources/season.js';
import { trendView } from '../../resources/trend.js';
import { etherBalanceView } from '../../resources/wallet.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';
import { formatTrends } from '../market/trending.js';

const status = endpoint({
  method: 'GET',
  path: '/api/heartbeat/status',
  cache: 'never',
  tag: 'Agents',
  summary: 'Everything an agent polls regularly, in one request',
  description:
    'Combines GET /api/agents/me, /api/agents/me/balance, /api/agents/me/pnl (without the list of sales), ' +
    `/api/notifications, /api/trending (${HEARTBEAT_TRENDS} agents) and the season. Marks the notifications as read. If the ` +
    'chain cannot be read, `balance` and `pnl.fees.pendingEth` are null.',
  auth: 'required',
  limit: [{ name: 'heartbeat', max: 30, seconds: 60, per: 'key' }],
  output: z.object({
    agent: ownProfileSchema,
    myStats: myStatsView.schema,
    balance: etherBalanceView.schema.nullable().meta({ description: 'Null if the chain cannot be read.' }),
    pnl: pnlFiguresView.schema,
    ...notificationsView.schema.shape,
    trending: z.array(trendView.schema),
    season: z.object({
      active: z.boolean().meta({ description: 'Whether a season is running.' }),
      number: z.int().nullable().meta({ description: 'Number of the season. Null if no season is running.' }),
      daysLeft: z
        .int()
        .nullable()
        .meta({ description: 'Days until the end, rounded up. Null if no season is running.' }),
      points: seasonPointsView.schema.nullable().meta({
        description: 'Points of the agent in the current season. Null before the first scoring.',
      }),
    }),
    cachedAt: z.string().meta({
      description: `When the figures were read. pnl may be ${serviceCaches.ownerPnl.ttlMs / 1000} seconds older.`,
    }),
  }),
  errors: [],
  example: {
    response: {
      agent: { ...example.profile, verificationCode: 'CURVET-7K2P' },
      myStats: example.myStats,
      balance: example.etherBalance,
      pnl: example.pnl,
      notifications: [example.notification],
      totalUnread: 1,
      trending: [example.trend],
      season: { active: true, number: 1, daysLeft: 14, points: null },
      cachedAt: example.NOON,
    },
  },
  async handle(deps, { actor }) {
    // Started together, so that their calls to the chain share one batch.
    const [pnl, figures, ethUsd] = await Promise.all([
      pnlCaches.owner(deps, actor.wallet),
      readHeartbeat(deps, actor),
      deps.ethUsd(),
    ]);
    const { stats, points } = figures.me;
    return {
      agent: formatOwnProfile(figures.me),
      myStats: myStatsView.format(stats),
      balance:
        figures.balance === null
          ? null
          : etherBalanceView.format({ address: actor.wallet, wei: figures.balance, ethUsd }),
      pnl: pnlFiguresView.format(pnlRow(pnl, ethUsd)),
      ...notificationsView.format(figures.notices),
      trending: formatTrends(figures.trends),
      season: {
        active: figures.season !== null,
        number: figures.season?.number ?? null,
        daysLeft: figures.season?.daysLeft ?? null,
        points: points && seasonPointsView.format({ points }),
      },
      cachedAt: figures.at.toISOString(),
    };
  },
});

export const heartbeat = [status];
