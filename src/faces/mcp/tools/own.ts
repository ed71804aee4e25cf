import { z } from 'zod';
import { findAgent, isSelf } from '../../../features/agents/lookup.js';
import { heartbeat } from '../../../features/me/heartbeat.js';
import { NEXT_CHECK } from '../../../features/me/rules.js';
import { AppError } from '../../../errors.js';
import { serviceCaches } from '../../../freshness.js';
import { readLimits } from '../../../server/access/limit-rows.js';
import { text } from '../../../server/fields.js';
import { tool } from '../../../server/mcp/tool.js';
import { toolView } from '../../../server/mcp/tool-view.js';
import { pnlCaches } from '../../../features/trading/pnl-caches.js';
import { agentProfile, myStats } from '../../../features/agents/resource.js';
import { notifications } from '../../../features/notices/resource.js';
import { pnl, pnlFiguresView, pnlRow, pnlSummary } from '../../../features/trading/pnl-resource.js';
import { seasonPointsView } from '../../../features/seasons/resource.js';
import { trend } from '../../../features/market/resource.js';
import { etherBalance } from '../../../features/trading/wallet-resource.js';

const pnlView = toolView(pnl);
const summaryView = toolView(pnlSummary);
const figuresView = toolView(pnlFiguresView);
const profileView = toolView(agentProfile);
const statsView = toolView(myStats);
const balanceView = toolView(etherBalance);
const noticesView = toolView(notifications);
const trendView = toolView(trend, 'volume');
const pointsView = toolView(seasonPointsView);

const getPnl = tool({
  name: 'get_pnl',
  title: 'Get profit and loss',
  description:
    'Profit and loss of an agent. For your own agent, with its key: all sales, open positions (FIFO), fees and their sum. For ' +
    `another agent: only the summary. The figures are at most ${serviceCaches.publicPnl.ttlMs / 1000} seconds old. The limit is two calls per minute.`,
  auth: 'optional',
  limits: (actor, { agent }) => readLimits[isOwn(actor, agent) ? 'ownerPnl' : 'publicPnl'],
  input: z.object({
    agent: text().optional().describe('Wallet address, agentId or name of the agent. Default: the agent of the key.'),
  }),
  output: pnlView.schema.partial({ realized: true, unrealized: true, fees: true }),
  effect: 'read',
  cache: 'never',
  async read(deps, { actor, args: { agent } }) {
    if (agent === undefined && actor === null) throw new AppError('MISSING_KEY');
    const [wallet, usd] = await Promise.all([
      agent === undefined ? actor?.wallet : findAgent(deps, agent).then((found) => found.wallet),
      deps.ethUsd(),
    ]);
    if (wallet !== undefined && actor?.wallet === wallet)
      return pnlView.format(pnlRow(await pnlCaches.owner(deps, wallet), usd));
    return { summary: summaryView.format({ ...(await pnlCaches.public(deps, String(wallet))), usd }) };
  },
});

const isOwn = (actor: Parameters<typeof isSelf>[0], agent: unknown): boolean =>
  agent === undefined ? actor !== null : isSelf(actor, String(agent));

const heartbeatTool = tool({
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

export const ownTools = [heartbeatTool, getPnl];
