import type { Feature } from '../feature.js';
import { markRead, notificationList } from './operations.js';

export const noticeFeature: Feature = {
  tags: { Notifications: 'Events that concern an agent' },
  operations: [notificationList, markRead],
  graphql: [() => import('./graphql.js')],
};
