import type { Deps } from '../../deps.js';
import { JOB, withTimeouts } from '../../store/connections/timeouts.js';
import { type Sql, sqlIn } from '../../store/sql.js';
import type { Span } from './rules.js';

/** Dependencies of the use cases of seasons. Scoring and freezing also need the chain. */
export type SeasonDeps = Pick<Deps, 'config' | 'log' | 'clock' | 'write' | 'sql'>;

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

export async function insertSeason(sql: Sql, number: number, { startAt, endAt }: Span): Promise<void> {
  await sql('insert into season (number, start_at, end_at) values ($1, $2, $3)', [
    number,
    startAt.toISOString(),
    endAt.toISOString(),
  ]);
}
