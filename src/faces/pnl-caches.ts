import { type Pnl, type PnlSummary, pnlOf, pnlSummaryOf } from '../core/trading/queries/pnl.js';
import type { Deps } from '../deps.js';

/** Cached PnL, shared by REST and GraphQL. */
export const pnlCaches = {
  owner: (deps: Deps, wallet: string): Promise<Pnl> => deps.caches.ownerPnl.get(wallet, () => pnlOf(deps, wallet)),
  /** `load` reads a missing value; a caller that needs many passes a loader that batches. */
  public: (deps: Deps, wallet: string, load = () => pnlSummaryOf(deps, wallet)): Promise<PnlSummary> =>
    deps.caches.publicPnl.get(wallet, load),
  /** The next read includes a trade that was recorded here. */
  forget(deps: Deps, ...wallets: readonly string[]): void {
    for (const wallet of wallets) {
      deps.caches.ownerPnl.delete(wallet);
      deps.caches.publicPnl.delete(wallet);
    }
    // An answer between the commit and this moment may contain the old PnL.
    deps.writes.count++;
  },
};
