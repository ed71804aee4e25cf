import type { Deps } from '../../../deps.js';
import { JOB, withTimeouts } from '../../../store/connections/timeouts.js';
import { type Sql, sqlIn } from '../../../store/sql.js';
import { hasBegun, hasEnded, type Span } from '../rules.js';

/** Dependencies of the season commands. Scoring and freezing also need the chain. */
export type SeasonDeps = Pick<Deps, 'config' | 'log' | 'clock' | 'write' | 'sql'>;

export type SeasonRow = Span & {
  readonly number: number;
  readonly scoredAt: Date | null;
  readonly frozenAt: Date | null;
};

/** A season as the commands return it. */
export type SeasonState = Span & { readonly number: number; readonly isActive: boolean; readonly isFrozen: boolean };

const ATTEMPTS = 5;
/** SQLSTATEs of serialization failure and deadlock: the transaction can be retried. */
const AGAIN = ['40001', '40P01'];

/**
 * Runs work on the seasons exclusively and on one snapshot. It locks the table before the snapshot is taken, since LOCK
 * itself takes none: after a wait the snapshot contains the changes of the previous holder. Reads are not blocked.
 */
export async function withSeasonLock<T>(deps: SeasonDeps, work: (sql: Sql) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withTimeouts(JOB, () =>
        deps.write(async (tx) => {
          const sql = sqlIn(tx);
          await sql('set transaction isolation level repeatable read');
          await sql('lock table season in share row exclusive mode');
          return await work(sql);
        }),
      );
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (attempt === ATTEMPTS || !AGAIN.includes(code)) throw error;
    }
  }
}

type Time = string | Date;
type Row = {
  readonly number: number | string;
  readonly start_at: Time;
  readonly end_at: Time;
  readonly scored_at: Time | null;
  readonly frozen_at: Time | null;
};

/** All seasons, oldest first. There are few. */
export async function readSeasons(sql: Sql): Promise<SeasonRow[]> {
  const rows = await sql<Row>('select number, start_at, end_at, scored_at, frozen_at from season order by number');
  return rows.map((row) => ({
    number: Number(row.number),
    startAt: new Date(row.start_at),
    endAt: new Date(row.end_at),
    scoredAt: row.scored_at === null ? null : new Date(row.scored_at),
    frozenAt: row.frozen_at === null ? null : new Date(row.frozen_at),
  }));
}

export async function insertSeason(sql: Sql, number: number, { startAt, endAt }: Span): Promise<void> {
  await sql('insert into season (number, start_at, end_at) values ($1, $2, $3)', [
    number,
    startAt.toISOString(),
    endAt.toISOString(),
  ]);
}

export const stateOf = (season: Span & { readonly number: number }, now: Date, isFrozen = false): SeasonState => ({
  number: season.number,
  startAt: season.startAt,
  endAt: season.endAt,
  isActive: hasBegun(season, now) && !hasEnded(season, now),
  isFrozen,
});
