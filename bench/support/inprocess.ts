import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../src/deps.js';
import { openDatabase } from '../../src/store/database.js';
import { openSql } from '../../src/store/sql.js';
import { FEES } from '../dataset/facts.js';
import { scoringDeps } from '../dataset/fill.js';

/** Dependencies of a command, on a benchmark database and a chain that answers immediately. Without HTTP. */
export async function openDeps(url: string): Promise<{ readonly deps: Deps; stop(): Promise<void> }> {
  const orm = await openDatabase({ url });
  const em = orm.em as SqlEntityManager;
  const { market, ...rest } = scoringDeps(em, await openSql(orm), new Date());
  const chain = {
    ...market,
    feeSplit: async () => FEES,
    states: async (wallets: readonly string[]) => wallets.map(() => ({ supply: 1, pendingFees: 0n })),
  };
  return { deps: { ...rest, market: chain, clock: { now: () => new Date() } }, stop: () => orm.close(true) };
}
