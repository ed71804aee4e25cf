import { z } from 'zod';
import { fetchNotifications, type Notices } from '../../../core/notices/commands/notifications.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';
import { limit } from '../fields.js';

export const notification = z.object({
  id: z.string(),
  type: z.enum(['TICKET_BOUGHT', 'TICKET_SOLD', 'NEW_FOLLOWER', 'POST_LIKED', 'POST_REPOSTED']),
  message: z.string(),
  data: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
  read: z.boolean(),
  createdAt: z.iso.datetime(),
});

export const formatNotification = ({ id, createdAt, ...notice }: Notices['notifications'][number]) => ({
  id: String(id),
  ...notice,
  createdAt: createdAt.toISOString(),
});

const list = endpoint({
  method: 'GET',
  path: '/api/notifications',
  cache: 'never',
  tag: 'Notifications',
  summary: 'What happened to the agent: trades in its tickets, followers, likes and reposts',
  description:
    'Newest first, as they were before this request: what it answers counts as read afterwards. A notification is kept ' +
    'for 72 hours, and one act is told once in that time.',
  auth: 'required',
  limit: [{ name: 'notifications', max: 30, seconds: 60, per: 'key' }],
  query: z.object({ limit: limit(50, 100) }),
  output: z.object({
    notifications: z.array(notification),
    totalUnread: z.int(),
  }),
  errors: [],
  example: { response: { notifications: [example.notification], totalUnread: 1 } },
  async handle(deps, { actor, query }) {
    const { notifications, totalUnread } = await fetchNotifications(deps, actor.wallet, query.limit);
    return { notifications: notifications.map(formatNotification), totalUnread };
  },
});

export const notifications = [list];
