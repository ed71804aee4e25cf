import type { Deps, State } from '../../deps.js';
import { type IndexState, readIndexState } from '../../index/cursor.js';
import { REFUSED } from '../../observe/database-errors.js';
import type { OuterPart } from '../../observe/outages.js';
import { sqlIn } from '../../store/sql.js';
import { within } from '../../tasks.js';

/**
 * The chain counts as `still` if it has had no new block for this many usual block times, and at least for this many seconds. The
 * index counts as `still` if it has not moved for the same number of seconds.
 */
const STILL = { blocks: 30, seconds: 60 };

/** State of the database, the chain and the index. All callers share one read a second, through the cache. */
export const stateNow = (deps: Deps): Promise<State> => deps.caches.readiness.get('', () => stateOfParts(deps));

/**
 * Reads the state of the database, the chain and the index. The service is not ready without the chain, but still answers from
 * stored data.
 */
async function stateOfParts(deps: Deps): Promise<State> {
  const [{ database, cursor }, chain] = await Promise.all([stateOfDatabase(deps), stateOfChain(deps)]);
  const index = stateOfIndex(deps, { database, cursor, chain });
  const ready = database.state === 'ok' && chain.state !== 'down' && index.state === 'ok';
  const state: State = { ready, database, chain, index };
  deps.seen.state = state;
  return state;
}

/** Reads the state of the database. A database that answers may still refuse writes (`read-only` or `full`). */
async function stateOfDatabase(deps: Deps): Promise<{ database: State['database']; cursor?: IndexState }> {
  const { outages, databasePool } = deps;
  const { refusals } = outages;
  // A database session stays read-only if the database was so when the session was opened, so the pool opens new ones.
  if (refusals.has('read-only')) databasePool?.renew();
  const answer = await answerOf(deps, 'database', readIndexState(deps));
  if (answer === undefined) return { database: { state: 'down' } };
  const { isReadOnly, ...cursor } = answer;
  if (isReadOnly) refusals.add('read-only');
  else refusals.delete('read-only');
  if (refusals.has('full') && (await hasSpace(deps))) refusals.delete('full');
  const refusal = isReadOnly ? 'read-only' : refusals.has('full') ? 'full' : undefined;
  if (refusal === undefined) {
    outages.end('database writes', 'health');
    return { database: { state: 'ok' }, cursor };
  }
  const detail = REFUSED[refusal];
  outages.begin('database writes', 'health', new Error(detail));
  return { database: { state: refusal, detail }, cursor };
}

/**
 * Number of rows that `hasSpace` makes the database compute. They take 0.7 MB, which exceeds `work_mem`, so it stores them in a
 * temporary file.
 */
const PROBE = 50_000;

/**
 * Whether the disk of the database has space again. Small writes can succeed on a full disk, because they reuse space. So this
 * statement writes a temporary file, which needs new space. It writes no log, and leaves nothing behind.
 */
async function hasSpace({ write, times }: Deps): Promise<boolean> {
  const probe = write(
    async (tx) => {
      const sql = sqlIn(tx);
      // By default, temporary files can be on another disk than the tables. This setting puts them on the disk of the tables.
      await sql(`select set_config('temp_tablespaces', '', true), set_config('work_mem', '64kB', true)`);
      await sql('select count(*) from generate_series(1, $1::int)', [PROBE]);
      return true;
    },
    { invalidates: false },
  );
  return (await within(times, times.healthCheck, probe).catch(() => false)) ?? false;
}

/**
 * State of the index. It is `still` if the newest indexed block stays the same although there are blocks to index. Every replica
 * finds this out from the database, not only the leader.
 */
