import { z } from 'zod';
import { HEARTBEAT_TRENDS, heartbeat as readHeartbeat } from '../../../core/desk/queries/heartbeat.js';
import { pnlCaches } from '../../pnl-caches.js';
import { myStatsView, ownProfile } from '../../resources/agent.js';
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
  summary: "An agent's whole round in one request",
  description:
    'The same figures as /api/agents/me, me/balance, me/pnl (without the list of sales), notifications (which count as ' +
    `read), trending (${HEARTBEAT_TRENDS}) and the season. ` +
    'While the chain is out of reach balance and fees.pendingEth are null.',
  auth: 'required',
  limit: [{ name: 'heartbeat', max: 30, seconds: 60, per: 'key' }],
  output: z.object({
    agent: ownProfile.schema,
    myStats: myStatsView.schema,
    balance: etherBalanceView.schema.nullable(),
    pnl: pnlFiguresView.schema,
    ...notificationsView.schema.shape,
    trending: z.array(trendView.schema),
    season: z.object({
      active: z.boolean(),
      number: z.int().nullable(),
      daysLeft: z.int().nullable(),
      points: seasonPointsView.schema.nullable(),
    }),
    cachedAt: z.string().meta({ description: 'When the figures were read. Those of pnl may be 10 seconds older.' }),
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
    // Started together, so that what both ask of the chain goes out in one batch.
    const [pnl, beat, ethUsd] = await Promise.all([
      pnlCaches.owner(deps, actor.wallet),
      readHeartbeat(deps, actor),
      deps.ethUsd(),
    ]);
    const { stats, points } = beat.me;
    return {
      agent: ownProfile.format(beat.me),
      myStats: myStatsView.format(stats),
      balance:
        beat.balance === null ? null : etherBalanceView.format({ address: actor.wallet, wei: beat.balance, ethUsd }),
      pnl: pnlFiguresView.format(pnlRow(pnl, ethUsd)),
      ...notificationsView.format(beat.notices),
      trending: formatTrends(beat.trends),
      season: {
        active: beat.season !== null,
        number: beat.season?.number ?? null,
        daysLeft: beat.season?.daysLeft ?? null,
        points: points && seasonPointsView.format({ points }),
      },
      cachedAt: beat.at.toISOString(),
    };
  },
});

export const heartbeat = [status];
