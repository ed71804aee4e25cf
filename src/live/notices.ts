import type { SqlEntityManager } from '@mikro-orm/sql';
import { sqlIn } from '../store/sql.js';
import { formatEth } from '../values/money.js';
import { type Trade, tradeKey } from '../values/trade.js';
import { announce, type News } from './announce.js';

export const notificationTypes = [
  'TICKET_BOUGHT',
  'TICKET_SOLD',
  'NEW_FOLLOWER',
  'POST_LIKED',
  'POST_REPOSTED',
  'KEY_REPLACED',
  'MODERATED',
] as const;
export type NotificationType = (typeof notificationTypes)[number];

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

/** Stores and announces a notification. Must be the last step of the transaction, because `announce` must. */
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
    [now.toISOString(), shownSince(now).toISOString(), JSON.stringify(notices)],
  );
  return rows.map(({ id, recipient }) => ({ topic: 'notification', subject: String(id), agent: recipient }));
}

/** Deletes the notifications about retracted subjects. Returns the ids of the notifications. */
export const deleteNotices = async (tx: SqlEntityManager, subjects: readonly string[]): Promise<string[]> =>
  subjects.length === 0 ? [] : deleteWhere(tx, 'subject = any($1::varchar[])', [subjects]);

/** Deletes the notifications that an agent caused, when the agent is deleted. Returns the ids of the notifications. */
export const deleteNoticesAbout = (tx: SqlEntityManager, actor: string): Promise<string[]> =>
  deleteWhere(tx, 'actor = $1', [actor]);

/**
 * Deletes a recipient's notifications about likes and reposts of posts that are being hidden. Returns the ids of the notifications.
 */
export const deleteNoticesOnPosts = (tx: SqlEntityManager, recipient: string, posts: readonly string[]): Promise<string[]> =>
  deleteWhere(tx, `recipient = $1 and type in ('POST_LIKED', 'POST_REPOSTED') and data ->> 'postId' = any($2::text[])`, [
    recipient,
    posts,
  ]);

/** Locks in the order of ids, like a recipient that reads its notifications, so that the two do not deadlock. */
async function deleteWhere(tx: SqlEntityManager, condition: string, values: readonly unknown[]): Promise<string[]> {
  const rows = await sqlIn(tx)<{ id: number }>(
    `delete from notification where id in (select id from notification where ${condition} order by id for update)
     returning id`,
    values,
  );
  return rows.map(({ id }) => String(id));
}

const RETENTION_MS = 72 * 3_600_000;
/** Notifications that were created at this time or before are no longer shown, and are deleted. */
export const shownSince = (now: Date): Date => new Date(now.getTime() - RETENTION_MS);

/**
 * The notice for an agent whose tickets another wallet traded. `type` is the type of the trade in answers, such as AGENT_BUY.
 * `traderName` is null if the trader has no profile.
 */
export function tradeNotice(
  { kind, agent, trader, amount, price, txHash, ordinal }: Trade & { readonly txHash: string; readonly ordinal: number },
  type: string,
  traderName: string | null,
): Notice {
  const bought = kind === 'bought';
  const tickets = `${amount} ticket${amount === 1 ? '' : 's'}`;
  return {
    recipient: agent,
    type: bought ? 'TICKET_BOUGHT' : 'TICKET_SOLD',
    actor: trader,
    subject: tradeKey(txHash, ordinal),
    message: `${traderName ?? trader} ${bought ? 'bought' : 'sold'} ${tickets} of yours for ${formatEth(price)} ETH`,
    data: { trader, traderName, type, amount, price: String(price), txHash },
  };
}
