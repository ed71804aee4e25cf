import type { Feature } from '../feature.js';
import { registrationEndpoint, remove } from './operations.js';

export const registrationFeature: Feature = {
  operations: [registrationEndpoint, remove],
  graphql: () => import('./graphql.js'),
};
