import { type Pnl, type PnlSummary, pnlOf, pnlSummaryOf } from '../core/trading/queries/pnl.js';
import type { Deps } from '../deps.js';
import { answerCache } from './answer-cache.js';

const forOwner = answerCache<Pnl>(10_000);
const forPublic = answerCache<PnlSummary>(30_000);

/** PnL for both faces: ten seconds old at most for the owner, thirty for the public. */
export const pnlCaches = {
  owner: (deps: Deps, wallet: string): Promise<Pnl> => forOwner.get(deps, wallet, () => pnlOf(deps, wallet)),
  /** `load`: how one that is not known is read, where many are read together. */
  public: (deps: Deps, wallet: string, load = () => pnlSummaryOf(deps, wallet)): Promise<PnlSummary> =>
    forPublic.get(deps, wallet, load),
  /** A trade that was recorded here is seen by the next read: also where one that came just before it still had the old. */
  forget(deps: Deps, ...wallets: readonly string[]): void {
    for (const wallet of wallets) {
      forOwner.forget(deps, wallet);
      forPublic.forget(deps, wallet);
    }
    deps.changes.note();
  },
};
