import type { Chain, StateAt } from '../chain/chain.js';
import { AppError } from '../errors/errors.js';
import { sqlIn } from '../store/sql.js';
import type { IndexDeps } from './cursor.js';
import type { Repair } from './repair.js';

/** Number of markets in a page. Their wallets go into one eth_call. */
const PAGE_SIZE = 1000;
/** Interval of the audit. Each run compares one page of markets. */
export const AUDIT_EVERY_MS = 5_000;
/** Maximum interval of the audit. The interval doubles while a page differs from the contract and no cause is found. */
const MAX_AUDIT_MS = 3_600_000;

type Row = { block: number; hash: string; agents: number; wallet: string | null; supply: number; pending: bigint };

/** Result of comparing one page of markets with the contract. */
type AuditedPage = {
  readonly block: number;
  /** Agents whose supply or pending fees in the index differ from the contract. */
  readonly differing: readonly string[];
  /** True if the index has as many agents as the contract. */
  readonly hasAll: boolean;
  /** Last wallet of the page, after which the next page begins. null after the last page. */
  readonly last: string | null;
};

/**
 * Compares one page of markets with the contract's state at the cursor's block. `after` is the last wallet of the page before,
 * empty for the first page. null if a reorg occurred meanwhile, or if the RPC does not have the state.
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
  const state = await stateOrNull(deps.chain, block, wallets);
  if (state === null || (await deps.chain.hashes([block]))[0] !== first.hash) return null;
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
 * The contract's state, or null if the RPC does not have it. Some RPCs reject calls at a block behind their newest one with an
 * HTTP status, as if rate limited. If such an RPC still answers eth_blockNumber, the state counts as missing.
 */
async function stateOrNull(chain: Chain, block: number, wallets: readonly string[]): Promise<StateAt | null> {
  try {
    return await chain.stateAt(block, wallets);
  } catch (error) {
    if (!(error instanceof AppError)) return null;
    if (error.code !== 'CHAIN_UNAVAILABLE') throw error;
    await chain.blockNumber();
    return null;
  }
}

/** Compares the index with the contract's state page by page, and repairs the index at a difference. A pass covers all pages. */
export class Audit {
  #pause: number;
  /** Time of the next run, by the clock of `times`. */
  #next = 0;
  /** Last wallet that this pass has compared. Empty if the next run begins a pass. */
  #after = '';
  #term: AbortSignal | undefined;
  /** True if a page of this pass differs, and no cause was found. */
  #differs = false;
  /** Block of the cursor when this pass began. */
  #beganAt = -1;
  /** Block at which the last pass without a difference began. */
  #equalAt = -1;

  constructor(
    private readonly deps: IndexDeps,
    private readonly repair: Pick<Repair, 'run'>,
    private readonly everyMs: number,
  ) {
    this.#pause = everyMs;
  }

  /**
   * Compares the next page. Does nothing before the time of the next run. `indexed` is the block of the cursor. Returns true if the
   * indexer must continue without a pause: the index went back, or the repair is unfinished.
   */
  async run(indexed: number, term: AbortSignal): Promise<boolean> {
    const { log, chain, times } = this.deps;
    // Skips the run before its time, and if no block was indexed since the last pass without a difference began.
    if (times.now() < this.#next || (this.#after === '' && this.#equalAt === indexed)) return false;
    this.#next = times.now() + this.#pause;
    if (this.#after === '' || this.#term !== term) await this.#begin(indexed, term);
    const page = await auditPage(this.deps, this.#after);
    if (page === null) return false;
    const { block, differing, hasAll, last } = page;
    if (differing.length > 0 || !hasAll) {
      chain.demoteUrl();
      const outcome = await this.repair.run(term);
      if (term.aborted) return false;
      if (outcome !== 'nothing') {
        this.#next = 0;
        this.#after = '';
        return true;
      }
      log.warn({ block, differing, hasAll }, 'the contract state differs from the index; no cause was found');
      this.#differs = true;
      this.#pause = Math.min(this.#pause * 2, MAX_AUDIT_MS);
      this.#next = times.now() + this.#pause;
    }
    this.#after = last ?? '';
    if (last !== null || this.#differs || term.aborted) return false;
    this.#pause = this.everyMs;
    this.#equalAt = this.#beganAt;
    // `audit_from` is the block at which the pass began. A reorg or a repair during the pass lowers it, so that later blocks do not
    // count as proved.
    await this.#write('proved_to = audit_from');
    return false;
  }

  /** Begins a pass. The first run of a new term begins a pass, too: another leader may have overwritten `audit_from` meanwhile. */
  async #begin(indexed: number, term: AbortSignal): Promise<void> {
    this.#beganAt = indexed;
    this.#after = '';
    this.#term = term;
    this.#differs = false;
    await this.#write('audit_from = block_number');
  }

  #write(change: string): Promise<unknown> {
    return this.deps.write((tx) => sqlIn(tx)(`update indexer_cursor set ${change}`), { invalidates: false });
  }
}
