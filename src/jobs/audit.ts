import { auditPage, repairIndex } from '../core/trading/commands/audit.js';
import type { IndexDeps } from '../core/trading/commands/cursor.js';
import type { Search } from '../core/trading/commands/repair-search.js';

/** Interval of the audit. Each run compares 1,000 markets. */
export const AUDIT_EVERY_MS = 5_000;
/** Maximum interval of the audit. The interval doubles while a difference has no cause that can be repaired. */
const MAX_AUDIT_MS = 3_600_000;

/** Compares the index with the contract's state page by page and repairs differences. A call before its time does nothing. */
export function periodicAudit(
  deps: IndexDeps,
  everyMs: number,
  search: Search,
): (indexed: number, term: AbortSignal) => Promise<void> {
  let pause = everyMs;
  let next = 0;
  let after = '';
  let auditedTo = -1;
  return async (indexed, term) => {
    // Skips the run before its time, and while no block is newer than the last complete audit.
    if (deps.times.now() < next || (after === '' && auditedTo === indexed)) return;
    next = deps.times.now() + pause;
    const page = await auditPage(deps, after);
    if (typeof page === 'string') return;
    const { differences, last } = page;
    if (differences.agents.length > 0 || differences.count) {
      const outcome = await repairIndex(deps, differences, search, term);
      if (outcome === 'nothing') {
        deps.log.warn({ differences }, 'the contract state differs from the index; no cause was found');
        deps.market.demoteUrl();
      }
      pause = outcome === 'nothing' ? Math.min(pause * 2, MAX_AUDIT_MS) : everyMs;
      next = deps.times.now() + (outcome === 'nothing' ? pause : 0);
      return;
    }
    pause = everyMs;
    after = last ?? '';
    if (last !== null) return;
    auditedTo = differences.block;
    search.to = undefined;
  };
}
