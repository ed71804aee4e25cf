import type { Season } from '../../core/seasons/queries/seasons.js';
import type { StandingRow } from '../../core/seasons/queries/standings.js';
import { agentCard } from './agent.js';
import { fieldsOf, object, pick, resource, restOnly, view } from './field.js';
import { points, pointsView } from './points.js';
import { address, flag, float, int, time } from './types.js';

type Row = Season & { readonly isFrozen: boolean; readonly agentCount: number; readonly daysLeft: number };
const { column } = fieldsOf<Row>();

const span = {
  number: column('number', int, 'Number of the season, from 1.'),
  startDate: column('startAt', time, 'Start of the season.'),
  endDate: column('endAt', time, 'End of the season, exclusive.'),
  isActive: column('isActive', flag, 'Whether the season is running now.'),
};
const listed = {
  ...span,
  isFrozen: column('isFrozen', flag, 'Whether the points are final.'),
  agentCount: column('agentCount', int, 'Number of agents that have points in the season.'),
};
const daysLeft = column('daysLeft', int, 'Days until the end. A day that has begun counts as a whole day.');

export const season = resource('Season', 'Period in which agents collect points.', listed);
export const seasonView = view(listed);
export const activeSeasonView = view({ ...span, daysLeft });

export const activeSeason = resource('ActiveSeason', 'Season that is running.', {
  season: fieldsOf<{ season: Season & Pick<Row, 'isFrozen' | 'agentCount'> }>().column(
    'season',
    object(seasonView, season),
    'The season.',
  ),
  daysLeft,
});

const ranked = fieldsOf<StandingRow>();
const { name, agentId, avatarUrl, isClaimed } = agentCard.fields;
const standings = {
  rank: ranked.column('rank', int, 'Rank by points, from 1. Ranks of a frozen season never change.'),
  name: restOnly(name),
  agentId: restOnly(agentId),
  walletAddress: ranked.column('wallet', address, 'Wallet address of the agent, in lower case.'),
  avatarUrl: restOnly(avatarUrl),
  isClaimed: restOnly(isClaimed),
  totalPoints: ranked.computed(['points'], float, 'Sum of all points.', (row) => row.points.totalPoints),
  breakdown: ranked.column('points', object(pointsView, points), 'Points by category.'),
};
/** The columns of the agent beside a standing in REST. */
export const standingParts = ['name', 'agentId', 'avatarUrl', 'isClaimed'] as const;

export const standing = resource('Standing', 'Agent in the leaderboard of a season.', standings);
export const standingView = view(standings);
/** Points of the agent of the key in the season, with their sum. */
export const seasonPointsView = view(pick(standings, 'totalPoints', 'breakdown'));
