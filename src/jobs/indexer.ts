import { setTimeout as delay } from 'node:timers/promises';
import type { Heads } from '../chain/heads.js';
import { RangeSize } from '../chain/logs/range-size.js';
import type { ChainRange } from '../chain/logs/ranges.js';
import type { Market } from '../chain/market.js';
import { auditPage, heal } from '../core/trading/commands/audit.js';
import { type Healed, Search } from '../core/trading/commands/compare.js';
import { type IndexDeps, pruneHashes, readCursor, setFault } from '../core/trading/commands/cursor.js';
import { applyRange } from '../core/trading/commands/ingest.js';
import { reconcile } from '../core/trading/commands/reorganise.js';
import { InconsistentHistory } from '../core/trading/rules.js';
import { AppError } from '../errors.js';
import { outageOf } from '../outage.js';
import { INDEX, REQUEST, withTimeouts } from '../store/connections/timeouts.js';
import type { Leadership } from '../store/leader.js';
import { syncRanges } from './sync.js';

export type Indexer = { stop(): Promise<void> };
export type IndexerOptions = {
  readonly leadership: Leadership;
  readonly pollMs: number;
  /** Interval of the audit, which compares the index with the contract's state. @default 5 seconds */
  readonly auditMs?: number;
  /** Delay before a stopped index tries again. @default 60 seconds */
  readonly retryStoppedMs?: number;
  /** Subscribes to new blocks. Absent if the RPC does not announce them. */
  readonly watch?: (onHead: () => void) => Heads;
};

/** Poll interval of a replica that does not lead, and of a stopped index. */
const IDLE_MS = 2000;
const PRUNE_EVERY_MS = 60_000;
/** The indexer waits this long for a node that is behind the index. Then the shorter chain counts as a reorg. */
const SHORTER_MS = 60_000;
/** Contradictions in a row before the index stops. A few may come from faulty RPC answers. */
const CONTRADICTIONS = 5;
/** Maximum delay after contradictions. It doubles from one second: faults of a provider are often temporary. */
const LONGEST_PAUSE_MS = 4000;
const ROUNDS = 2;
/** Delay before a stopped index tries again: all RPCs may have been faulty for a while. */
const RETRY_STOPPED_MS = 60_000;
/** Interval of the audit. Each run compares 1,000 markets. */
const AUDIT_EVERY_MS = 5_000;
/** Maximum interval of the audit. The interval doubles while a difference has no cause that can be repaired. */
const LONGEST_AUDIT_MS = 3_600_000;
/** Factor on the poll interval while new blocks are announced. Polling covers a subscription that died silently. */
const ANNOUNCED = 5;
/** The shortest pause between two turns is the poll interval divided by this. */
const FASTEST = 10;
/** Ranges of at most this many facts use the short timeouts, so that a dead connection is noticed early. */
const FEW_FACTS = 500;
/** Failures in a row before an outage is logged. One node behind a load balancer may lag for a moment. */
const OUTAGES = 2;

