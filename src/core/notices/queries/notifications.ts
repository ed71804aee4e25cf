import type { Deps } from '../../../deps.js';
import type { NotificationType } from '../../../store/entities/notification.js';

export type Notification = {
  readonly id: number;
  readonly recipient: string;
  readonly type: NotificationType;
  readonly message: string;
  readonly data: Readonly<Record<string, string | number | null>>;
  readonly read: boolean;
  readonly createdAt: Date;
};

/** The notifications with the given ids that still exist, by id. Does not mark them as read. */
export async function notificationsByIds(deps: Deps, ids: readonly string[]): Promise<Map<string, Notification>> {
  const rows = await deps.sql<Notification>(
    `select id, recipient, type, message, data, read_at is not null as read, created_at as "createdAt"
     from notification where id = any($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map((row) => [String(row.id), row]));
}
