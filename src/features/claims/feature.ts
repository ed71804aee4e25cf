import type { Feature } from '../feature.js';
import { claimDeletion, claimLookup, verification } from './operations.js';

export const claimFeature: Feature = {
  tags: { Verification: 'Claims: proof that an agent belongs to an account on X' },
  operations: [verification, claimLookup, claimDeletion],
  graphql: [() => import('./graphql.js')],
};
