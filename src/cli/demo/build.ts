import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import { updateSeasons } from '../../core/seasons/commands/score.js';
import { startSeason } from '../../core/seasons/commands/start.js';
import { ensureCursor } from '../../core/trading/commands/cursor.js';
import { catchUp } from '../../core/trading/commands/ingest.js';
import { assembleDeps } from '../../deps.js';
import { processLimits } from '../../limits/process.js';
import { processLive } from '../../live/process.js';
import { embeddedPostHost } from '../../posthost/embedded.js';
import { startChain } from '../../service/chain.js';
import { startDatabase } from '../../service/database.js';
import { type Stops, untilAborted } from '../../service/stops.js';
import type { AgentKey } from './home.js';
import { type Calendar, calendar } from './plan/calendar.js';
import { Ledger } from './plan/ledger.js';
import { planMarket } from './plan/plan.js';
import { DAY, DAYS, SEASON_DAYS } from './plan/planned-event.js';
import { performInService, type Stage, sendToChain } from './stage.js';

export type BuildOptions = {
  /** Time at which the history of the demo market ends. */
  readonly now: Date;
  readonly interrupt: AbortSignal;
  /** Reports the completed fraction, from 0 to 1. */
  readonly progress: (done: number) => void;
};

/** Error if the build was interrupted. */
export class Interrupted extends Error {}

/**
 * Time between the end of a season and its scoring. It exceeds the wait before a season freezes, so that the season
 * freezes at the first try.
 */
const AFTER_SETTLING_MS = 6000;

/**
 * Builds the market in an empty data directory. The core commands carry out the plan, with a clock that is set to the time of
 * each event. No service runs meanwhile, so the market is complete when it is first seen.
 */
export async function buildMarket(config: Config, log: Logger, options: BuildOptions): Promise<AgentKey[]> {
  const stops: Stops = [];
  try {
    const { stage, days } = await Promise.race([
      startStage(config, log, options.now, stops),
      untilAborted(options.interrupt).catch(() => Promise.reject(new Interrupted())),
    ]);
    await openSeasons(stage, days);
    const plan = planMarket();
    const working = progressCounter(options, plan.length);
    for (let day = 0; day <= DAYS; day++) {
      if (day === SEASON_DAYS) await scoreAt(stage, new Date(days.when(day * DAY).getTime() + AFTER_SETTLING_MS));
      if (day === DAYS) await scoreAt(stage, days.midnight);
      const events = plan.filter(({ at }) => Math.floor(at / DAY) === day);
      // Sends the chain events of the day first, because they are indexed together. Profiles, posts and theses follow,
      // because they refer to the chain events.
      for (const event of events) await working(sendToChain(stage, event, days.when(event.at)));
      await indexAll(stage, days.when(events.at(-1)?.at ?? day * DAY));
      for (const event of events) await working(performInService(stage, event, days.when(event.at)));
    }
    return stage.keys;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Starts the dependencies that the commands need. */
async function startStage(
  config: Config,
  log: Logger,
  now: Date,
  stops: Stops,
): Promise<{ stage: Stage; days: Calendar }> {
  const days = calendar(now);
  const { orm } = await startDatabase(config, stops);
  const chain = await startChain(config, stops, { startAt: days.start });
  const time = { at: days.start };
  const limits = processLimits();
  stops.push(() => limits.close());
  const deps = await assembleDeps(config, log, {
    ...{ orm, chain, limits },
    clock: { now: () => time.at },
    // Live events need no other processes: there are no subscribers during the build.
    live: processLive(),
    ethUsd: () => Promise.reject(new Error('the demo is built without a price of ether')),
    publicUrl: '',
  });
  await ensureCursor(deps, async () => 1);
  const ledger = await Ledger.open(chain.provider, chain.contract, config.CHAIN_ID);
  const split = await deps.market.feeSplit();
  const stage = {
    deps,
    ledger,
    split,
    time,
    publish: embeddedPostHost(deps).publish,
    keys: [],
    postIds: new Map(),
    supplies: new Map(),
    codes: new Map(),
    sent: new Map(),
  };
  return { stage, days };
}

async function openSeasons({ deps, time }: Stage, days: Calendar): Promise<void> {
  time.at = days.start;
  for (const from of [0, SEASON_DAYS * DAY]) {
    const at = (milliseconds: number) => new Date(days.start.getTime() + milliseconds);
    await startSeason(deps, { startAt: at(from), endAt: at(from + SEASON_DAYS * DAY) });
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

/** Reports progress and stops on an interrupt. Each event has two steps: chain and service. */
function progressCounter({ interrupt, progress }: BuildOptions, count: number): (part: Promise<void>) => Promise<void> {
  let done = 0;
  return async (part) => {
    await part;
    if (interrupt.aborted) throw new Interrupted();
    progress(++done / (2 * count));
    // The embedded database blocks the event loop. The pause lets signals through.
    if (done % 10 === 0) await yieldToEventLoop();
  };
}
