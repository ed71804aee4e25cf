import type { Deps, State } from '../../deps.js';
import { AppError } from '../../errors.js';
import { stateNow } from './state.js';

/** State of the database, chain and limits. Throws NOT_READY if a required part is unavailable. */
export async function readiness(deps: Deps): Promise<State> {
  const state = await stateNow(deps);
  if (!state.ready) throw new AppError('NOT_READY', {}, { details: state });
  return state;
}
