import { z } from 'zod';
import { limit, type PageSize } from '../../server/inputs.js';
import { operation, unrouted } from '../../server/operation.js';
import { fetchNotifications, markNotificationsRead } from './notifications.js';
import { notificationExample, notifications } from './resource.js';

export const notificationPage: PageSize = { fallback: 50, max: 100 };

export const notificationList = operation({
  rest: 'GET /api/notifications',
  tag: 'Notifications',
  summary: 'Notifications: trades in your tickets, followers, likes, reposts and new keys',
  description:
    'Newest first. The request marks the returned notifications as read; `read` shows the state before. Notifications ' +
    'are deleted after 72 hours. Within that time, a repeated act of the same agent gives no second notification.',
  auth: 'required',
  limit: [{ name: 'notifications', max: 30, seconds: 60, per: 'key' }],
  input: z.object({ limit: limit(notificationPage) }),
  output: notifications.schema,
  samples: {
    client: 'curvet.me.notifications().take(20)',
    graphql: '{ notifications(first: 20) { totalUnread nodes { type message } } }',
  },
  example: { response: { notifications: [notificationExample], totalUnread: 1 } },
  async handle({ deps, actor }, { limit }) {
    return fetchNotifications(deps, actor.wallet, { page: { offset: 0, limit }, marked: limit });
  },
});

/** The number in the id of a notification. GraphQL shows the id with a prefix, such as `Notification:42`, and REST without it. */
const notificationId = z
  .string()
  .regex(/^(?:Notification:)?\d{1,15}$/)
  .transform((id) => Number(id.replace('Notification:', '')))
  .meta({
    expected: 'the id of a notification',
    description: 'id of the newest notification to mark. Default: all notifications.',
    graphql: { of: 'ID' },
  });

/** Marks notifications as read. It has no endpoint, because over REST, reading notifications marks them as read. */
export const markRead = unrouted({
  auth: 'required',
  limit: 'global',
  input: z.object({ upTo: notificationId.optional() }),
  output: z.object({}),
  ...markNotificationsRead,
});
