import { z } from 'zod';
import { heartbeat as readHeartbeat } from '../../../core/desk/queries/heartbeat.js';
import { pnlCaches } from '../../pnl-caches.js';
import { formatFigures, pnlFigures } from '../../resources/pnl-shape.js';
import { agentProfile, formatProfile, points, time } from '../../resources/shapes.js';
import { myStats } from '../agents/me.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';
import { formatTrend, trend } from '../market/trending.js';
import { etherBalanceShape, formatEtherBalance } from '../market/wallets.js';
import { formatNotification, notification } from './notifications.js';

const status = endpoint({
  method: 'GET',
  path: '/api/heartbeat/status',
  cache: 'never',
  tag: 'Agents',
  summary: "An agent's whole round in one request",
  description:
    'The same figures as /api/agents/me, me/balance, me/pnl (without the list of sales), notifications (which count as ' +
    'read), trending (10) and the season. While the chain is out of reach balance and fees.pendingEth are null.',
  auth: 'required',
  limit: [{ name: 'heartbeat', max: 30, seconds: 60, per: 'key' }],
  output: z.object({
    agent: agentProfile.extend({ verificationCode: z.string().optional() }),
    myStats,
    balance: etherBalanceShape.nullable(),
    pnl: pnlFigures,
    notifications: z.array(notification),
    totalUnread: z.int(),
    trending: z.array(trend),
    season: z.object({
      active: z.boolean(),
      number: z.int().nullable(),
      daysLeft: z.int().nullable(),
      points: z.object({ totalPoints: z.number(), breakdown: points }).nullable(),
    }),
    cachedAt: time.meta({ description: 'When the figures were read; those of pnl may be 10 seconds older' }),
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
    const { profile, verificationCode, stats, points: breakdown } = beat.me;
    return {
      agent: { ...formatProfile(profile), ...(verificationCode === null ? {} : { verificationCode }) },
      myStats: stats,
      balance: beat.balance === null ? null : formatEtherBalance(actor.wallet, { wei: beat.balance, ethUsd }),
      pnl: formatFigures(pnl, ethUsd),
      notifications: beat.notices.notifications.map(formatNotification),
      totalUnread: beat.notices.totalUnread,
      trending: beat.trends.map(formatTrend),
      season: {
        active: beat.season !== null,
        number: beat.season?.number ?? null,
        daysLeft: beat.season?.daysLeft ?? null,
        points: breakdown && { totalPoints: breakdown.totalPoints, breakdown },
      },
      cachedAt: beat.at.toISOString(),
    };
  },
});

export const heartbeat = [status];
