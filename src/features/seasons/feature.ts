import type { Feature } from '../feature.js';
import { getSeason, runningSeason, seasonLeaderboard, seasonList } from './operations.js';

export const seasonFeature: Feature = {
  operations: [seasonList, runningSeason, seasonLeaderboard, getSeason],
  graphql: () => import('./graphql.js'),
};
