import type { Deps } from '../../deps.js';
import { column, type Keyed, type Page, type RowOf, rowsOf, selected } from '../../store/pages.js';
import type { NotificationType } from './entity.js';

const columns = {
  id: column<number>('id'),
  recipient: column<string>('recipient'),
  type: column<NotificationType>('type'),
  message: column<string>('message'),
  data: column<Readonly<Record<string, string | number | null>>>('data'),
  read: column<boolean>('read_at is not null'),
  createdAt: column<Date>('created_at'),
};
export type Notification = RowOf<typeof columns>;

const RETENTION_MS = 72 * 3_600_000;
/** Time up to which notifications are no longer shown, and are deleted. */
export const retentionStart = (now: Date): Date => new Date(now.getTime() - RETENTION_MS);

/** The notifications of an agent, newest first. Does not mark them as read. */
export function notifications(deps: Deps, recipient: string, page: Page): Promise<Keyed<Notification>[]> {
  const list = {
    columns,
    from: 'notification',
    where: 'recipient = $1 and created_at > $2',
    values: [recipient, retentionStart(deps.clock.now()).toISOString()],
    keys: [
      ['created_at', 'timestamptz'],
      ['id', 'int8'],
    ],
  } as const;
  return rowsOf(deps.sql, list, page);
}

/** The number of the notifications of an agent, and of those that are unread. */
export async function notificationTotals(deps: Deps, recipient: string): Promise<{ total: number; unread: number }> {
  const [row] = await deps.sql<{ total: number; unread: number }>(
    `select count(*) as total, count(*) filter (where read_at is null) as unread
     from notification where recipient = $1 and created_at > $2`,
    [recipient, retentionStart(deps.clock.now()).toISOString()],
  );
  return row ?? { total: 0, unread: 0 };
}

/** The notifications with the given ids that lists still have, by id. Does not mark them as read. */
export async function notificationsByIds(deps: Deps, ids: readonly string[]): Promise<Map<string, Notification>> {
  const rows = await deps.sql<Notification>(
    `select ${selected(columns)} from notification where id = any($1::bigint[]) and created_at > $2`,
    [ids, retentionStart(deps.clock.now()).toISOString()],
  );
  return new Map(rows.map((row) => [String(row.id), row]));
}
