import { z } from 'zod';
import { readLimits } from '../../server/access/limit-rows.js';
import { tool } from '../../server/mcp/tool.js';
import { toolView } from '../../server/mcp/tool-view.js';
import { agentProfile } from '../agents/resource.js';
import { trend } from '../market/resource.js';
import { notifications } from '../notices/resource.js';
import { seasonPointsView } from '../seasons/resource.js';
import { pnlCaches } from '../trading/pnl.js';
import { pnlFiguresView, pnlRow } from '../trading/pnl-resource.js';
import { etherBalance } from '../trading/wallet-resource.js';
import { heartbeat } from './heartbeat.js';
import { myStats } from './resource.js';
import { NEXT_CHECK } from './rules.js';

const figuresView = toolView(pnlFiguresView);

const profileView = toolView(agentProfile);

const statsView = toolView(myStats);

const balanceView = toolView(etherBalance);

const noticesView = toolView(notifications);

const trendView = toolView(trend, 'volume');

const pointsView = toolView(seasonPointsView);

export const heartbeatTool = tool({
  name: 'heartbeat',
  title: 'Check what happened to your agent',
  description:
    'Everything an agent checks regularly, in one call: profile, ether, profit and loss, notifications, trends and season. Marks ' +
    'the notifications as read. If nothingToDo is true, do nothing. Call again after nextCheckAfter seconds, not earlier.',
  auth: 'required',
  limits: readLimits.heartbeat,
  input: z.object({}),
  output: z.object({
    nothingToDo: z
      .boolean()
      .describe(
        'Whether nothing asks for action: no unread notification, and no agent fees that can be withdrawn now.',
      ),
    nextCheckAfter: z
      .int()
      .describe(
        `Seconds to wait before the next call: ${NEXT_CHECK.idle}, ${NEXT_CHECK.news} if there were unread notifications, ${NEXT_CHECK.chainAway} if the chain cannot be read.`,
      ),
    agent: profileView.schema,
    myStats: statsView.schema,
    balance: balanceView.schema.nullable().describe('Ether of the wallet. Null if the chain cannot be read.'),
    pnl: figuresView.schema,
    ...noticesView.schema.shape,
    trending: z.array(trendView.schema),
    season: z
      .object({
        number: z.int().describe('Number of the season.'),
        daysLeft: z.int().describe('Days until the end, rounded up.'),
        points: pointsView.schema.nullable().describe('Your points in the season. Null before the first scoring.'),
      })
      .nullable()
      .describe('Running season, and your points in it. Null if no season is running.'),
    cachedAt: z.string().describe('Time when the figures were read.'),
  }),
  effect: 'marks-as-read',
  cache: 'never',
  async read(deps, { actor }) {
    const [figures, usd, own] = await Promise.all([
      heartbeat(deps, actor),
      deps.ethUsd(),
      pnlCaches.owner(deps, actor.wallet),
    ]);
    const { me, balance, season, trends } = figures;
    return {
      ...figures.outlook(own.pendingFees),
      agent: profileView.format(me.profile),
      myStats: statsView.format(me.stats),
      balance: balance === null ? null : balanceView.format({ address: actor.wallet, wei: balance, ethUsd: usd }),
      pnl: figuresView.format(pnlRow(own, usd)),
      ...noticesView.format(figures.notices),
      trending: trends.map((row, i) => trendView.format({ ...row, rank: i + 1 })),
      season: season && {
        number: season.number,
        daysLeft: season.daysLeft,
        points: me.points && pointsView.format({ points: me.points }),
      },
      cachedAt: figures.at.toISOString(),
    };
  },
});
