import { Args, ArgsType, Ctx, Field, Int, Query, Resolver } from 'type-graphql';
import { type GraphContext, requireActor } from '../../server/graphql/context.js';
import { connection, connectionType, type PageArgs, pageArgs, pageOf } from '../../server/graphql/types/connection.js';
import { type NodeReader, nodesOf } from '../../server/graphql/types/nodes.js';
import { nodeOf, objectType, registerEnum, Uncacheable } from '../../server/graphql/types/object-types.js';
import { fetchNotifications, notificationsByIds } from './notifications.js';
import { notificationPage } from './operations.js';
import { notification, notifications, notificationType } from './resource.js';

registerEnum(notificationType);
const Notification = objectType(notification);
export const Notifications = objectType(notifications);

const notificationReader: NodeReader = {
  what: 'a notification',
  form: /^Notification:(\d{1,15})$/,
  async read({ deps, actor }, ids) {
    const own = [...(await notificationsByIds(deps, ids))].filter(([, { recipient }]) => recipient === actor?.wallet);
    return nodesOf(own, nodeOf(Notification));
  },
};

export const NotificationConnection = connectionType('Notification', () => Notification, 'notifications');
for (const [name, type, options] of [
  ['totalUnread', () => Int, { description: 'Number of unread notifications on all pages, before this request.' }],
  ['notifications', () => [Notification], { description: 'Same as nodes.', deprecationReason: 'Select nodes.' }],
] as const) {
  Field(type, options)(NotificationConnection.prototype, name);
}

export const NotificationPageArgs = pageArgs(notificationPage);

@ArgsType()
class NotificationArgs extends NotificationPageArgs {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Whether the query marks the notifications of the page as read.',
  })
  markRead!: boolean;
}

/** A page of the notifications of a wallet, as a connection. With `markRead`, they are marked as read after the read. */
export async function readNotifications({ deps }: GraphContext, wallet: string, args: PageArgs, markRead = false) {
  const page = pageOf(args, notificationPage.max);
  const marked = markRead ? page.size : 0;
  const { notifications, total, totalUnread } = await fetchNotifications(deps, wallet, { page, marked });
  const list = connection(notifications, page, nodeOf(Notification), () => total);
  return Object.assign(list, { totalUnread, notifications: () => list.nodes });
}

@Resolver()
class NotificationQueries {
  @Uncacheable
  @Query(() => NotificationConnection, {
    name: 'notifications',
    nullable: true,
    description: 'Notifications of the authenticated agent, newest first, in their state before this request. Requires an API key.',
  })
  ownNotifications(
    @Args(() => NotificationArgs) { markRead, ...args }: NotificationArgs,
    @Ctx() context: GraphContext,
  ): Promise<object> {
    return readNotifications(context, requireActor(context).wallet, args, markRead);
  }
}

export const resolvers = [NotificationQueries];
export const readers = [notificationReader];
