import type { Deps } from '../../deps.js';
import { overdueMs, type Progress } from './rules.js';

/** Time for which the scoring or freezing of a season has been due, in seconds. 0 if nothing is due. */
export async function scoringOverdue(deps: Pick<Deps, 'sql' | 'clock'>): Promise<number> {
  const now = deps.clock.now();
  const seasons = await deps.sql<Progress>(
    `select start_at as "startAt", end_at as "endAt", scored_at as "scoredAt"
     from season where frozen_at is null and start_at <= $1`,
    [now],
  );
  return Math.max(0, ...seasons.map((season) => overdueMs(season, now))) / 1000;
}
