import type { Chain } from '../chain/chain.js';
import type { Heads } from '../chain/heads.js';
import { RangeSize } from '../chain/logs/range-size.js';
import type { ChainRange } from '../chain/logs/ranges.js';
import { AppError } from '../errors/errors.js';
import { outageOf } from '../observe/database-errors.js';
import { INDEX, REQUEST, withTimeouts } from '../store/connections/timeouts.js';
import type { Leadership } from '../store/leader.js';
import { pause } from '../tasks.js';
import { AUDIT_EVERY_MS, Audit } from './audit.js';
import { type IndexDeps, pruneHashes, readCursor, setFault } from './cursor.js';
import { applyRange } from './ingest.js';
import { reconcile } from './reorg.js';
import { Repair, type RepairOutcome } from './repair.js';
import { InconsistentHistory } from './rules.js';
import { syncRanges } from './sync.js';

export type IndexerOptions = {
  readonly leadership: Leadership;
  readonly pollMs: number;
  /** Interval of the audit, which compares the index with the contract's state. @default 5 seconds */
  readonly auditMs?: number;
  /** Subscribes to new blocks. Absent if the RPC does not announce them: then the indexer only polls. */
  readonly watch?: (onHead: () => void) => Heads;
};

/** Poll interval of a replica that does not lead, and of a stopped index. */
const IDLE_MS = 2000;
const PRUNE_EVERY_MS = 60_000;
/** The indexer waits this long for a node that is behind the index. Then the shorter chain counts as a reorg. */
const SHORTER_MS = 60_000;
/** Minimum number of contradictions in a row before the index stops. A few may come from faulty RPC answers. */
const MIN_CONTRADICTIONS = 5;
/** Minimum number of contradictions per RPC URL before the index stops, so that each of many URLs is asked. */
const CONTRADICTIONS_PER_URL = 2;
/**
 * Maximum delay after contradictions. The delay starts at one second and doubles, because faults of a provider are often temporary.
 */
const MAX_RETRY_MS = 4000;
/** Delay before a stopped index tries again, because all RPCs may have been faulty for a while. */
const RETRY_STOPPED_MS = 60_000;
/**
 * The poll interval is multiplied by this while new blocks are announced. Polling goes on, because a subscription may die silently.
 */
const ANNOUNCED_FACTOR = 5;
/** The shortest pause between two rounds is the poll interval divided by this number. */
const MIN_PAUSE_DIVISOR = 10;
/** Ranges of at most this many facts use the short timeouts of requests, so that a dead connection is noticed early. */
const FEW_FACTS = 500;
/**
 * Maximum number of blocks in a row that are read from receipts. A faulty node may return incomplete lists of logs, so blocks
 * are read from receipts after a contradiction; that is complete, but far slower. One transaction of `syncRanges` covers at most
 * this many blocks (6 ranges of 10,000), so a contradiction is always within reach.
 */
const MAX_RECEIPT_BLOCKS = 60_000;
/** Number of failures in a row before an outage is logged. One node behind a load balancer may lag for a moment. */
const FAILURES_OF_OUTAGE = 2;

/** Syncs the index with the chain until it is stopped. Only the replica that leads runs the sync. */
export class Indexer {
  readonly #deps: IndexDeps;
  readonly #stopping = new AbortController();
  readonly #size = new RangeSize();
  readonly #repair: Repair;
  readonly #audit: Audit;
  #failures = 0;
  #prunedAt = Number.NEGATIVE_INFINITY;
  #shorterSince: number | undefined;
  #contradictions = 0;
  /** Blocks up to this one are read from receipts, because a list of logs may have lacked a log. */
  #receiptsTo = -1;
  #stoppedAt: number | undefined;
  /**
   * Aborts when the session that holds the leader's lock is lost. An embedded database has no such session: then, it aborts when
   * the indexer stops.
   */
  #term: AbortSignal = this.#stopping.signal;
  #heads: Heads | undefined;
  #pausing = new AbortController();
  readonly #ended: Promise<void>;

  constructor(
    deps: IndexDeps,
    private readonly options: IndexerOptions,
  ) {
    this.#deps = { ...deps, chain: abortableChain(deps.chain, this.#stopping.signal) };
    this.#repair = new Repair(this.#deps);
    this.#audit = new Audit(this.#deps, this.#repair, options.auditMs ?? AUDIT_EVERY_MS);
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#pausing.abort();
    await this.#ended;
    await this.options.leadership.close();
  }

