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
import { INDEX, REQUEST, withLimits } from '../store/connections/time-limits.js';
import type { Leadership } from '../store/leader.js';
import { follow } from './follow.js';

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
/** How often the index is compared with the contract's own state, 1,000 markets at a time. */
const AUDIT_EVERY_MS = 5_000;
/** After comparisons that found a difference but no cause the pause doubles, up to this. */
const LONGEST_AUDIT_MS = 3_600_000;
/** While new blocks are announced, it polls so much more rarely: for a connection that has died without a word. */
const ANNOUNCED = 5;
/** However fast blocks come, it looks no more often than in this part of the time between two polls. */
const FASTEST = 10;
/** So many are applied in a moment: a connection that takes longer is dead. */
const FEW_FACTS = 500;
/** Of several nodes behind one URL one may lag for a moment, which is no outage. */
const OUTAGES = 2;

/** Follows the chain, on one replica at a time, until it is stopped. */
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

  /** Nobody listens for blocks that are not to be read. */
  const idle = (): number => {
    heads?.close();
    heads = undefined;
    return IDLE_MS;
  };

  const tries = (): number => Math.max(CONTRADICTIONS, ROUNDS * ours.market.urls);

  /** The leader stops when its session is lost, also in the middle of a statement that nobody answers. */
  const turn = async (): Promise<number> => {
    if (!(await cut(leadership.lead(), signal))) return idle();
    term = leadership.term ?? signal;
    const ends = term;
    return cut(
      withLimits(INDEX, () => indexUntil(ends)),
      ends,
    );
  };

  const indexUntil = async (ends: AbortSignal): Promise<number> => {
    heads ??= watch?.(() => pausing.abort());
    const newest = await ours.market.blockNumber();
    const behind = newest < (await readCursor(ours)).blockNumber;
    // Another URL may be further: a chain is shorter only if none is.
    if (behind) ours.market.distrust();
    shorterSince = behind ? (shorterSince ?? Date.now()) : undefined;
    await reconcile(ours, shorterSince !== undefined && Date.now() - shorterSince > SHORTER_MS ? 'gone' : undefined);
    const { blockNumber, fault } = await readCursor(ours);
    if (fault !== null) {
      stoppedAt ??= Date.now();
      if (Date.now() - stoppedAt < retryStoppedMs) return idle();
      stoppedAt = undefined;
      // One try: what contradicts again stops it again.
      contradictions = tries() - 1;
      await setFault(ours, null);
      return 0;
    }
    const head = newest - deps.config.confirmations;
    const apply = async (range: ChainRange) => {
      const limits = range.facts.length > FEW_FACTS ? INDEX : REQUEST;
      return !ends.aborted && withLimits(limits, () => applyRange(ours, range));
    };
    const sizeNow = blockNumber < thoroughTo ? new RangeSize(true) : size;
    const to = blockNumber < thoroughTo ? Math.min(head, thoroughTo) : head;
    if (blockNumber < to) await follow(ours.market, blockNumber + 1, to, sizeNow, apply);
    if (to < head) return 0;
    await audit(blockNumber, ends);
    if (Date.now() - prunedAt > PRUNE_EVERY_MS) {
      prunedAt = Date.now();
      await pruneHashes(ours, await ours.market.finalized());
    }
    return heads?.live() ? pollMs * ANNOUNCED : pollMs;
  };

  /** An outage is said once; anything else each time, since it should not be. */
  const failed = async (error: unknown): Promise<void> => {
    if (signal.aborted) return;
    const unreachable = error instanceof AppError && error.code === 'CHAIN_UNAVAILABLE';
    if (error instanceof NoLongerLeads || outageOf(error))
      deps.log.warn({ err: error }, 'indexing was interrupted; trying again');
    else if (!unreachable) deps.log.error({ err: error }, 'indexing failed; trying again');
    else if (++outages === OUTAGES) deps.log.warn({ err: error }, 'the chain is out of reach: indexing waits');
    if (error instanceof InconsistentHistory) await contradicted(error);
  };

  /** Either the index lacks something, which is put right, or the range does, which is read again from another URL. */
  const contradicted = async (error: InconsistentHistory): Promise<void> => {
    ours.market.distrust();
    let healed: Healed = 'nothing';
    try {
      healed = await mended(error);
    } finally {
      // While the search goes on, nothing is known to be beyond mending. A search that fails counts like one in vain.
      if (healed !== 'unfinished' && ++contradictions >= tries()) await stop(error);
    }
  };

  const mended = async (error: InconsistentHistory): Promise<Healed> => {
    if (error.place === undefined) return 'nothing';
    thoroughTo = Math.max(thoroughTo, error.place.blockNumber);
    const { blockNumber } = await readCursor(ours);
    const ends = term;
    const healing = withLimits(INDEX, () => heal(ours, error, search, ends));
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
      // A block that is announced from here on cuts the pause short.
      pausing = new AbortController();
      try {
        pause = await turn();
        if (outages >= OUTAGES) deps.log.info('the chain is back: indexing goes on');
        outages = 0;
        if (pause > 0) contradictions = 0;
      } catch (error) {
        pause = Math.max(pollMs, Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** Math.max(0, contradictions - 1)));
        // What fails here, like the search for what contradicts, is begun again with the next try.
        await failed(error).catch((reason: unknown) =>
          deps.log.error({ err: reason }, 'the index could not be mended'),
        );
      }
      // They reject when they are cut short, which is as good an end.
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

/** Compares the index with the contract's own state now and then, page by page, and puts right what it lacks. */
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

/** A market of which nothing is waited for once the indexer is to stop. What is written is waited for. */
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

/** The indexer stops, or has lost the session with which it led. */
class NoLongerLeads extends Error {}

function cut<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new NoLongerLeads('the indexer leads no longer'));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
