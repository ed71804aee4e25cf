import { setTimeout as delay } from 'node:timers/promises';
import type { Heads } from '../chain/heads.js';
import { RangeSize } from '../chain/logs/range-size.js';
import type { ChainRange } from '../chain/logs/ranges.js';
import { heal } from '../core/trading/commands/audit.js';
import { type Healed, Search } from '../core/trading/commands/compare.js';
import { type IndexDeps, pruneHashes, readCursor, setFault } from '../core/trading/commands/cursor.js';
import { applyRange } from '../core/trading/commands/ingest.js';
import { reconcile } from '../core/trading/commands/reorganise.js';
import { InconsistentHistory } from '../core/trading/rules.js';
import { AppError } from '../errors.js';
import { outageOf } from '../outage.js';
import { INDEX, REQUEST, withLimits } from '../store/connections/time-limits.js';
import type { Leadership } from '../store/leader.js';
import { type Audit, startAudit } from './audit.js';
import { follow } from './follow.js';
import { cut, NoLongerLeads, untilStopped } from './until-stopped.js';

export type Indexer = { stop(): Promise<void> };
export type IndexerOptions = {
  readonly leadership: Leadership;
  readonly pollMs: number;
  /** How often the index is compared with the contract's own state. @default 5 seconds */
  readonly auditMs?: number;
  /** When an index that has stopped is tried again. @default 60 seconds */
  readonly retryStoppedMs?: number;
  /** Calls back for each new block, where the RPC announces them. */
  readonly watch?: (onHead: () => void) => Heads;
};

/** A replica that does not lead, and an index that has stopped, look again this often. */
const IDLE_MS = 2000;
const PRUNE_EVERY_MS = 60_000;
/** A node that is behind the index is waited for; a chain that stays shorter for so long is one. */
const SHORTER_MS = 60_000;
/** Facts that contradict the index may be an RPC's slip; so many times in a row, from every URL, they are not. */
const CONTRADICTIONS = 5;
/** The pause between them doubles from a second up to this: what a provider does wrong often passes. */
const LONGEST_PAUSE_MS = 4000;
const ROUNDS = 2;
/** An index that has stopped is tried again: what contradicted it may have been every RPC's fault for a while. */
const RETRY_STOPPED_MS = 60_000;
/** While new blocks are announced, it polls so much more rarely: for a connection that has died without a word. */
const ANNOUNCED = 5;
/** However fast blocks come, it looks no more often than in this part of the time between two polls. */
const FASTEST = 10;
/** So many are applied in a moment: a connection that takes longer is dead. */
const FEW_FACTS = 500;
/** Of several nodes behind one URL one may lag for a moment, which is no outage. */
const OUTAGES = 2;

/** Syncs the index with the chain, on one replica at a time, until it is stopped. */
export function startIndexer(deps: IndexDeps, options: IndexerOptions): Indexer {
  const loop = new IndexLoop(deps, options);
  const ended = loop.run();
  return {
    async stop() {
      loop.stop();
      await ended;
      await options.leadership.close();
    },
  };
}

class IndexLoop {
  readonly #stopping = new AbortController();
  readonly #signal = this.#stopping.signal;
  readonly #deps: IndexDeps;
  readonly #audit: Audit;
  readonly #search = new Search();
  readonly #size = new RangeSize();
  #outages = 0;
  #prunedAt = 0;
  #contradictions = 0;
  #shorterSince: number | undefined;
  #stoppedAt: number | undefined;
  /** Up to this block, ranges are read by receipts. */
  #thoroughTo = -1;
  /** Aborted when this replica no longer leads. */
  #term = this.#signal;
  #heads: Heads | undefined;
  #pausing = new AbortController();

  constructor(
    deps: IndexDeps,
    private readonly options: IndexerOptions,
  ) {
    this.#deps = { ...deps, market: untilStopped(deps.market, this.#signal) };
    this.#audit = startAudit(this.#deps, this.#search, options.auditMs);
  }

  stop(): void {
    this.#stopping.abort();
    this.#pausing.abort();
  }

