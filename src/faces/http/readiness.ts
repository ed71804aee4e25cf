import { stateOfParts } from '../../core/desk/queries/health.js';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';

type State = Awaited<ReturnType<typeof stateOfParts>>;

/** /ready and /metrics share one check of the database and the RPC per second. */
export const stateNow = (deps: Deps): Promise<State> => deps.caches.readiness.get('', () => stateOfParts(deps));

/** State of the database, chain and limits. Throws NOT_READY if a required part is unavailable. */
export async function readiness(deps: Deps): Promise<State> {
  const state = await stateNow(deps);
  if (!state.ready) throw new AppError('NOT_READY', {}, { details: state });
  return state;
}
