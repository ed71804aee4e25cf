import type { Feature } from '../feature.js';
import { markRead, notificationList } from './operations.js';

export const noticeFeature: Feature = {
  operations: [notificationList, markRead],
  graphql: () => import('./graphql.js'),
};
