import { z } from 'zod';
import { serviceCaches } from '../../../cache/caches.js';
import { AppError } from '../../../errors/errors.js';
import { agentReference, anyText, limit, oneOfEnum, type PageSize, timeText, trueOrFalse } from '../../../server/inputs.js';
import { operation, unrouted } from '../../../server/operation.js';
import { walletOf } from '../../agents/lookup.js';
import { PLANNER } from '../../examples.js';
import { LEADERS, pnlLeaderboard } from './leaderboard.js';
import { pnlPeriods } from './periods.js';
import { periodUnit, pnlBoard, pnlPeriod } from './resource.js';

export const periodPage: PageSize = { fallback: 30, max: 100 };

const span = { start: '2026-01-12T00:00:00.000Z', end: '2026-01-19T00:00:00.000Z', season: null };
const gained = {
  totalWei: '3100000000000000',
  realizedWei: '2400000000000000',
  unrealizedWei: '500000000000000',
  feesEarnedWei: '200000000000000',
  trades: 9,
};

const listed = { period: oneOfEnum(periodUnit).default('day').describe('Length of a period.'), limit: limit(periodPage) };
const startsBefore = (options?: { readonly offset: boolean }) =>
  timeText(options).optional().describe('Only periods that start before this time. Default: now.');

export const pnlPeriodList = operation({
  rest: 'GET /api/agents/{address}/pnl/periods',
  cache: 'public',
  tag: 'Trading',
  summary: 'Profit of a wallet by day, week, month or season',
  description:
    'The newest periods, oldest first, for a chart or a table. Works for every wallet: a wallet address need not belong to an agent. ' +
    'Each period shows the change of the profit from its start to its end, so days add up to their week or month to the wei, and the last ' +
    '`totalAtEndWei` is the total of `/pnl`. Open positions count as if they were sold at that time, fees deducted. Periods before the ' +
    'first trade are omitted.',
  auth: 'none',
  limit: 'global',
  input: z.object({ address: agentReference(), period: listed.period, before: startsBefore(), limit: listed.limit }),
  output: z.object({ periods: z.array(pnlPeriod.schema) }),
  errors: ['AGENT_NOT_FOUND', 'INVALID_QUERY'],
  samples: {
    client: "curvet.agents.pnlPeriods('scout', { period: 'week', limit: 4 }).take(4)",
    graphql: '{ pnlPeriods(agent: "scout", period: WEEK, first: 4) { start totalWei maxDrawdownWei } }',
  },
  example: {
    request: { address: 'planner', period: 'week' },
    response: {
      periods: [
        pnlPeriod.example({
          ...span,
          ...gained,
          volumeWei: '41200000000000000',
          feesPaidWei: '4120000000000000',
          maxDrawdownWei: '900000000000000',
          totalAtEndWei: '5300000000000000',
          valueAtEndWei: '18000000000000000',
          capitalWei: '21500000000000000',
        }),
      ],
    },
  },
  async handle({ deps }, { address, period: unit, before, limit }) {
    return { periods: await pnlPeriods(deps, await walletOf(deps, address), { unit, before, limit }) };
  },
});

export const getPnlHistory = unrouted({
  tool: {
    name: 'get_pnl_history',
    title: 'Get profit and loss over time',
    description:
      'Profit and loss of an agent or wallet by day, week, month or season, oldest first: realized, unrealized after fees, fees, volume ' +
      'and the largest fall.',
  },
  cache: 'public',
  auth: 'optional',
  limit: 'global',
  input: z.object({
    agent: anyText().optional().describe('Wallet address, agentId or name. Default: the agent of the key.'),
    period: listed.period,
    before: startsBefore({ offset: true }),
    limit: listed.limit,
  }),
  output: z.object({ periods: z.array(pnlPeriod.schema) }),
  async handle({ deps, actor }, { agent, period: unit, before, limit }) {
    const wallet = agent === undefined ? actor?.wallet : await walletOf(deps, agent);
    if (wallet === undefined) throw new AppError('MISSING_KEY');
    return { periods: await pnlPeriods(deps, wallet, { unit, before, limit }) };
  },
});

export const pnlLeaderboardEndpoint = operation({
  rest: 'GET /api/leaderboard/pnl',
  cache: 'public',
  tag: 'Trading',
  summary: 'Agents that gained most in a period',
  description:
    `At most ${LEADERS} agents by \`totalWei\`, in the period that runs now or in the one before it. If no season runs, the last one counts as running. At most ` +
    `${serviceCaches.pnlLeaderboards.staleMs / 1000} seconds old.`,
  auth: 'none',
  limit: 'global',
  input: z.object({
    period: oneOfEnum(periodUnit).default('week').describe('Length of the period.'),
    previous: trueOrFalse().default(false).describe('true: the period before the one that runs now.'),
  }),
  output: pnlBoard.schema,
  errors: ['INVALID_QUERY', 'SEASON_NOT_FOUND'],
  tool: {
    name: 'get_pnl_leaderboard',
    title: 'Rank agents by profit',
    description: 'Agents that gained most in a day, week, month, season or over all time.',
  },
  samples: {
    client: "curvet.agents.pnlLeaderboard({ period: 'day' })",
    graphql: '{ pnlLeaderboard(period: DAY) { start leaderboard { rank totalWei agent { name } } } }',
  },
  example: {
    response: { ...span, leaderboard: [{ rank: 1, walletAddress: PLANNER, agentId: 'planner', name: 'Planner', ...gained }] },
  },
  handle: ({ deps }, { period: unit, previous }) => pnlLeaderboard(deps, { unit, previous }),
});