function stateOfIndex(
  { seen, times, config, outages }: Deps,
  { database, cursor, chain }: { database: State['database']; cursor: IndexState | undefined; chain: State['chain'] },
): State['index'] {
  const blockNumber = cursor?.blockNumber ?? null;
  const head = chain.blockNumber;
  const lagBlocks = head === null || blockNumber === null ? null : Math.max(0, head - blockNumber);
  const numbers = { blockNumber, lagBlocks };
  const unmoved = seen.unmoved;
  seen.unmoved = undefined;
  if (database.state === 'down') return { state: 'down', ...numbers };
  if (cursor?.fault) return { state: 'down', detail: cursor.fault, ...numbers };
  if (database.state === 'read-only') return { state: 'still', detail: REFUSED['read-only'], ...numbers };
  // Without the chain, nothing can be indexed. This is no fault of the index, and `chain` already reports it.
  if (blockNumber === null || lagBlocks === null) return { state: 'ok', ...numbers };
  // The newest blocks wait for their confirmations, so a lag of that many blocks leaves nothing to index.
  if (lagBlocks > config.confirmations)
    seen.unmoved = unmoved?.blockNumber === blockNumber ? unmoved : { blockNumber, since: times.now() };
  const seconds = seen.unmoved === undefined ? 0 : (times.now() - seen.unmoved.since) / 1000;
  if (seconds < STILL.seconds) {
    outages.end('index', 'health');
    return { state: 'ok', ...numbers };
  }
  const detail = `no block was indexed for ${Math.round(seconds)} s`;
  outages.begin('index', 'health', new Error(detail));
  return { state: 'still', detail, ...numbers };
}

/**
 * State of the chain, from its newest block. Until the usual block time is measured, a call waits for the measurement; later calls
 * use the last result. The embedded chain makes blocks only on demand, so it has no usual block time and is never `still`.
 */
async function stateOfChain(deps: Deps): Promise<State['chain']> {
  const { seen, chain, clock } = deps;
  const head = seen.isConnected === false ? undefined : await answerOf(deps, 'chain', chain.head());
  if (head === undefined) {
    const none = { blockNumber: null, ageSeconds: null, blockSeconds: null };
    return { state: 'down', detail: 'no RPC answers', ...none };
  }
  const { number: blockNumber, time } = head;
  const ageSeconds = Math.max(0, Math.round((clock.now().getTime() - time.getTime()) / 1000));
  const learning = deps.config.chainEmbedded
    ? undefined
    : within(deps.times, deps.times.healthCheck, learnRhythm(deps, head)).catch(() => {});
  if (seen.blockSeconds === undefined) await learning;
  const blockSeconds = seen.blockSeconds ?? null;
  const isStill = blockSeconds !== null && ageSeconds > Math.max(STILL.seconds, STILL.blocks * blockSeconds);
  const state = isStill ? { state: 'still' as const, detail: `no new block for ${ageSeconds} s` } : { state: 'ok' as const };
  return { ...state, blockNumber, ageSeconds, blockSeconds };
}

/** Number of blocks in each of the two samples of `learnRhythm`. */
const SAMPLE = 50;

/**
 * Learns the usual time between two blocks, every ten minutes. It takes the faster of two samples, because a sample in which the
 * chain stood still is too slow.
 */
async function learnRhythm({ caches, chain, seen }: Deps, { number, time }: { number: number; time: Date }): Promise<void> {
  if (number < 2 * SAMPLE) return;
  seen.blockSeconds = await caches.blockSeconds.get('', async () => {
    const [middle, first] = await Promise.all([chain.blockTime(number - SAMPLE), chain.blockTime(number - 2 * SAMPLE)]);
    if (middle === null || first === null) throw new Error('the chain has no such block');
    const samples = [time.getTime() - middle.getTime(), middle.getTime() - first.getTime()];
    return Math.min(...samples) / 1000 / SAMPLE;
  });
}

/** The answer of a part. undefined if the part is unavailable: if the check fails, or takes too long. */
async function answerOf<T>({ times, outages }: Deps, part: OuterPart, check: Promise<T>): Promise<T | undefined> {
  try {
    const answer = await within(times, times.healthCheck, check);
    if (answer === undefined) throw new Error(`no answer in ${times.healthCheck / 1000} s`);
    outages.end(part, 'health');
    return answer;
  } catch (error) {
    outages.begin(part, 'health', error);
    return undefined;
  }
}
