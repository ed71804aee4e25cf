import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { AppError } from '../../../errors.js';
import type { Me } from '../../../features/me/me.js';
import { fetchNotifications, markNotificationsRead } from '../../../features/notices/notify.js';
import { pageSizes } from '../../../server/page-sizes.js';
import { type GraphContext, requireActor } from '../engine/context.js';
import { connection, connectionType, type PageArgs, pageArgs, pageOf } from '../types/connection.js';
import { type Node, nodeOf } from '../types/generate.js';
import { nullable } from '../types/given.js';
import { types } from '../types/objects.js';
import { Uncacheable } from '../types/uncacheable.js';
import { ownNode } from './me.js';
import { executeWrite } from './writes.js';

const NotificationConnection = connectionType('Notification', () => types.Notification, 'notifications');
for (const [name, type, options] of [
  ['totalUnread', () => Int, { description: 'Number of unread notifications on all pages, before this request.' }],
  ['notifications', () => [types.Notification], { description: 'Same as nodes.', deprecationReason: 'Select nodes.' }],
] as const) {
  Field(type as never, options)(NotificationConnection.prototype, name);
}

const NotificationPageArgs = pageArgs(pageSizes.notifications);

@ArgsType()
class NotificationArgs extends NotificationPageArgs {
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Whether the query marks the notifications of the page as read.',
  })
  markRead!: boolean;
}

async function readNotifications({ deps }: GraphContext, wallet: string, args: PageArgs, markRead = false) {
  const page = pageOf(args, pageSizes.notifications.max);
  const marked = markRead ? page.size : 0;
  const { notifications, total, totalUnread } = await fetchNotifications(deps, wallet, { page, marked });
  const list = connection(notifications, page, nodeOf(types.Notification), () => total);
  return Object.assign(list, { totalUnread, notifications: () => list.nodes });
}

/** The number in an id of a notification, as GraphQL or REST shows it. */
function numberOf(id: string): number {
  const [, digits] = /^(?:Notification:)?(\d{1,15})$/.exec(id) ?? [];
  if (digits === undefined)
    throw new AppError('INVALID_FIELD', { field: 'upTo', expected: 'the id of a notification' });
  return Number(digits);
}

@Resolver(() => types.Me)
export class NotificationResolver {
  @Uncacheable
  @FieldResolver(() => NotificationConnection, { description: 'Notifications of the agent, newest first.' })
  notifications(
    @Root() { row }: Node<Me>,
    @Args(() => NotificationPageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<object> {
    return readNotifications(context, row.profile.wallet, args);
  }

  @Uncacheable
  @Query(() => NotificationConnection, {
    name: 'notifications',
    nullable: true,
    description:
      'Notifications of the authenticated agent, newest first, in their state before this request. Requires an API key.',
  })
  ownNotifications(
    @Args(() => NotificationArgs) { markRead, ...args }: NotificationArgs,
    @Ctx() context: GraphContext,
  ): Promise<object> {
    return readNotifications(context, requireActor(context).wallet, args, markRead);
  }

  @Mutation(() => types.Me, {
    nullable: true,
    description: 'Marks notifications of the authenticated agent as read. Requires an API key.',
  })
  async markNotificationsRead(
    @Arg('upTo', () => ID, nullable('id of the newest notification to mark. Default: all notifications.'))
    upTo: string | undefined,
    @Ctx() context: GraphContext,
  ): Promise<Node | null> {
    const actor = requireActor(context);
    await executeWrite(context, [], async (deps) => {
      await markNotificationsRead(deps, actor.wallet, upTo == null ? undefined : numberOf(upTo));
      return true;
    });
    return ownNode(context);
  }
}
