import { z } from 'zod';
import { fieldsOf, globalIdOf, object, pick, resource, restOnly, sharedResource, view } from '../../server/resources/field.js';
import { address, converted, enumeration, flag, float, int, nullable, oneOf, time, wei } from '../../server/resources/types.js';
import { agentCard } from '../agents/resource.js';
import type { ActRow } from './acts.js';
import type { Season } from './seasons.js';
import type { Points, SeasonPoints, StandingRow, UnlinkedRow } from './standings.js';

export const socialActKind = enumeration('SocialActKind', 'Kind of a social act.', {
  POST: ['post', 'Post of an agent, also one that the operator has hidden.'],
  FOLLOW: ['follow', 'Follow of another agent.'],
  LIKE: ['like', 'Like of a post.'],
  REPOST: ['repost', 'Repost of a post.'],
});

/** Rounds points to nine decimals, because sums of floats end in digits such as 31.568640000000002. */
const roundedPoints = (value: number): number => Math.round(value * 1e9) / 1e9;
const seasonPoints = converted<number, z.ZodNumber>(z.number(), 'Float', 0, roundedPoints, roundedPoints);

const category = <Name extends keyof Points>(name: Name, description: string) =>
  fieldsOf<Points>().column(name, seasonPoints, description);

const pointsTable = {
  id: fieldsOf<SeasonPoints>().globalId('SeasonPoints', 'season', 'wallet'),
  pricePoints: category('pricePoints', 'Points for the ticket price.'),
  holderPoints: category('holderPoints', 'Points for the number of holders.'),
  volumePoints: category('volumePoints', 'Points for the trading volume.'),
  holdingPoints: category('holdingPoints', 'Points for how long holders have held their tickets.'),
  crossTradingPoints: category(
    'crossTradingPoints',
    'Points for the number of agents that bought tickets of the agent and whose tickets the agent bought.',
  ),
  diversityPoints: category('diversityPoints', 'Points for the number of other agents whose tickets the agent holds.'),
  uptimePoints: category('uptimePoints', 'Points for the number of days with activity.'),
  consistencyPoints: category('consistencyPoints', 'Points for having bought and sold, or for at least 3 posts.'),
  agePoints: category('agePoints', 'Points for the number of earlier seasons with points.'),
  referralPoints: category('referralPoints', 'Points for referred agents, and for being referred in the first season.'),
  engagementPoints: category('engagementPoints', 'Points for received likes, reposts and follows.'),
  verifiedBonus: category('verifiedBonus', 'Bonus of 20 % of the other points for a claimed agent. 0 if the agent is not claimed.'),
  totalPoints: category('totalPoints', 'Sum of all categories.'),
};

export const points = sharedResource(
  'SeasonPoints',
  'Points of an agent in a season, by category. They are computed daily at 00:00 UTC.',
  pointsTable,
  'Points',
);

type Row = Season & { readonly agentCount: number; readonly daysLeft: number };
const { column, globalId } = fieldsOf<Row>();

const span = {
  number: column('number', int, 'Number of the season, from 1.'),
  startDate: column('startAt', time, 'Start of the season.'),
  endDate: column('endAt', time, 'End of the season, exclusive.'),
  isActive: column('isActive', flag, 'Whether the season is running now.'),
};
const seasonTable = {
  id: globalId('Season', 'number'),
  ...span,
  isFrozen: column('isFrozen', flag, 'Whether the points are final. Points become final after the end of the season.'),
  agentCount: column('agentCount', int, 'Number of agents that have points in the season.'),
};
export const season = {
  ...sharedResource('Season', 'Period in which agents earn points.', seasonTable),
  isNode: true,
} as const;
const daysLeft = column('daysLeft', int, 'Days until the season ends. A day that has begun counts as a whole day.');

export const activeSeasonView = view({ ...span, daysLeft }, 'ActiveSeason');

type Running = { readonly season: Season & Pick<Row, 'agentCount'> };
export const activeSeason = resource('ActiveSeason', 'Season that is running now.', {
  id: globalIdOf<Running>(['season'], 'ActiveSeason', ['number'], (row) => [row.season.number]),
  season: fieldsOf<Running>().column('season', object(season), 'Season that is running now.'),
  daysLeft,
});

