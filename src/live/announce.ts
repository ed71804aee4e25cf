import type { SqlEntityManager } from '@mikro-orm/sql';
import { arraysOf, type Column, sqlIn, type Write } from '../store/sql.js';
import type { Clock } from '../values/time.js';
import { type LiveEvent, retentionStart } from './log.js';

// Live events are written in the transaction that causes them. The row of `live_cursor` orders them: the last statements of a
// transaction lock the row until the commit, so that sequence numbers follow the order of commits without gaps. No statement that
// may wait for another lock must follow, because all other writers of events wait meanwhile.

/** A live event before `announce` has given it a sequence. */
export type News = Pick<LiveEvent, 'topic' | 'subject' | 'agent'> & Partial<Pick<LiveEvent, 'removed' | 'supply'>>;

/** Writes the events with their sequences. Must be the last step of a transaction. The caller wakes `Live` after the commit. */
export async function announce(tx: SqlEntityManager, news: readonly News[], now: Date): Promise<void> {
  if (news.length === 0) return;
  // Pending writes of the entity manager may wait for locks, so they go first.
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

/** Locks live_cursor before the events are composed, for transactions whose events depend on earlier announcements. */
export async function lockLiveCursor(tx: SqlEntityManager): Promise<void> {
  await tx.flush();
  await sqlIn(tx)('insert into live_cursor (id, last) values (1, 0) on conflict (id) do update set last = live_cursor.last');
}

/** Events that retract the events of the last 24 hours about these subjects. Older events are not retracted. */
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

/** The newest event of the last 24 hours for each of these subjects and each topic, by ascending sequence. */
async function newestEvents(tx: SqlEntityManager, subjects: readonly (string | null)[], now: Date) {
  if (subjects.length === 0) return [];
  await lockLiveCursor(tx);
  return sqlIn(tx)<Pick<LiveEvent, 'topic' | 'subject' | 'agent' | 'removed'>>(
    `select topic, subject, agent, removed from (
       select distinct on (topic, subject) * from live_event
       where subject = any($1::varchar[]) and created_at > $2 order by topic, subject, sequence desc
     ) newest order by sequence`,
    [subjects, retentionStart(now)],
  );
}

/** Events that announce again what `retractions` has retracted in the last 24 hours. Older subjects are not announced. */
export async function restorations(tx: SqlEntityManager, subjects: readonly string[], now: Date): Promise<News[]> {
  const rows = await newestEvents(tx, subjects, now);
  return rows.filter(({ removed }) => removed).map((row) => ({ ...row, removed: false }));
}

/** Leaves out the events that were announced in the last 24 hours and not retracted since. */
export async function notYetAnnounced(tx: SqlEntityManager, news: readonly News[], now: Date): Promise<News[]> {
  const subjects = news.map(({ subject }) => subject);
  const rows = await newestEvents(tx, subjects, now);
  const announced = new Set(rows.filter(({ removed }) => !removed).map(({ topic, subject }) => `${topic} ${subject}`));
  return news.filter(({ topic, subject }) => !announced.has(`${topic} ${subject}`));
}

/** Live events that report the removal of a deleted agent's feed events and of its profile. */
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

/** Deletes events older than 24 hours. It deletes by sequence, so that different clocks of replicas leave no gaps. */
export async function sweepEvents(deps: { readonly write: Write; readonly clock: Clock }): Promise<void> {
  const values = [retentionStart(deps.clock.now())];
  await deps.write((tx) =>
    sqlIn(tx)('delete from live_event where sequence <= (select max(sequence) from live_event where created_at <= $1)', values),
  );
}
