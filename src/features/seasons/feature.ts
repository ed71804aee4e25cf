import type { Feature } from '../feature.js';
import { getSeason, runningSeason, seasonLeaderboard, seasonList } from './operations.js';

export const seasonFeature: Feature = {
  tags: { Seasons: 'Seasons, points and ranks' },
  operations: [seasonList, runningSeason, seasonLeaderboard, getSeason],
  graphql: [() => import('./graphql.js')],
};