/** Syncs the index with the chain until it is stopped. Only the replica that leads does so. */
export function startIndexer(deps: IndexDeps, options: IndexerOptions): Indexer {
  const { leadership, pollMs, auditMs = AUDIT_EVERY_MS, retryStoppedMs = RETRY_STOPPED_MS, watch } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const ours: IndexDeps = { ...deps, market: untilStopped(deps.market, signal) };
  const size = new RangeSize();
  let outages = 0;
  let prunedAt = 0;
  let shorterSince: number | undefined;
  let contradictions = 0;
  let thoroughTo = -1;
  let stoppedAt: number | undefined;
  const search = new Search();
  const audit = startAudit(ours, auditMs, search);
  let term = signal;
  let heads: Heads | undefined;
  let pausing = new AbortController();

  /** Closes the subscription while no block is to be read. */
  const idle = (): number => {
    heads?.close();
    heads = undefined;
    return IDLE_MS;
  };

  const tries = (): number => Math.max(CONTRADICTIONS, ROUNDS * ours.market.urls);

  /** One turn of the leader. Losing the session that holds the lock cuts it short, even during a statement. */
  const turn = async (): Promise<number> => {
    if (!(await cut(leadership.lead(), signal))) return idle();
    term = leadership.term ?? signal;
    const ends = term;
    return cut(
      withTimeouts(INDEX, () => indexUntil(ends)),
      ends,
    );
  };

  const indexUntil = async (ends: AbortSignal): Promise<number> => {
    heads ??= watch?.(() => pausing.abort());
    const newest = await ours.market.blockNumber();
    const behind = newest < (await readCursor(ours)).blockNumber;
    // Another URL may be ahead: the chain counts as shorter only if all URLs lag.
    if (behind) ours.market.demoteUrl();
    shorterSince = behind ? (shorterSince ?? Date.now()) : undefined;
    await reconcile(ours, shorterSince !== undefined && Date.now() - shorterSince > SHORTER_MS ? 'gone' : undefined);
    const { blockNumber, fault } = await readCursor(ours);
    if (fault !== null) {
      stoppedAt ??= Date.now();
      if (Date.now() - stoppedAt < retryStoppedMs) return idle();
      stoppedAt = undefined;
      // One try: the next contradiction stops the index again.
      contradictions = tries() - 1;
      await setFault(ours, null);
      return 0;
    }
    const head = newest - deps.config.confirmations;
    const apply = async (range: ChainRange) => {
      const timeouts = range.facts.length > FEW_FACTS ? INDEX : REQUEST;
      return !ends.aborted && withTimeouts(timeouts, () => applyRange(ours, range));
    };
    const sizeNow = blockNumber < thoroughTo ? new RangeSize(true) : size;
    const to = blockNumber < thoroughTo ? Math.min(head, thoroughTo) : head;
    if (blockNumber < to) await syncRanges(ours.market, { from: blockNumber + 1, head: to, size: sizeNow }, apply);
    if (to < head) return 0;
    await audit(blockNumber, ends);
    if (Date.now() - prunedAt > PRUNE_EVERY_MS) {
      prunedAt = Date.now();
      await pruneHashes(ours, await ours.market.finalized());
    }
    return heads?.live() ? pollMs * ANNOUNCED : pollMs;
  };

  /** Logs an RPC outage once. Other errors are logged each time. */
  const failed = async (error: unknown): Promise<void> => {
    if (signal.aborted) return;
    const unreachable = error instanceof AppError && error.code === 'CHAIN_UNAVAILABLE';
    if (error instanceof NoLongerLeads || outageOf(error))
      deps.log.warn({ err: error }, 'indexing was interrupted; retrying');
    else if (!unreachable) deps.log.error({ err: error }, 'indexing failed; retrying');
    else if (++outages === OUTAGES) deps.log.warn({ err: error }, 'the chain is unreachable: indexing waits');
    if (error instanceof InconsistentHistory) await contradicted(error);
  };

  /** Repairs an incomplete index. If the range is wrong instead, it is read again from another URL. */
  const contradicted = async (error: InconsistentHistory): Promise<void> => {
    ours.market.demoteUrl();
    let healed: Healed = 'nothing';
    try {
      healed = await mended(error);
    } finally {
      // An unfinished search is not a failure yet. A search that throws counts as one.
      if (healed !== 'unfinished' && ++contradictions >= tries()) await stop(error);
    }
  };

  const mended = async (error: InconsistentHistory): Promise<Healed> => {
    if (error.place === undefined) return 'nothing';
    thoroughTo = Math.max(thoroughTo, error.place.blockNumber);
    const { blockNumber } = await readCursor(ours);
    const ends = term;
    const healing = withTimeouts(INDEX, () => heal(ours, error, search, ends));
    const healed = await cut(healing, ends);
    if (healed === 'healed') thoroughTo = Math.max(thoroughTo, blockNumber);
    return healed;
  };

  const stop = async (error: InconsistentHistory): Promise<void> => {
    const { START_BLOCK } = deps.config;
    const from =
      START_BLOCK === undefined ? '' : ` from a START_BLOCK (now ${START_BLOCK}) before the contract's block`;
    const why = `the chain contradicts what is indexed (${error.message}); run npm run reindex${from}`;
    deps.log.fatal(why);
    await setFault(deps, why).catch(() => {});
  };

  const run = async () => {
    while (!signal.aborted) {
      let pause = pollMs;
      // A block announced from now on ends the pause.
      pausing = new AbortController();
      try {
        pause = await turn();
        if (outages >= OUTAGES) deps.log.info('the chain is reachable again: indexing continues');
        outages = 0;
        if (pause > 0) contradictions = 0;
      } catch (error) {
        pause = Math.max(pollMs, Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** Math.max(0, contradictions - 1)));
        // A failed repair is retried in the next turn.
        await failed(error).catch((reason: unknown) => deps.log.error({ err: reason }, 'repairing the index failed'));
      }
      // An aborted delay rejects. That ends the pause as well.
      await delay(pollMs / FASTEST, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await delay(pause, undefined, { signal: pausing.signal }).catch(() => {});
    }
    heads?.close();
  };
  const ended = run();
  return {
    async stop() {
      stopping.abort();
      pausing.abort();
      await ended;
      await leadership.close();
    },
  };
}

/** Compares the index with the contract's state page by page and repairs differences. */
function startAudit(
  deps: IndexDeps,
  everyMs: number,
  search: Search,
): (indexed: number, ends: AbortSignal) => Promise<void> {
  let pause = everyMs;
  let next = 0;
  let after = '';
  let whole = -1;
  return async (indexed, ends) => {
    // No new block since all markets were compared.
    if (Date.now() < next || (after === '' && whole === indexed)) return;
    next = Date.now() + pause;
    const page = await auditPage(deps, after);
    if (typeof page === 'string') return;
    const { doubts, last } = page;
    if (doubts.agents.length > 0 || doubts.count) {
      const healed = await heal(deps, doubts, search, ends);
      if (healed === 'nothing') {
        deps.log.warn({ doubts }, 'the contract state differs from the index; no cause was found');
        deps.market.demoteUrl();
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

/** Rejects pending reads when the indexer stops. Writes complete. */
function untilStopped(market: Market, signal: AbortSignal): Market {
  return {
    ...market,
    blockNumber: () => cut(market.blockNumber(), signal),
    range: (from, to, thorough) => cut(market.range(from, to, thorough), signal),
    stateAt: (block, wallets) => cut(market.stateAt(block, wallets), signal),
    balanceAt: (block, holder, agent) => cut(market.balanceAt(block, holder, agent), signal),
    hashes: (numbers) => cut(market.hashes(numbers), signal),
    finalized: () => cut(market.finalized(), signal),
  };
}

/** The indexer is stopping, or its session lost the advisory lock. */
class NoLongerLeads extends Error {}

function cut<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new NoLongerLeads('the indexer leads no longer'));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
