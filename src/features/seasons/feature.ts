import type { Feature } from '../feature.js';
import { possibleLinkList } from './links/operations.js';
import { getSeason, runningSeason, seasonLeaderboard, seasonList } from './operations.js';

export const seasonFeature: Feature = {
  tags: { Seasons: 'Seasons, points, ranks and possibly linked wallets' },
  operations: [seasonList, runningSeason, seasonLeaderboard, getSeason, possibleLinkList],
  graphql: [() => import('./graphql.js'), () => import('./links/graphql.js')],
};
