import type { Feature } from '../feature.js';
import { agentDetail, getAgent, holdings } from './agent-operations.js';
import { agentList, leaderboard, search, trending } from './operations.js';

export const marketFeature: Feature = {
  operations: [search, getAgent, agentList, leaderboard, trending, agentDetail, holdings],
  graphql: () => import('./graphql.js'),
};
