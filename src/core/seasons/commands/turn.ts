import type { Deps } from '../../../deps.js';
import { JOB, withTimeouts } from '../../../store/connections/timeouts.js';
import { type Sql, sqlIn } from '../../../store/sql.js';
import { hasBegun, hasEnded, type Span } from '../rules.js';

/** What the lifecycle of seasons needs; scoring and freezing also ask the chain. */
export type SeasonDeps = Pick<Deps, 'config' | 'log' | 'clock' | 'em' | 'sql'>;

export type SeasonRow = Span & {
  readonly number: number;
  readonly scoredAt: Date | null;
  readonly frozenAt: Date | null;
};

/** A season as commands answer it. */
export type SeasonState = Span & { readonly number: number; readonly isActive: boolean; readonly isFrozen: boolean };

const ATTEMPTS = 5;
/** Serialization failure and deadlock: somebody else's transaction came first, and this one may be run again. */
const AGAIN = ['40001', '40P01'];

/**
 * Does something with the seasons while nobody else does, on one snapshot of everything. The lock is the table's: unlike
 * a query, LOCK takes no snapshot, so that one that has waited sees what the other has done. Reads pass it.
 */
export async function withSeasonLock<T>(deps: SeasonDeps, work: (sql: Sql) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withTimeouts(JOB, () =>
        deps.em.fork().transactional(async (tx) => {
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

/** All seasons, oldest first: they are few. */
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
