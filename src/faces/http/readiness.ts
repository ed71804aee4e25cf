import { stateNow } from '../../core/desk/queries/health.js';
import type { Deps, State } from '../../deps.js';
import { AppError, type ErrorCode } from '../../errors.js';
import { outsideRequest, scopeOfRequest } from '../../outage.js';

/** State of the database, chain and limits. Throws NOT_READY if a required part is unavailable. */
export async function readiness(deps: Deps): Promise<State> {
  const state = await stateNow(deps);
  if (!state.ready) throw new AppError('NOT_READY', {}, { details: state });
  return state;
}

/** Failures of a request because a part is away. */
const AWAY: readonly ErrorCode[] = ['DATABASE_UNAVAILABLE', 'OUTCOME_UNKNOWN', 'CHAIN_UNAVAILABLE'];

/** Looks at the parts after a request that failed because one is away, so that the log says so soon. */
export function noticeOutage(deps: Deps): void {
  const failures = scopeOfRequest()?.failures;
  if (AWAY.some((code) => failures?.has(code))) void outsideRequest(() => stateNow(deps));
}
