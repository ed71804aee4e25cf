import { auditPage, heal } from '../core/trading/commands/audit.js';
import type { Search } from '../core/trading/commands/compare.js';
import type { IndexDeps } from '../core/trading/commands/cursor.js';

/** How often the index is compared with the contract's own state, 1,000 markets at a time. */
const AUDIT_EVERY_MS = 5_000;
/** After comparisons that found a difference but no cause the pause doubles, up to this. */
const LONGEST_AUDIT_MS = 3_600_000;

export type Audit = (indexed: number, ends: AbortSignal) => Promise<void>;

/** Compares the index with the contract's own state at intervals, page by page, and repairs what it lacks. */
export function startAudit(deps: IndexDeps, search: Search, everyMs = AUDIT_EVERY_MS): Audit {
  let pause = everyMs;
  let next = 0;
  let after = '';
  let whole = -1;
  return async (indexed, ends) => {
    // Nothing has changed since every market was compared.
    if (Date.now() < next || (after === '' && whole === indexed)) return;
    next = Date.now() + pause;
    const page = await auditPage(deps, after);
    if (typeof page === 'string') return;
    const { doubts, last } = page;
    if (doubts.agents.length > 0 || doubts.count) {
      const healed = await heal(deps, doubts, search, ends);
      if (healed === 'nothing') {
        deps.log.warn({ doubts }, 'the contract says something else than the index; no cause was found');
        deps.market.distrust();
      }
      pause = healed === 'nothing' ? Math.min(pause * 2, LONGEST_AUDIT_MS) : everyMs;
      next = Date.now() + (healed === 'nothing' ? pause : 0);
      return;
    }
    pause = everyMs;
    after = last ?? '';
    if (last !== null) return;
    whole = doubts.block;
    search.to = undefined;
  };
}
