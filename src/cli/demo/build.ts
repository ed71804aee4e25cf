import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import { updateSeasons } from '../../core/seasons/commands/score.js';
import { startSeason } from '../../core/seasons/commands/start.js';
import { catchUp } from '../../core/trading/commands/ingest.js';
import { type Stops, untilAborted } from '../../service/stops.js';
import { DAY_MS } from '../../time.js';
import type { AgentKey } from './home.js';
import { calendar, DAYS, planMarket, SEASON_DAYS } from './plan.js';
import { Stage } from './stage.js';

export type BuildOptions = {
  /** Time at which the history of the demo market ends. */
  readonly now: Date;
  readonly interrupt: AbortSignal;
  /** Reports the completed fraction, from 0 to 1. */
  readonly progress: (done: number) => void;
};

/**
 * Time between the end of a season and its scoring. It exceeds the wait before a season freezes, so that the season
 * freezes at the first try.
 */
const AFTER_SETTLING_MS = 6000;

/**
 * Builds the market in an empty data directory with the core commands. No service runs meanwhile, so the market is complete
 * when it is first seen. Throws if it is interrupted.
 */
export async function buildMarket(config: Config, log: Logger, options: BuildOptions): Promise<AgentKey[]> {
  const { now, interrupt, progress } = options;
  const when = calendar(now);
  const stops: Stops = [];
  try {
    const starting = Stage.open(config, log, when(0), stops);
    const stage = await Promise.race([starting, untilAborted(interrupt)]);
    await openSeasons(stage, when(0));
    const plan = planMarket();
    let done = 0;
    /** Reports progress and stops on an interrupt. Each event has two steps: chain and service. */
    const step = async (part: Promise<unknown>) => {
      await part;
      interrupt.throwIfAborted();
      progress(++done / (2 * plan.length));
      // The embedded database blocks the event loop. The pause lets signals through.
      if (done % 10 === 0) await yieldToEventLoop();
    };
    for (let day = 0; day <= DAYS; day++) {
      const midnight = when(day * DAY_MS);
      if (day === SEASON_DAYS) await scoreAt(stage, new Date(midnight.getTime() + AFTER_SETTLING_MS));
      if (day === DAYS) await scoreAt(stage, midnight);
      const events = plan.filter(({ at }) => Math.floor(at / DAY_MS) === day);
      // Sends the chain events of the day first, because they are indexed together. Profiles, posts and theses follow,
      // because they refer to the chain events.
      for (const event of events) await step(stage.sendToChain(event, when(event.at)));
      await indexAll(stage, when(events.at(-1)?.at ?? day * DAY_MS));
      for (const event of events) await step(stage.perform(event, when(event.at)));
    }
    return stage.keys;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function openSeasons({ deps }: Stage, start: Date): Promise<void> {
  const dayAfterStart = (day: number) => new Date(start.getTime() + day * DAY_MS);
  for (const day of [0, SEASON_DAYS]) {
    await startSeason(deps, { startAt: dayAfterStart(day), endAt: dayAfterStart(day + SEASON_DAYS) });
  }
}

/** Runs the midnight job. */
async function scoreAt({ deps, time }: Stage, moment: Date): Promise<void> {
  time.at = moment;
  await updateSeasons(deps);
}

async function indexAll({ deps, time }: Stage, moment: Date): Promise<void> {
  time.at = moment;
  if (!(await catchUp(deps, await deps.market.blockNumber())))
    throw new Error('the index did not catch up with the chain');
}
