import type { Feature } from '../feature.js';
import { followLists, toggleFollow } from './operations.js';

export const followFeature: Feature = {
  operations: [toggleFollow, ...followLists],
  graphql: [() => import('./graphql.js')],
};