  async run(): Promise<void> {
    const { pollMs } = this.options;
    const signal = this.#signal;
    while (!signal.aborted) {
      // A block that is announced from here on cuts the pause short.
      this.#pausing = new AbortController();
      const pause = await this.#try();
      // The delays reject when they are cut short.
      await delay(pollMs / FASTEST, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await delay(pause, undefined, { signal: this.#pausing.signal }).catch(() => {});
    }
    this.#heads?.close();
  }

  /** One turn. Returns the pause after it. */
  async #try(): Promise<number> {
    const { log } = this.#deps;
    try {
      const pause = await this.#turn();
      if (this.#outages >= OUTAGES) log.info('the chain is back: indexing goes on');
      this.#outages = 0;
      if (pause > 0) this.#contradictions = 0;
      return pause;
    } catch (error) {
      const pause = Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** Math.max(0, this.#contradictions - 1));
      // What fails here, like the search for the cause of a contradiction, is begun again with the next try.
      await this.#failed(error).catch((reason: unknown) => log.error({ err: reason }, 'the index could not be mended'));
      return Math.max(this.options.pollMs, pause);
    }
  }

  /** The leader stops when its session is lost, also in the middle of a statement that nobody answers. */
  async #turn(): Promise<number> {
    const { leadership } = this.options;
    if (!(await cut(leadership.lead(), this.#signal))) return this.#idle();
    const term = leadership.term ?? this.#signal;
    this.#term = term;
    return cut(
      withLimits(INDEX, () => this.#sync(term)),
      term,
    );
  }

  async #sync(term: AbortSignal): Promise<number> {
    const deps = this.#deps;
    const { pollMs, watch } = this.options;
    this.#heads ??= watch?.(() => this.#pausing.abort());
    const newest = await deps.market.blockNumber();
    await this.#reconcile(newest);
    const { blockNumber, fault } = await readCursor(deps);
    if (fault !== null) return this.#retryStopped();
    const head = newest - deps.config.confirmations;
    const to = await this.#follow(blockNumber, head, term);
    if (to < head) return 0;
    await this.#audit(blockNumber, term);
    if (Date.now() - this.#prunedAt > PRUNE_EVERY_MS) {
      this.#prunedAt = Date.now();
      await pruneHashes(deps, await deps.market.finalized());
    }
    return this.#heads?.live() ? pollMs * ANNOUNCED : pollMs;
  }

  async #reconcile(newest: number): Promise<void> {
    const deps = this.#deps;
    const behind = newest < (await readCursor(deps)).blockNumber;
    // Another URL may be further: a chain is shorter only if none is.
    if (behind) deps.market.distrust();
    this.#shorterSince = behind ? (this.#shorterSince ?? Date.now()) : undefined;
    const isShorter = this.#shorterSince !== undefined && Date.now() - this.#shorterSince > SHORTER_MS;
    await reconcile(deps, isShorter ? 'gone' : undefined);
  }

  /** Applies the blocks after the cursor. Returns the block up to which it reads: after a contradiction, not the head. */
  async #follow(cursor: number, head: number, term: AbortSignal): Promise<number> {
    const thorough = cursor < this.#thoroughTo;
    const to = thorough ? Math.min(head, this.#thoroughTo) : head;
    const apply = async (range: ChainRange) => {
      const limits = range.facts.length > FEW_FACTS ? INDEX : REQUEST;
      return !term.aborted && withLimits(limits, () => applyRange(this.#deps, range));
    };
    if (cursor < to) {
      await follow(this.#deps.market, cursor + 1, to, thorough ? new RangeSize(true) : this.#size, apply);
    }
    return to;
  }

  async #retryStopped(): Promise<number> {
    this.#stoppedAt ??= Date.now();
    if (Date.now() - this.#stoppedAt < (this.options.retryStoppedMs ?? RETRY_STOPPED_MS)) return this.#idle();
    this.#stoppedAt = undefined;
    // One try: the next contradiction stops it again.
    this.#contradictions = this.#tries() - 1;
    await setFault(this.#deps, null);
    return 0;
  }

  /** Nobody listens for blocks that are not to be read. */
  #idle(): number {
    this.#heads?.close();
    this.#heads = undefined;
    return IDLE_MS;
  }

  #tries(): number {
    return Math.max(CONTRADICTIONS, ROUNDS * this.#deps.market.urls);
  }

  /** An outage is logged once; anything else each time, since it should not happen. */
  async #failed(error: unknown): Promise<void> {
    if (this.#signal.aborted) return;
    const { log } = this.#deps;
    const unreachable = error instanceof AppError && error.code === 'CHAIN_UNAVAILABLE';
    if (error instanceof NoLongerLeads || outageOf(error))
      log.warn({ err: error }, 'indexing was interrupted; trying again');
    else if (!unreachable) log.error({ err: error }, 'indexing failed; trying again');
    else if (++this.#outages === OUTAGES) log.warn({ err: error }, 'the chain is out of reach: indexing waits');
    if (error instanceof InconsistentHistory) await this.#contradicted(error);
  }

  /** Either the index lacks something, which is repaired, or the range does, which is read again from another URL. */
  async #contradicted(error: InconsistentHistory): Promise<void> {
    this.#deps.market.distrust();
    let healed: Healed = 'nothing';
    try {
      healed = await this.#heal(error);
    } finally {
      // While the search goes on, a repair is possible. A search that fails counts like one in vain.
      if (healed !== 'unfinished' && ++this.#contradictions >= this.#tries()) await this.#stopIndex(error);
    }
  }

  async #heal(error: InconsistentHistory): Promise<Healed> {
    if (error.place === undefined) return 'nothing';
    this.#thoroughTo = Math.max(this.#thoroughTo, error.place.blockNumber);
    const { blockNumber } = await readCursor(this.#deps);
    const term = this.#term;
    const healing = withLimits(INDEX, () => heal(this.#deps, error, this.#search, term));
    const healed = await cut(healing, term);
    if (healed === 'healed') this.#thoroughTo = Math.max(this.#thoroughTo, blockNumber);
    return healed;
  }

  async #stopIndex(error: InconsistentHistory): Promise<void> {
    const { config, log } = this.#deps;
    const { START_BLOCK } = config;
    const from =
      START_BLOCK === undefined ? '' : ` from a START_BLOCK (now ${START_BLOCK}) before the contract's block`;
    const why = `the chain contradicts what is indexed (${error.message}); run npm run reindex${from}`;
    log.fatal(why);
    await setFault(this.#deps, why).catch(() => {});
  }
}
