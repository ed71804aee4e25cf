import { CallOutcome, Reason, Thesis, ThesisRecord } from '../../../src/features/theses/entities.js';
import { type Eligibility, horizonMs, horizons } from '../../../src/features/theses/rules.js';
import type { Figures } from '../../../src/features/theses/statistics.js';
import { announce } from '../../../src/live/announce.js';
import type { World } from '../world.js';
import { figures } from './market.js';
import type { addTrade } from './rows.js';

// Inserts theses, outcomes and records directly, as the job that judges theses would.

type Trade = Awaited<ReturnType<typeof addTrade>>;
/** What becomes of a call at a horizon: its excess and whether it paid, no verdict, or nothing yet. */
export type Result = readonly [excess: number, paid: boolean] | 'no verdict' | 'open';

type Given = { readonly text: string; readonly confidence?: number; readonly eligibility?: Eligibility };

/** Adds the thesis of a trade. It is a call by default. `results` are its outcomes after 1 hour, 1 day and 7 days. */
export async function addThesis(world: World, trade: Trade, given: Given, results: readonly Result[] = []): Promise<void> {
  const { txHash, ordinal, trader: author, agent, blockTime } = trade;
  const call = { txHash, ordinal, author, confidence: given.confidence ?? null };
  const outcomes = results.map((result, i) => {
    const horizon = horizons[i] ?? '7d';
    const until = new Date(blockTime.getTime() + horizonMs[horizon]);
    return { ...call, agent, horizon, until, weight: 500, calledAt: blockTime, ...columnsOf(result) };
  });
  await world.deps.write(async (tx) => {
    await tx.insert(Thesis, { ...call, text: given.text, createdAt: blockTime, hidden: false });
    const { eligibility = 'counts' } = given;
    await tx.nativeUpdate(Reason, { txHash, ordinal }, { eligibility, tradedAt: blockTime });
    if (outcomes.length > 0) await tx.insertMany(CallOutcome, outcomes as never);
  });
}

function columnsOf(result: Result) {
  if (result === 'open') return {};
  const judged = { judgedBlock: 1, move: 0, value: 1n, soldHalf: false };
  if (result === 'no verdict') return judged;
  const [excess, paid] = result;
  return { ...judged, move: Math.round(excess * 1_000_000), benchmark: 0, paid };
}

/** Changes the outcome of a call after a day, and announces it to subscribers. */
export async function judgeDay(world: World, { txHash, ordinal, eventId, trader }: Trade, result: Result): Promise<void> {
  await world.deps.write(async (tx) => {
    await tx.nativeUpdate(CallOutcome, { txHash, ordinal, horizon: '1d' }, columnsOf(result) as never);
    await announce(tx, [{ topic: 'outcome', subject: eventId, agent: trader }], world.clock.now());
  });
  world.deps.live.wake();
}

type Ranked = { readonly rank: number | null; readonly beyondLuck?: boolean; readonly figures?: Partial<Figures> };

/** Adds the record of an author, or replaces it. */
export async function putRecord(world: World, author: string, { rank, beyondLuck = false, ...given }: Ranked): Promise<void> {
  const all = { ...figures, ...given.figures };
  const bound = rank === null ? null : Math.round(all.lowerBound * 1_000_000);
  const row = { author, isStale: false, figures: all, lowerBound: bound, luck: rank && 0.004, rank, beyondLuck };
  await world.deps.write((tx) => tx.upsert(ThesisRecord, row));
}
