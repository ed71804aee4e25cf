import type { Feature } from '../feature.js';
import { keyReplacementEndpoint } from './operations.js';

export const keyFeature: Feature = {
  operations: ({ KEY_REPLACEMENT }) => (KEY_REPLACEMENT === 'on' ? [keyReplacementEndpoint] : []),
  graphql: () => import('./graphql.js'),
};
