import { z } from 'zod';
import { limit } from '../../server/fields.js';
import { pageSizes } from '../../server/page-sizes.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { fetchNotifications } from './notify.js';
import { notificationExample, notifications } from './resource.js';

export const notificationList = endpoint({
  method: 'GET',
  path: '/api/notifications',
  cache: 'never',
  tag: 'Notifications',
  summary: 'Notifications of the agent: trades in its tickets, followers, likes, reposts and new keys',
  description:
    'Newest first. The request marks the returned notifications as read; `read` shows the state before. Notifications ' +
    'are deleted after 72 hours. Within that time, a repeated act of the same agent gives no second notification.',
  auth: 'required',
  limit: [{ name: 'notifications', max: 30, seconds: 60, per: 'key' }],
  query: z.object({ limit: limit(pageSizes.notifications) }),
  output: notifications.schema,
  errors: [],
  example: { response: { notifications: [notificationExample], totalUnread: 1 } },
  async handle(deps, { actor, query }) {
    const page = { offset: 0, limit: query.limit };
    const notices = await fetchNotifications(deps, actor.wallet, { page, marked: query.limit });
    return notifications.format(notices);
  },
});