  async #run(): Promise<void> {
    const { log, times, outages } = this.#deps;
    const { pollMs } = this.options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let rest = pollMs;
      // A block that is announced during the round ends the second pause after it. The first pause always takes place, so that fast
      // blocks cannot cause rounds without a pause.
      this.#pausing = new AbortController();
      try {
        rest = await this.#round();
        this.#failures = 0;
        outages.end('chain', 'index');
      } catch (error) {
        rest = Math.max(pollMs, Math.min(MAX_RETRY_MS, 1000 * 2 ** Math.max(0, this.#contradictions - 1)));
        // A failed repair is retried in the next round.
        await this.#handleFailure(error).catch((reason: unknown) => log.error({ err: reason }, 'repairing the index failed'));
      }
      await pause(times, pollMs / MIN_PAUSE_DIVISOR, signal);
      if (!signal.aborted) await pause(times, rest, this.#pausing.signal);
    }
    this.#heads?.close();
  }

  /** Runs one round if this replica leads. Returns the pause after it. A lost session ends the round, even during a statement. */
  async #round(): Promise<number> {
    const { leadership } = this.options;
    if (!(await abortable(leadership.lead(), this.#stopping.signal))) return this.#idle();
    this.#term = leadership.term ?? this.#stopping.signal;
    const term = this.#term;
    return abortable(
      withTimeouts(INDEX, () => this.#deps.metrics.job('indexing', () => this.#indexUntil(term))),
      term,
    );
  }

  async #indexUntil(term: AbortSignal): Promise<number> {
    const { watch, pollMs } = this.options;
    // A stopped index opens no subscription: `#idle` closes it again, and each new subscription would end the pause.
    if (this.#stoppedAt === undefined) this.#heads ??= watch?.(() => this.#pausing.abort());
    const newest = await this.#deps.chain.blockNumber();
    await this.#reconcile(newest);
    const { blockNumber, fault } = await readCursor(this.#deps);
    if (fault !== null) return this.#retryStopped();
    this.#stoppedAt = undefined;
    const head = newest - this.#deps.config.confirmations;
    await this.#sync(blockNumber, head, term);
    const { blockNumber: indexed } = await readCursor(this.#deps);
    if (indexed >= this.#receiptsTo) this.#contradictions = 0;
    // This round may have ended at `#receiptsTo`, so the next round reads on without a pause.
    if (blockNumber < this.#receiptsTo && this.#receiptsTo < head) return 0;
    if (await this.#audit.run(indexed, term)) {
      this.#readReceiptsTo(indexed);
      return 0;
    }
    if (this.#deps.times.now() - this.#prunedAt > PRUNE_EVERY_MS) {
      this.#prunedAt = this.#deps.times.now();
      await pruneHashes(this.#deps, await this.#deps.chain.finalized());
    }
    return this.#heads?.live() ? pollMs * ANNOUNCED_FACTOR : pollMs;
  }

  async #reconcile(newest: number): Promise<void> {
    const behind = newest < (await readCursor(this.#deps)).blockNumber;
    // The node is behind the index. Perhaps only this node lags, so the next request goes to another URL. If all requests of
    // SHORTER_MS find a head below the cursor, the blocks above it count as gone.
    if (behind) this.#deps.chain.demoteUrl();
    this.#shorterSince = behind ? (this.#shorterSince ?? this.#deps.times.now()) : undefined;
    const shorter = this.#shorterSince !== undefined && this.#deps.times.now() - this.#shorterSince > SHORTER_MS;
    await reconcile(this.#deps, shorter ? 'gone' : undefined);
  }

  async #sync(blockNumber: number, head: number, term: AbortSignal): Promise<void> {
    // Number of blocks after the cursor whose lists of logs are not trusted; at most 0 if there are none. They are read from
    // receipts. If there are too many, lists of logs come first, until few enough blocks remain.
    const unsure = this.#receiptsTo - blockNumber;
    const fromReceipts = unsure > 0 && unsure <= MAX_RECEIPT_BLOCKS;
    const size = fromReceipts ? new RangeSize(true) : this.#size;
    const to = fromReceipts ? Math.min(head, this.#receiptsTo) : head;
    if (blockNumber >= to) return;
    await syncRanges(this.#deps.chain, { from: blockNumber + 1, head: to, size }, async (range: ChainRange) => {
      const timeouts = range.facts.length > FEW_FACTS ? INDEX : REQUEST;
      return !term.aborted && withTimeouts(timeouts, () => applyRange(this.#deps, range));
    });
  }

  /** Closes the subscription to new blocks while this process reads no blocks. */
  #idle(): number {
    this.#heads?.close();
    this.#heads = undefined;
    return IDLE_MS;
  }

  async #retryStopped(): Promise<number> {
    this.#stoppedAt ??= this.#deps.times.now();
    if (this.#deps.times.now() - this.#stoppedAt < RETRY_STOPPED_MS) return this.#idle();
    this.#stoppedAt = undefined;
    // The index tries again once. The next contradiction stops it again.
    this.#contradictions = this.#maxContradictions() - 1;
    await setFault(this.#deps, null);
    return 0;
  }

  #maxContradictions(): number {
    return Math.max(MIN_CONTRADICTIONS, CONTRADICTIONS_PER_URL * this.#deps.chain.urls);
  }

  /** Logs a failed round, and handles contradictions. An outage of the chain is logged once, and every other error each time. */
  async #handleFailure(error: unknown): Promise<void> {
    const { log, outages } = this.#deps;
    if (this.#stopping.signal.aborted) return;
    const unreachable = error instanceof AppError && error.code === 'CHAIN_UNAVAILABLE';
    if (unreachable) {
      if (++this.#failures === FAILURES_OF_OUTAGE) outages.begin('chain', 'index', error);
      return;
    }
    // The outage of the chain ends here, because this failure has another cause and says nothing about the chain.
    this.#failures = 0;
    outages.end('chain', 'index');
    const isInterrupted = error instanceof LeadershipLost || outageOf(error) !== undefined;
    if (isInterrupted) log.debug({ err: error }, 'indexing was interrupted; retrying');
    else log.error({ err: error }, 'indexing failed; retrying');
    // Lets the parts be checked soon, because one of them may be unavailable.
    if (isInterrupted) outages.suspect();
    if (error instanceof InconsistentHistory) await this.#handleContradiction(error);
  }

  /**
   * Handles facts that contradict the index. If the index is incomplete, it is repaired. If the range was wrong instead, it is read
   * again from receipts, through another URL.
   */
  async #handleContradiction(error: InconsistentHistory): Promise<void> {
    const term = this.#term;
    let outcome: RepairOutcome = 'nothing';
    try {
      this.#deps.chain.demoteUrl();
      if (error.blockNumber === undefined) return;
      this.#readReceiptsTo(error.blockNumber);
      const repair = withTimeouts(INDEX, () => this.#repair.run(term));
      outcome = await abortable(repair, term);
    } finally {
      // An unfinished repair continues in the next round, so it does not count as a contradiction. A repair that throws counts.
      const isFailure = outcome !== 'unfinished' && !term.aborted;
      if (isFailure && ++this.#contradictions >= this.#maxContradictions()) await this.#stopIndex(error);
    }
  }

  #readReceiptsTo(block: number): void {
    this.#receiptsTo = Math.max(this.#receiptsTo, block);
  }

  async #stopIndex(error: InconsistentHistory): Promise<void> {
    const { START_BLOCK } = this.#deps.config;
    const from = START_BLOCK === undefined ? '' : ` from a START_BLOCK (now ${START_BLOCK}) before the contract's block`;
    const why = `the chain contradicts the index (${error.message}); run npm run reindex${from}`;
    this.#deps.log.fatal(why);
    await setFault(this.#deps, why).catch(() => {});
  }
}

/** Thrown when the indexer is stopping, or when its session has lost the advisory lock. */
class LeadershipLost extends Error {}

/** Rejects when the signal aborts. The work itself goes on. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new LeadershipLost('the session of the leading replica has ended'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** A chain whose reads reject when the signal aborts, so that the indexer stops without waiting for the chain. */
function abortableChain(chain: Chain, signal: AbortSignal): Chain {
  return {
    ...chain,
    blockNumber: () => abortable(chain.blockNumber(), signal),
    range: (from, to, fromReceipts) => abortable(chain.range(from, to, fromReceipts), signal),
    stateAt: (block, wallets) => abortable(chain.stateAt(block, wallets), signal),
    hashes: (numbers) => abortable(chain.hashes(numbers), signal),
    finalized: () => abortable(chain.finalized(), signal),
  };
}
