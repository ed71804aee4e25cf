import type { Feature } from '../feature.js';
import { agentDetail, getAgent, holdings } from './agent-operations.js';
import { agentList, leaderboard, search, trending } from './operations.js';

export const marketFeature: Feature = {
  operations: [agentList, leaderboard, search, trending, agentDetail, getAgent, holdings],
  graphql: () => import('./graphql.js'),
};
