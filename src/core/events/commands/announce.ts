import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../../deps.js';
import type { LiveTopic } from '../../../store/entities/live-event.js';
import { arraysOf, type Column, sqlIn } from '../../../store/sql.js';
import { retentionStart } from '../queries/live-events.js';

// Live events are written in the transaction in which they happen. The cursor's row is what puts them in order: it is
// locked by the last statements of the transaction and held until its end, so that numbers are given in the order of
// the commits, and a transaction that fails leaves no gap. Nothing that could wait for another may follow.

export type News = {
  readonly topic: LiveTopic;
  /** It did not happen after all, or is no longer there. */
  readonly removed?: boolean;
  /** The id of the feed's event, or of the notification. */
  readonly subject: string | null;
  readonly agent: string;
  readonly supply?: number | null;
};

/** Gives the news their numbers. The last that a transaction does; whoever calls wakes the subscribers after its end. */
export async function announce(tx: SqlEntityManager, news: readonly News[], now: Date): Promise<void> {
  if (news.length === 0) return;
  // What the entity manager has yet to write may wait for others.
  await tx.flush();
  const columns: Record<string, Column> = {
    topic: ['text', news.map(({ topic }) => topic)],
    removed: ['boolean', news.map(({ removed }) => String(removed === true))],
    subject: ['varchar', news.map(({ subject }) => subject)],
    agent: ['varchar', news.map(({ agent }) => agent)],
    supply: ['bigint', news.map(({ supply }) => supply ?? null)],
  };
  await sqlIn(tx)(
    `with moved as (
       insert into live_cursor (id, last) values (1, $1)
       on conflict (id) do update set last = live_cursor.last + excluded.last returning last
     )
     insert into live_event (sequence, topic, removed, subject, agent, supply, created_at)
     select moved.last - $1 + given.place, given.topic, given.removed::boolean, given.subject, given.agent,
       given.supply::bigint, $2::timestamptz
     from moved, unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
       with ordinality as given (topic, removed, subject, agent, supply, place)`,
    [news.length, now.toISOString(), ...arraysOf(columns)],
  );
}

/** Waits for those whose news come before, for a transaction whose own news depend on what they have done. */
export async function lockLiveCursor(tx: SqlEntityManager): Promise<void> {
  await tx.flush();
  await sqlIn(tx)(
    'insert into live_cursor (id, last) values (1, 0) on conflict (id) do update set last = live_cursor.last',
  );
}

/** What was told of these in the last day, as news that it is no longer so. Nobody was told of what is older. */
export async function retractions(tx: SqlEntityManager, subjects: readonly string[], now: Date): Promise<News[]> {
  if (subjects.length === 0) return [];
  await lockLiveCursor(tx);
  const rows = await sqlIn(tx)<Pick<News, 'topic' | 'subject' | 'agent'>>(
    `select topic, subject, agent from live_event
     where subject = any($1::varchar[]) and not removed and created_at > $2
     group by topic, subject, agent order by min(sequence)`,
    [subjects, retentionStart(now)],
  );
  return rows.map((row) => ({ ...row, removed: true }));
}

/** Of some news those that subscribers have not been told, or were told of and then that they are not so. */
export async function notYetAnnounced(tx: SqlEntityManager, news: readonly News[], now: Date): Promise<News[]> {
  if (news.length === 0) return [];
  await lockLiveCursor(tx);
  const rows = await sqlIn(tx)<{ topic: string; subject: string; removed: boolean }>(
    `select distinct on (topic, subject) topic, subject, removed from live_event
     where subject = any($1::varchar[]) and created_at > $2 order by topic, subject, sequence desc`,
    [news.map(({ subject }) => subject), retentionStart(now)],
  );
  const announced = new Set(rows.filter(({ removed }) => !removed).map(({ topic, subject }) => `${topic} ${subject}`));
  return news.filter(({ topic, subject }) => !announced.has(`${topic} ${subject}`));
}

/** The same of all that stood in the feed of an agent whose profile is gone, and that its key is gone. */
export async function profileRemovals(tx: SqlEntityManager, agent: string, now: Date): Promise<News[]> {
  await lockLiveCursor(tx);
  const rows = await sqlIn(tx)<{ subject: string }>(
    `select subject from live_event
     where agent = $1 and topic in ('registration', 'trade', 'post') and not removed and created_at > $2
     group by subject order by min(sequence)`,
    [agent, retentionStart(now)],
  );
  const removals: News[] = rows.map(({ subject }) => ({ topic: 'feed', subject, agent, removed: true }));
  return [...removals, { topic: 'profile', subject: null, agent, removed: true }];
}

/** Forgets what is older than a day. What is kept has no gaps, whatever the clocks of the replicas say. */
export async function sweepEvents(deps: Pick<Deps, 'sql' | 'clock'>): Promise<void> {
  await deps.sql(
    'delete from live_event where sequence <= (select max(sequence) from live_event where created_at <= $1)',
    [retentionStart(deps.clock.now())],
  );
}
