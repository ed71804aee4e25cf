import type { Deps, Part, State } from '../../deps.js';
import type { OuterPart } from '../../observe/outage.js';
import { within } from '../../times.js';

/** A chain stands still if it has no block for this many usual block times, and at least this many seconds. */
const STILL = { blocks: 30, seconds: 60 };

/** The state of the parts, read at most once a second, whoever asks for it. */
export const stateNow = (deps: Deps): Promise<State> => deps.caches.readiness.get('', () => stateOfParts(deps));

/** State of the database, the chain and the index. Without the chain, the service still answers from stored data. */
async function stateOfParts(deps: Deps): Promise<State> {
  const [cursor, chain] = await Promise.all([answerOf(deps, 'database', readCursor(deps)), stateOfChain(deps)]);
  const indexed = cursor?.blockNumber ?? null;
  const fault = cursor?.fault ?? null;
  const database: Part = { state: cursor === undefined ? 'down' : 'ok' };
  const { blockNumber } = chain;
  const state: State = {
    ready: database.state === 'ok' && chain.state !== 'down' && fault === null,
    database,
    chain,
    index: {
      ...(fault === null ? database : { state: 'down', detail: fault }),
      blockNumber: indexed,
      lagBlocks: blockNumber === null || indexed === null ? null : Math.max(0, blockNumber - indexed),
    },
  };
  deps.seen.state = state;
  return state;
}

async function stateOfChain(deps: Deps): Promise<State['chain']> {
  const { seen, market, clock } = deps;
  const head = seen.isJoined === false ? undefined : await answerOf(deps, 'chain', market.head());
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
  const state = isStill
    ? { state: 'still' as const, detail: `no new block for ${ageSeconds} s` }
    : { state: 'ok' as const };
  return { ...state, blockNumber, ageSeconds, blockSeconds };
}

/** Number of blocks in each of two samples. */
const SAMPLE = 50;

/** Learns the usual time between two blocks, every ten minutes. Of two samples, the faster one counts: a chain that stood still has a gap. */
async function learnRhythm(
  { caches, market, seen }: Deps,
  { number, time }: { number: number; time: Date },
): Promise<void> {
  if (number < 2 * SAMPLE) return;
  seen.blockSeconds = await caches.blockSeconds.get('', async () => {
    const [middle, first] = await Promise.all([
      market.blockTime(number - SAMPLE),
      market.blockTime(number - 2 * SAMPLE),
    ]);
    if (middle === null || first === null) throw new Error('the chain has no such block');
    const samples = [time.getTime() - middle.getTime(), middle.getTime() - first.getTime()];
    return Math.min(...samples) / 1000 / SAMPLE;
  });
}

async function readCursor(deps: Deps): Promise<{ blockNumber: number; fault: string | null } | null> {
  const [row] = await deps.sql<{ blockNumber: number; fault: string | null }>(
    'select block_number as "blockNumber", fault from indexer_cursor',
  );
  return row ?? null;
}

/** The answer of a part. undefined if it is away: if the check fails, or takes too long. */
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
