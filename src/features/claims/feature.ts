import type { Feature } from '../feature.js';
import { claimDeletion, claimLookup, verification } from './operations.js';

export const claimFeature: Feature = {
  operations: [verification, claimLookup, claimDeletion],
  graphql: () => import('./graphql.js'),
};
