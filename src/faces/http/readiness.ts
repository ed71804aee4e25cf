import { stateOfParts } from '../../core/desk/queries/health.js';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { answerCache } from '../answer-cache.js';

type State = Awaited<ReturnType<typeof stateOfParts>>;

/** Callers of /ready and /metrics share one look at the database and the RPC in a second. */
const states = answerCache<State>(1000);

export const stateNow = (deps: Deps): Promise<State> => states.get(deps, 'state', () => stateOfParts(deps));

/** The state of what the service needs; NOT_READY if it lacks something. */
export async function readiness(deps: Deps): Promise<State> {
  const state = await stateNow(deps);
  if (!state.ready) throw new AppError('NOT_READY', {}, { details: state });
  return state;
}
