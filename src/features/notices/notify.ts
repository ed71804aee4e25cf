import type { FilterObject } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { announce, type News } from '../../live/announce.js';
import { column, type Page, type RowOf, rowsOf, selected } from '../../store/pages.js';
import { sqlIn } from '../../store/sql.js';
import type { UseCase } from '../../use-case.js';
import { Notification, type NotificationType } from './entity.js';

export type Notice = {
  /** Wallet of the recipient. Nothing is stored if the wallet has no profile at this service. */
  readonly recipient: string;
  readonly type: NotificationType;
  /** The wallet that acted. */
  readonly actor: string;
  /** Deduplication key: a recipient gets one notification per type and subject in 72 hours. */
  readonly subject: string;
  readonly message: string;
  readonly data: Readonly<Record<string, string | number | null>>;
};

/** Stores and announces a notification. Must be last in the transaction. */
export async function notify(tx: SqlEntityManager, notice: Notice, now: Date): Promise<void> {
  await announce(tx, await storeNotices(tx, [notice], now), now);
}

/**
 * Stores notifications and returns the live events for them. The caller must hold a lock on the post, the follow or the
 * trade, so that two transactions do not store the same notification.
 */
export async function storeNotices(tx: SqlEntityManager, notices: readonly Notice[], now: Date): Promise<News[]> {
  if (notices.length === 0) return [];
  // The row lock blocks a concurrent deletion of the recipient, which would violate the foreign key.
  const rows = await sqlIn(tx)<{ id: number; recipient: string }>(
    `insert into notification (recipient, type, actor, subject, message, data, created_at)
     select agent.wallet, given.type, given.actor, given.subject, given.message, given.data, $1::timestamptz
     from rows from (jsonb_to_recordset($3::jsonb)
         as (recipient text, type text, actor text, subject text, message text, data jsonb))
       with ordinality as given (recipient, type, actor, subject, message, data, place)
     join agent on agent.wallet = given.recipient
     where not exists (
       select from notification n
       where n.recipient = agent.wallet and n.type = given.type and n.subject = given.subject
         and n.created_at > $2::timestamptz
     )
     order by agent.wallet, given.place for key share of agent
     returning id, recipient`,
    [now.toISOString(), retentionStart(now).toISOString(), JSON.stringify(notices)],
  );
  return rows.map(({ id, recipient }) => ({ topic: 'notification', subject: String(id), agent: recipient }));
}

/** Deletes the notifications of retracted subjects. Returns their ids. */
export const deleteNotices = async (tx: SqlEntityManager, subjects: readonly string[]): Promise<string[]> =>
  subjects.length === 0 ? [] : deleteWhere(tx, 'subject = any($1::varchar[])', [subjects]);

/** Deletes the notifications that an agent caused, when the agent is deleted. Returns their ids. */
export const deleteNoticesAbout = (tx: SqlEntityManager, actor: string): Promise<string[]> =>
  deleteWhere(tx, 'actor = $1', [actor]);

/** Deletes the notifications of a recipient about likes and reposts of posts that are being hidden. Returns their ids. */
export const deleteNoticesOnPosts = (
  tx: SqlEntityManager,
  recipient: string,
  posts: readonly string[],
): Promise<string[]> =>
  deleteWhere(
    tx,
    `recipient = $1 and type in ('POST_LIKED', 'POST_REPOSTED') and data ->> 'postId' = any($2::text[])`,
    [recipient, posts],
  );

/** Locks in the order of ids, like a recipient that reads its notifications. */
async function deleteWhere(tx: SqlEntityManager, condition: string, values: readonly unknown[]): Promise<string[]> {
  const rows = await sqlIn(tx)<{ id: number }>(
    `delete from notification where id in (select id from notification where ${condition} order by id for update)
     returning id`,
    values,
  );
  return rows.map(({ id }) => String(id));
}

const columns = {
  id: column<number>('id'),
  recipient: column<string>('recipient'),
  type: column<NotificationType>('type'),
  message: column<string>('message'),
  data: column<Readonly<Record<string, string | number | null>>>('data'),
  read: column<boolean>('read_at is not null'),
  createdAt: column<Date>('created_at'),
};
type NotificationRow = RowOf<typeof columns>;

const RETENTION_MS = 72 * 3_600_000;
/** Time up to which notifications are no longer shown, and are deleted. */
export const retentionStart = (now: Date): Date => new Date(now.getTime() - RETENTION_MS);

/** The notifications with the given ids that lists still have, by id. Does not mark them as read. */
export async function notificationsByIds(deps: Deps, ids: readonly string[]): Promise<Map<string, NotificationRow>> {
  const rows = await deps.sql<NotificationRow>(
    `select ${selected(columns)} from notification where id = any($1::bigint[]) and created_at > $2`,
    [ids, retentionStart(deps.clock.now()).toISOString()],
  );
  return new Map(rows.map((row) => [String(row.id), row]));
}

export type Notices = Awaited<ReturnType<typeof fetchNotifications>>;

/**
 * A page of the notifications of an agent, newest first, and the number of all and of the unread ones, in their state before
 * this call marks the first `marked` of the page as read.
 */
export async function fetchNotifications(
  deps: Deps,
  recipient: string,
  { page, marked }: { readonly page: Page; readonly marked: number },
) {
  const where = 'recipient = $1 and created_at > $2';
  const values = [recipient, retentionStart(deps.clock.now()).toISOString()];
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
  // The change is not counted as a write: only the recipient reads its notifications.
  if (unread.length > 0) {
    await deps.write((tx) => mark(tx, { id: { $in: unread } }, deps.clock.now()), { invalidates: false });
  }
  return { notifications: found, ...(totals ?? { total: 0, totalUnread: 0 }) };
}

type Marked = { readonly upTo?: number | undefined };

/** Marks the notifications of an agent as read: all, or those up to an id. */
export const markNotificationsRead: UseCase<'required', Marked, Marked, true> = {
  prepare: (_ctx, input) => input,
  async effect(tx, { upTo }, { deps, actor }) {
    const newest = upTo === undefined ? {} : { id: { $lte: upTo } };
    await mark(tx, { recipient: actor.wallet, ...newest }, deps.clock.now());
    return true;
  },
  invalidates: false,
};

const mark = (tx: SqlEntityManager, which: FilterObject<Notification>, readAt: Date): Promise<number> =>
  tx.nativeUpdate(Notification, { ...which, readAt: null }, { readAt });

/** Deletes old notifications. */
export async function sweepNotices(deps: Pick<Deps, 'write' | 'clock'>): Promise<void> {
  const outdated = { createdAt: { $lte: retentionStart(deps.clock.now()) } };
  await deps.write((tx) => tx.nativeDelete(Notification, outdated), { invalidates: false });
}
