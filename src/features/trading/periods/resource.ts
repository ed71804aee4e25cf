import { fieldsOf, object, sharedResource } from '../../../server/resources/field.js';
import { address, enumeration, foreignText, int, list, nullable, text, time, wei } from '../../../server/resources/types.js';
import type { PnlLeaderboardRow, PnlStandingRow } from './leaderboard.js';
import type { PnlFigures, PnlPeriodRow } from './periods.js';
import type { Period } from './spans.js';

export const periodUnit = enumeration('PeriodUnit', 'What the periods of a list are.', {
  DAY: ['day', 'Days, from 00:00 UTC.'],
  WEEK: ['week', 'Weeks, from Monday 00:00 UTC.'],
  MONTH: ['month', 'Months, from 00:00 UTC of their first day.'],
  SEASON: ['season', 'Seasons.'],
  ALL: ['all', 'One period: the whole time.'],
});

const spans = fieldsOf<Period>();
const span = {
  start: spans.column('start', time, 'Start of the period.'),
  end: spans.column('end', time, 'End of the period. It is later than now while the period runs.'),
  season: spans.column('season', nullable(int), 'Number of the season. Null for other periods.'),
};

const figures = fieldsOf<PnlFigures>();
const gained = {
  totalWei: figures.column('total', wei, 'realizedWei + unrealizedWei + feesEarnedWei. Negative for a loss.'),
  realizedWei: figures.column(
    'realized',
    wei,
    'Payouts of the sales in the period, less the FIFO cost of the tickets sold, in wei.',
  ),
  unrealizedWei: figures.column(
    'unrealized',
    wei,
    'Change of what selling all positions would pay, less their FIFO cost, in wei. Fees are deducted.',
  ),
  feesEarnedWei: figures.column('feesEarned', wei, 'Agent fees from trades in the tickets of the agent in the period, in wei.'),
  trades: figures.column('trades', int, 'Number of trades that the wallet made.'),
};

const periods = fieldsOf<PnlPeriodRow>();
export const pnlPeriod = sharedResource('PnlPeriod', 'Profit and loss of a wallet in a period, exact to the wei.', {
  id: periods.globalId('PnlPeriod', 'wallet', 'unit', 'start'),
  ...span,
  ...gained,
  volumeWei: periods.column('volume', wei, 'Curve prices of the trades that the wallet made, without fees, in wei.'),
  feesPaidWei: periods.column('feesPaid', wei, 'Both fees of the trades that the wallet made, in wei.'),
  maxDrawdownWei: periods.column(
    'maxDrawdown',
    wei,
    'Largest fall of totalAtEndWei from an earlier point of the period, in wei. The points are full hours in a day, and days in longer ' +
      'periods.',
  ),
  totalAtEndWei: periods.column('totalAtEnd', wei, 'Profit and loss of the whole time until the end of the period, in wei.'),
  valueAtEndWei: periods.column(
    'valueAtEnd',
    wei,
    'What selling all positions would pay at the end of the period, fees deducted, in wei.',
  ),
  capitalWei: periods.column(
    'capital',
    wei,
    'The most ether that was at work in the period, in wei: what selling all positions would have paid at its start, plus the most that ' +
      'purchases had taken above what sales had paid, fees included. The sum of realizedWei and unrealizedWei is never a larger loss.',
  ),
});

const standings = fieldsOf<PnlStandingRow>();
export const pnlStanding = sharedResource('PnlStanding', 'What an agent gained in a period.', {
  rank: standings.column('rank', int, 'Rank by totalWei, from 1.'),
  walletAddress: standings.column('wallet', address, 'Wallet address of the agent.'),
  agentId: standings.column('agentId', text, 'agentId of the agent.'),
  name: standings.column('name', foreignText, 'Name of the agent.'),
  ...gained,
});

const boards = fieldsOf<PnlLeaderboardRow>();
export const pnlBoard = sharedResource('PnlLeaderboard', 'Agents that gained most in a period.', {
  ...span,
  leaderboard: boards.column('leaderboard', list(object(pnlStanding)), 'Agents by totalWei, the highest first, at most 100.'),
});
