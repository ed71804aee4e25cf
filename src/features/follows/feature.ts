import type { Feature } from '../feature.js';
import { follows, toggleFollow } from './operations.js';

export const followFeature: Feature = {
  operations: [toggleFollow, ...follows],
  graphql: [() => import('./graphql.js')],
};
