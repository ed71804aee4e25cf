import { stateOfParts } from '../../core/desk/queries/health.js';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';

type State = Awaited<ReturnType<typeof stateOfParts>>;

/** Callers of /ready and /metrics share one check of the database and the RPC. */
export const stateNow = (deps: Deps): Promise<State> => deps.caches.readiness.get('', () => stateOfParts(deps));

/** The state of what the service needs; NOT_READY if it lacks something. */
export async function readiness(deps: Deps): Promise<State> {
  const state = await stateNow(deps);
  if (!state.ready) throw new AppError('NOT_READY', {}, { details: state });
  return state;
}
