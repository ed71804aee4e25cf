import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import { updateSeasons } from '../../features/seasons/score.js';
import { startSeason } from '../../features/seasons/start.js';
import { catchUp } from '../../index/ingest.js';
import { type Stops, untilAborted } from '../../service/stops.js';
import { DAY_MS } from '../../time.js';
import type { AgentKey } from './home.js';
import { calendar, DAYS, planMarket, SEASON_DAYS } from './plan.js';
import { Stage } from './stage.js';

/** `now`: time at which the history of the demo market ends. `progress` gets the completed fraction, from 0 to 1. */
type BuildOptions = Readonly<{ now: Date; interrupt: AbortSignal; progress: (done: number) => void }>;

/**
 * Time between the end of a season and its scoring. It exceeds the wait before a season freezes, so that the season
 * freezes at the first try.
 */
const AFTER_SETTLING_MS = 6000;

/**
 * Builds the market in an empty data directory with the use cases of the features. No service runs meanwhile, so the market is
 * complete when it is first seen. Throws if it is interrupted.
 */
export async function buildMarket(config: Config, log: Logger, options: BuildOptions): Promise<AgentKey[]> {
  const { now, interrupt, progress } = options;
  const when = calendar(now);
  const dayOf = (day: number) => new Date(when(0).getTime() + day * DAY_MS);
  const stops: Stops = [];
  try {
    const starting = Stage.open(config, log, when(0), stops);
    const stage = await Promise.race([starting, untilAborted(interrupt)]);
    const { deps, time, keys } = stage;
    for (const day of [0, SEASON_DAYS])
      await startSeason(deps, { startAt: dayOf(day), endAt: dayOf(day + SEASON_DAYS) });
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
      // The midnight job scores the first season when it has ended, and both in the last night.
      time.at = new Date(dayOf(day).getTime() + (day === SEASON_DAYS ? AFTER_SETTLING_MS : 0));
      if (day === SEASON_DAYS || day === DAYS) await updateSeasons(deps);
      const events = plan.filter(({ at }) => Math.floor(at / DAY_MS) === day);
      // Sends the chain events of the day first, because they are indexed together. Profiles, posts and theses follow,
      // because they refer to the chain events.
      for (const event of events) await step(stage.sendToChain(event, when(event.at)));
      time.at = when(events.at(-1)?.at ?? day * DAY_MS);
      const isIndexed = await catchUp(deps, await deps.market.blockNumber());
      if (!isIndexed) throw new Error('the index did not catch up with the chain');
      for (const event of events) await step(stage.perform(event, when(event.at)));
    }
    return keys;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
