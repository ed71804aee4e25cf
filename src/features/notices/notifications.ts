import type { FilterObject } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { type NotificationType, shownSince } from '../../live/notices.js';
import { type ColumnsOf, type Keyed, type Page, rowsOf, selected } from '../../store/pages.js';
import type { UseCase } from '../../use-case.js';
import { Notification } from './entity.js';

export type NotificationRow = {
  readonly id: number;
  readonly recipient: string;
  readonly type: NotificationType;
  readonly message: string;
  readonly data: Readonly<Record<string, string | number | null>>;
  readonly read: boolean;
  readonly createdAt: Date;
};

const columns: ColumnsOf<NotificationRow> = {
  id: 'id',
  recipient: 'recipient',
  type: 'type',
  message: 'message',
  data: 'data',
  read: 'read_at is not null',
  createdAt: 'created_at',
};

/** Reads notifications by their ids, except those that are so old that lists no longer show them. Does not mark them as read. */
export async function notificationsByIds(deps: Deps, ids: readonly string[]): Promise<Map<string, NotificationRow>> {
  const rows = await deps.sql<NotificationRow>(
    `select ${selected(columns)} from notification where id = any($1::bigint[]) and created_at > $2`,
    [ids, shownSince(deps.clock.now()).toISOString()],
  );
  return new Map(rows.map((row) => [String(row.id), row]));
}

export type Notices = {
  readonly notifications: Keyed<NotificationRow>[];
  readonly total: number;
  readonly totalUnread: number;
};

/**
 * A page of the notifications of an agent, newest first, with the numbers of all and of unread notifications. All of this is the
 * state before this call, which then marks the first `marked` notifications of the page as read.
 */
export async function fetchNotifications(
  deps: Deps,
  recipient: string,
  { page, marked }: { readonly page: Page; readonly marked: number },
): Promise<Notices> {
  const where = 'recipient = $1 and created_at > $2';
  const values = [recipient, shownSince(deps.clock.now()).toISOString()];
  const keys = [
    ['created_at', 'timestamptz'],
    ['id', 'int8'],
  ] as const;
  const [found, [totals]] = await Promise.all([
    rowsOf<NotificationRow>(deps.sql, { columns, from: 'notification', where, values, keys }, page),
    deps.sql<{ total: number; totalUnread: number }>(
      `select count(*) as total, count(*) filter (where read_at is null) as "totalUnread" from notification where ${where}`,
      values,
    ),
  ]);
  const unread = found.slice(0, marked).flatMap(({ id, read }) => (read ? [] : [id]));
  // Only the recipient reads its notifications, so this write makes no cached value stale (`invalidates`).
  if (unread.length > 0) {
    await deps.write((tx) => mark(tx, { id: { $in: unread } }, deps.clock.now()), { invalidates: false });
  }
  return { notifications: found, ...(totals ?? { total: 0, totalUnread: 0 }) };
}

type Marked = { readonly upTo?: number | undefined };

/** Marks the notifications of an agent as read: all, or those up to an id. Returns an empty object. */
export const markNotificationsRead: UseCase<'required', Marked, Marked, Record<string, never>> = {
  prepare: (_ctx, input) => input,
  async effect(tx, { upTo }, { deps, actor }) {
    const newest = upTo === undefined ? {} : { id: { $lte: upTo } };
    await mark(tx, { recipient: actor.wallet, ...newest }, deps.clock.now());
    return {};
  },
  invalidates: false,
};

const mark = (tx: SqlEntityManager, which: FilterObject<Notification>, readAt: Date): Promise<number> =>
  tx.nativeUpdate(Notification, { ...which, readAt: null }, { readAt });

/** Deletes the notifications that are so old that lists no longer show them. */
export async function sweepNotices(deps: Pick<Deps, 'write' | 'clock'>): Promise<void> {
  const outdated = { createdAt: { $lte: shownSince(deps.clock.now()) } };
  await deps.write((tx) => tx.nativeDelete(Notification, outdated), { invalidates: false });
}
