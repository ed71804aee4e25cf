import type { Market } from '../chain/market.js';
import { AppError } from '../errors.js';
import { sqlIn } from '../store/sql.js';
import type { IndexDeps } from './cursor.js';
import { repairIndex } from './repair.js';

/** Maximum number of wallets per eth_call. */
const PAGE_SIZE = 1000;
/** Interval of the audit. Each run compares one page of markets. */
export const AUDIT_EVERY_MS = 5_000;
/** Maximum interval of the audit. The interval doubles while a difference has no cause that can be repaired. */
const MAX_AUDIT_MS = 3_600_000;

type Row = { block: number; hash: string; agents: number; wallet: string | null; supply: number; pending: bigint };

/** One page of markets, compared with the contract. */
type AuditedPage = {
  readonly block: number;
  /** Agents whose supply or pending fees in the index differ from the contract. */
  readonly differing: readonly string[];
  /** True if the index has as many agents as the contract. */
  readonly hasAll: boolean;
  /** Cursor of the next page. null after the last page. */
  readonly last: string | null;
};

/**
 * Compares one page of markets with the contract's state at the cursor's block. null if a reorg occurred meanwhile, or if the
 * RPC does not have the state.
 */
export async function auditPage(deps: IndexDeps, after: string): Promise<AuditedPage | null> {
  const rows = await deps.sql<Row>(
    `select c.block_number as block, b.hash, (select count(*)::int from market) as agents, m.wallet, m.supply,
       m.fees_earned - coalesce((select sum(amount) from fee_withdrawal f where f.agent = m.wallet), 0) as pending
     from indexer_cursor c join chain_block b on b.number = c.block_number
     left join lateral (
       select wallet, supply, fees_earned from market where wallet > $1 order by wallet limit ${PAGE_SIZE}
     ) m on true`,
    [after],
  );
  const [first] = rows;
  if (first === undefined) return null;
  const { block } = first;
  const markets = rows.filter((row): row is Row & { wallet: string } => row.wallet !== null);
  const wallets = markets.map(({ wallet }) => wallet);
  const state = await stateOrNull(deps.market, block, wallets);
  if (state === null || (await deps.market.hashes([block]))[0] !== first.hash) return null;
  const differs = ({ supply, pending }: Row, i: number) =>
    state.states[i]?.supply !== supply || state.states[i].pendingFees !== pending;
  return {
    block,
    differing: markets.filter(differs).map(({ wallet }) => wallet),
    hasAll: state.agentCount === first.agents,
    last: markets.length < PAGE_SIZE ? null : (wallets.at(-1) ?? null),
  };
}

/**
 * The contract's state, or null if the RPC does not have it. Some RPCs reject calls at past blocks with an HTTP status, as
 * if rate limited. If such an RPC still answers eth_blockNumber, the state counts as missing.
 */
async function stateOrNull(
  market: Market,
  block: number,
  wallets: readonly string[],
): Promise<Awaited<ReturnType<Market['stateAt']>> | null> {
  try {
    return await market.stateAt(block, wallets);
  } catch (error) {
    if (!(error instanceof AppError)) return null;
    if (error.code !== 'CHAIN_UNAVAILABLE') throw error;
    await market.blockNumber();
    return null;
  }
}

/** Compares the index with the contract's state page by page, and repairs the index at a difference. */
export class Audit {
  #pause: number;
  #next = 0;
  #after = '';
  /** Block at which the last whole audit ended. */
  #endedAt = -1;

  constructor(
    private readonly deps: IndexDeps,
    private readonly everyMs: number,
  ) {
    this.#pause = everyMs;
  }

  /**
   * Compares the next page. A call before its time does nothing. Returns true if the index went back, so that its cursor is
   * no longer `indexed`.
   */
  async run(indexed: number, term: AbortSignal): Promise<boolean> {
    const { log, times } = this.deps;
    // Skips the run while no block is newer than the last whole audit.
    if (times.now() < this.#next || (this.#after === '' && this.#endedAt === indexed)) return false;
    this.#next = times.now() + this.#pause;
    if (this.#after === '') await this.#write('audit_from = block_number');
    const page = await auditPage(this.deps, this.#after);
    if (page === null) return false;
    const { differing, hasAll, block, last } = page;
    if (differing.length > 0 || !hasAll) {
      this.deps.market.demoteUrl();
      const isRepaired = await repairIndex(this.deps, term);
      if (term.aborted) return false;
      if (!isRepaired)
        log.warn({ block, differing, hasAll }, 'the contract state differs from the index; no cause was found');
      this.#pause = isRepaired ? this.everyMs : Math.min(this.#pause * 2, MAX_AUDIT_MS);
      this.#next = isRepaired ? 0 : times.now() + this.#pause;
      this.#after = '';
      return isRepaired;
    }
    this.#pause = this.everyMs;
    this.#after = last ?? '';
    if (last !== null || term.aborted) return false;
    this.#endedAt = block;
    // A reorg during the audit has lowered audit_from.
    await this.#write('proved_to = audit_from');
    return false;
  }

  #write(change: string): Promise<unknown> {
    return this.deps.write((tx) => sqlIn(tx)(`update indexer_cursor set ${change}`), { invalidates: false });
  }
}
