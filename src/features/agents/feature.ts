import type { Feature } from '../feature.js';
import { availability, change, status } from './operations.js';

export const agentFeature: Feature = {
  operations: [availability, status, change],
  graphql: () => import('./graphql.js'),
};
