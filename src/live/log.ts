import type { Sql } from '../store/sql.js';
import type { Clock } from '../values/time.js';
import type { LiveTopic } from './entities.js';

export type { LiveTopic } from './entities.js';

/** Dependencies of the functions that read the log of live events. */
type Reading = { readonly sql: Sql; readonly clock: Clock };

const RETENTION_MS = 24 * 3_600_000;
/** Time before which live events are deleted. */
export const retentionStart = (now: Date): string => new Date(now.getTime() - RETENTION_MS).toISOString();

export type LiveEvent = {
  readonly sequence: number;
  readonly topic: LiveTopic;
  /** True if the event reports that an earlier event was retracted, or that its subject was deleted. */
  readonly removed: boolean;
  /** Id of the feed event or of the notification. null for the topics `price` and `profile`. */
  readonly subject: string | null;
  readonly agent: string;
  readonly supply: number | null;
};

/** Sequence numbers of the stored events: from `forgotten` (exclusive) to `last`. Events up to `forgotten` may be deleted. */
export async function liveBounds(deps: Reading): Promise<{ forgotten: number; last: number }> {
  const [row] = await deps.sql<{ forgotten: number; last: number }>(
    `select last, coalesce(
       (select sequence - 1 from live_event where created_at > $1 order by sequence limit 1), last) as forgotten
     from live_cursor`,
    [retentionStart(deps.clock.now())],
  );
  return row ?? { forgotten: 0, last: 0 };
}

/**
 * Age from which an event is shown by every answer that is read now: answers are cached for at most 1 s, and a read replica lags by
 * at most 1 s. The rest is for different clocks of replicas, and for events that were written long before their commit.
 */
export const SETTLED_MS = 20_000;

/** Sequence up to which every list that is read now shows the events. A list may lack later events. */
export async function settledSequence(deps: Reading): Promise<number> {
  const { forgotten } = await liveBounds(deps);
  const [newest] = await deps.sql<{ sequence: number }>(
    'select sequence from live_event where created_at <= $1 order by sequence desc limit 1',
    [new Date(deps.clock.now().getTime() - SETTLED_MS).toISOString()],
  );
  return Math.max(forgotten, newest?.sequence ?? 0);
}

const COLUMNS = 'sequence, topic, removed, subject, agent, supply';

export async function liveEvents(deps: Pick<Reading, 'sql'>, after: number, limit: number): Promise<LiveEvent[]> {
  return deps.sql<LiveEvent>(`select ${COLUMNS} from live_event where sequence > $1 order by sequence limit $2`, [after, limit]);
}
