import { TIMES } from '../../src/config/timeouts.js';
import { type Deps, systemClock } from '../../src/deps.js';
import { openDatabase } from '../../src/service/orm.js';
import { FEES } from '../dataset/facts.js';
import { scoringDeps } from '../dataset/fill.js';

/**
 * Dependencies of the service's code that a benchmark calls directly, without HTTP. They use a benchmark database and a chain that
 * answers immediately.
 */
export async function openDeps(url: string): Promise<{ readonly deps: Deps; stop(): Promise<void> }> {
  const orm = await openDatabase({ url }, { times: TIMES });
  const { chain: stub, ...rest } = await scoringDeps(orm, systemClock);
  const chain = {
    ...stub,
    feeSplit: async () => FEES,
    states: async (wallets: readonly string[]) => wallets.map(() => ({ supply: 1, pendingFees: 0n })),
  };
  return { deps: { ...rest, chain }, stop: () => orm.close(true) };
}
