import { type Pnl, type PnlSummary, pnlOf, pnlSummaryOf } from './pnl.js';
import type { Deps } from '../../deps.js';

/** Reads of PnL through the caches, which REST and GraphQL share. */
export const pnlCaches = {
  owner: (deps: Deps, wallet: string): Promise<Pnl> => deps.caches.ownerPnl.get(wallet, () => pnlOf(deps, wallet)),
  /** `load` reads a value that is not cached. A caller that reads many agents passes a loader that batches. */
  public: (deps: Deps, wallet: string, load = () => pnlSummaryOf(deps, wallet)): Promise<PnlSummary> =>
    deps.caches.publicPnl.get(wallet, load),
  /** Evicts the PnL of the wallets, so that the next read includes a trade that this process has recorded. */
  forget(deps: Deps, ...wallets: readonly string[]): void {
    for (const wallet of wallets) {
      deps.caches.ownerPnl.delete(wallet);
      deps.caches.publicPnl.delete(wallet);
    }
    // Invalidates cached answers too, because an answer that was cached after the commit may contain the old PnL.
    deps.writes.count++;
  },
};