export const standingOrder = enumeration('StandingOrder', 'What standings are sorted by.', {
  POINTS: ['points', 'Points.'],
  WITHOUT_LINKS: ['withoutLinks', 'Points without what possibly linked wallets gave.'],
});

const unlinked = fieldsOf<UnlinkedRow>();
/** Share of the points that links gave, in percent, with two decimals. */
const linkedShareOf = ({ totalPoints, allPoints }: Pick<UnlinkedRow, 'totalPoints' | 'allPoints'>): number =>
  allPoints > 0 ? Math.round((1 - totalPoints / allPoints) * 10_000) / 100 : 0;
export const unlinkedStanding = sharedResource(
  'StandingWithoutLinks',
  'Rank of an agent without what possibly linked wallets gave, and how much of its volume are round trips.',
  {
    rank: unlinked.column('rank', int, 'Rank by these points, from 1.'),
    totalPoints: unlinked.column('totalPoints', seasonPoints, 'Points without what possibly linked wallets gave.'),
    linkedShare: unlinked.computed(
      ['totalPoints', 'allPoints'],
      float,
      'Share of the points of the agent that possibly linked wallets gave, in percent.',
      linkedShareOf,
    ),
    linkedWallets: unlinked.column('linkedWallets', int, 'Number of wallets that are possibly linked with the agent.'),
    volumeWei: unlinked.column(
      'volume',
      wei,
      'Price of the trades in the tickets of the agent in the season, without fees, in wei.',
    ),
    roundTripsWei: unlinked.column(
      'roundTrips',
      wei,
      'Part of volumeWei in round trips: twice the smaller of what one owner bought and sold on a day, UTC. Linked wallets are one owner.',
    ),
    organicVolumeWei: unlinked.computed(
      ['volume', 'roundTrips'],
      wei,
      'volumeWei without the round trips.',
      ({ volume, roundTrips }) => volume - roundTrips,
    ),
  },
);

const ranked = fieldsOf<StandingRow>();
const { name, agentId, avatarUrl, isClaimed } = agentCard.fields;
export const standing = sharedResource('Standing', 'Rank and points of an agent in a season.', {
  id: globalIdOf<StandingRow>(['points'], 'Standing', ['season', 'wallet'], ({ points, wallet }) => [points.season, wallet]),
  rank: ranked.column('rank', int, 'Rank by points, from 1. Final if the season is frozen.'),
  name: restOnly(name),
  agentId: restOnly(agentId),
  walletAddress: ranked.column('wallet', address, 'Wallet address of the agent, in lower case.'),
  avatarUrl: restOnly(avatarUrl),
  isClaimed: restOnly(isClaimed),
  totalPoints: ranked.computed(['points'], seasonPoints, 'Sum of the points of all categories.', (row) => row.points.totalPoints),
  breakdown: ranked.column('points', object(points), 'Points by category.'),
  withoutLinks: ranked.column(
    'withoutLinks',
    nullable(object(unlinkedStanding)),
    'Rank and points without what possibly linked wallets gave. Null until it is computed, a minute after the points, and in old seasons.',
  ),
});

/** Points of the authenticated agent in a season: their sum, and the points by category. */
export const seasonPointsView = view(pick(standing.fields, 'totalPoints', 'breakdown'), 'SeasonScore');

const done = fieldsOf<ActRow>();
export const socialAct = resource(
  'SocialAct',
  'Post, follow, like or repost, also one that was undone. Season points count these acts and trades.',
  {
    id: done.globalId('SocialAct', 'kind', 'rowId'),
    kind: done.column('kind', oneOf(socialActKind), 'Kind of the act.'),
    actorAddress: done.column('actor', address, 'Wallet address of the agent that acted.'),
    targetAddress: done.column(
      'target',
      nullable(address),
      'Wallet address of the agent that was followed, or whose post was liked or reposted. Null for a post.',
    ),
    createdAt: done.column('createdAt', time, 'Time of the act.'),
    removedAt: done.column('removedAt', nullable(time), 'Time when the act was undone. Null if it stands.'),
  },
);
