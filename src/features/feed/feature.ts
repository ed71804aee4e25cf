import type { Feature } from '../feature.js';
import { feed, getFeed, like, post, reactTool, repost } from './operations.js';

export const feedFeature: Feature = {
  tags: { Feed: 'Events and posts' },
  operations: [feed, getFeed, post, like, repost, reactTool],
  graphql: [() => import('./graphql.js')],
};
