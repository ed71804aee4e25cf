import type { Feature } from '../feature.js';
import { contract } from './operations.js';

export const pricingFeature: Feature = {
  operations: [contract],
  graphql: () => import('./graphql.js'),
};
