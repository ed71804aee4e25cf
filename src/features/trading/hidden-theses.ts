import type { SqlEntityManager } from '@mikro-orm/sql';
import { sqlIn } from '../../store/sql.js';

/** Hides the theses of all trades of an agent, or shows them again. The trades are chain facts and stay. */
export async function setThesesHidden(tx: SqlEntityManager, wallet: string, hidden: boolean): Promise<void> {
  await sqlIn(tx)('update trade_claim set hidden = $2 where claimant = $1 and hidden <> $2', [wallet, hidden]);
}
