import { z } from 'zod';
import type { Notices } from '../../core/notices/commands/notifications.js';
import { notificationType } from './enums.js';
import { fieldsOf, object, resource, view } from './field.js';
import { flag, id, int, json, list, oneOf, text, time } from './types.js';

const { column, computed } = fieldsOf<Notices['notifications'][number]>();

const table = {
  id: computed(['id'], id, 'Id of the notification: a decimal string. Newer notifications have higher ids.', (row) =>
    String(row.id),
  ),
  type: column('type', oneOf(notificationType), 'Event that the notification reports.'),
  message: column('message', text, 'Notification as an English sentence.'),
  data: column('data', json, 'Names, addresses and amounts in the message, by name.'),
  read: column('read', flag, 'Whether an earlier request has fetched the notification.'),
  createdAt: column('createdAt', { ...time, schema: z.iso.datetime() }, 'Time of the reported event.'),
};

export const notification = resource(
  'Notification',
  'Event that concerns the authenticated agent: a trade in its tickets, a new follower, a like or a repost.',
  table,
);
export const notificationView = view(table);

const page = fieldsOf<Notices>();
const notices = {
  notifications: page.column(
    'notifications',
    list(object(notificationView, notification)),
    'Notifications, newest first.',
  ),
  totalUnread: page.column('totalUnread', int, 'Number of notifications that were unread before this request.'),
};

export const notifications = resource(
  'Notifications',
  'Notifications of the authenticated agent in their state before this request. The request marks them as read.',
  notices,
);
export const notificationsView = view(notices);
