import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { Notification, type NotificationType } from '../../store/entities/Notification.js';

const KEPT_MS = 72 * 3_600_000;

export type Notice = {
  /** Whoever it is for. A wallet without an agent here gets none. */
  readonly recipient: string;
  readonly type: NotificationType;
  /** What it is about: within 72 hours, the recipient is told of it once. */
  readonly subject: string;
  readonly message: string;
  readonly data: Readonly<Record<string, string | number | null>>;
};

/**
 * Tells an agent of something, in the transaction in which it happens. The caller's locks keep two of the same subject
 * apart: those of the post, the follow, or the trade.
 */
export async function notify(tx: SqlEntityManager, notice: Notice, now: Date): Promise<void> {
  const { recipient, type, subject, message, data } = notice;
  // The lock makes a deletion of the recipient wait, or be seen here; the foreign key would fail the whole transaction.
  await tx.execute(
    `insert into notification (recipient, type, subject, message, data, created_at)
     select wallet, ?, ?, ?, ?::jsonb, ?::timestamptz from agent
     where wallet = ? and not exists (
       select from notification n
       where n.recipient = agent.wallet and n.type = ? and n.subject = ? and n.created_at > ?::timestamptz
     )
     for key share`,
    [type, subject, message, JSON.stringify(data), now, recipient, type, subject, keptSince(now)],
    'run',
  );
}

/** Takes back what was told of subjects that did not happen after all. */
export async function forget(tx: SqlEntityManager, subjects: readonly string[]): Promise<void> {
  if (subjects.length > 0) await tx.nativeDelete(Notification, { subject: { $in: [...subjects] } });
}

export type Notices = {
  readonly notifications: readonly {
    readonly id: number;
    readonly type: NotificationType;
    readonly message: string;
    readonly data: Readonly<Record<string, string | number | null>>;
    readonly read: boolean;
    readonly createdAt: Date;
  }[];
  readonly totalUnread: number;
};

/** The newest notifications of an agent, as they were before; those that are given count as read from now on. */
export async function fetchNotifications(deps: Deps, recipient: string, limit: number): Promise<Notices> {
  const now = deps.clock.now();
  return deps.em.fork().transactional(async (tx) => {
    await tx.nativeDelete(Notification, { recipient, createdAt: { $lte: keptSince(now) } });
    const totalUnread = await tx.count(Notification, { recipient, readAt: null });
    const rows = await tx.find(
      Notification,
      { recipient },
      { orderBy: { createdAt: 'desc', id: 'desc' }, limit, disableIdentityMap: true },
    );
    const unread = rows.filter(({ readAt }) => readAt === null).map(({ id }) => id);
    if (unread.length > 0) await tx.nativeUpdate(Notification, { id: { $in: unread } }, { readAt: now });
    const notifications = rows.map(({ id, type, message, data, readAt, createdAt }) => ({
      id,
      type,
      message,
      data,
      read: readAt !== null,
      createdAt,
    }));
    return { notifications, totalUnread };
  });
}

const keptSince = (now: Date): Date => new Date(now.getTime() - KEPT_MS);
