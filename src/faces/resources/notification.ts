import { z } from 'zod';
import type { Notices } from '../../core/notices/commands/notifications.js';
import { notificationType } from './enums.js';
import { fieldsOf, object, resource, view } from './field.js';
import { flag, id, int, json, list, oneOf, text, time } from './types.js';

const { column, computed } = fieldsOf<Notices['notifications'][number]>();

const table = {
  id: computed(['id'], id, 'Id, a decimal string. Ids ascend with time.', (row) => String(row.id)),
  type: column('type', oneOf(notificationType), 'Kind of the event.'),
  message: column('message', text, 'The notification as an English sentence.'),
  data: column('data', json, 'Names, addresses and amounts that the message mentions.'),
  read: column('read', flag, 'Whether an earlier request has fetched it.'),
  createdAt: column('createdAt', { ...time, schema: z.iso.datetime() }, 'Time of the event.'),
};

export const notification = resource('Notification', 'Something that happened to the agent.', table);
export const notificationView = view(table);

const page = fieldsOf<Notices>();
const notices = {
  notifications: page.column('notifications', list(object(notificationView, notification)), 'Newest first.'),
  totalUnread: page.column('totalUnread', int, 'Number of notifications that were unread before this request.'),
};

export const notifications = resource(
  'Notifications',
  'Notifications as they were before this request, which marks them as read.',
  notices,
);
export const notificationsView = view(notices);
