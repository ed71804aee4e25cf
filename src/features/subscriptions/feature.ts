import type { Feature } from '../feature.js';

export const subscriptionFeature: Feature = { graphql: [() => import('./graphql.js')] };
