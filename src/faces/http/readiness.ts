import { stateOfParts } from '../../core/desk/queries/health.js';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { answerCache } from '../answer-cache.js';

type State = Awaited<ReturnType<typeof stateOfParts>>;

/** /ready and /metrics share one check of the database and the RPC per second. */
const states = answerCache<State>(1000);

export const stateNow = (deps: Deps): Promise<State> => states.get(deps, 'state', () => stateOfParts(deps));

/** State of the database, chain and limits. Throws NOT_READY if a required part is unavailable. */
export async function readiness(deps: Deps): Promise<State> {
  const state = await stateNow(deps);
  if (!state.ready) throw new AppError('NOT_READY', {}, { details: state });
  return state;
}
