import { cast } from './cast.js';
import { PaperMarket } from './paper-market.js';
import { DAY, DAYS, HOUR, MINUTE, type PlannedEvent } from './planned-event.js';
import { Planner } from './planner.js';
import { type Random, seeded } from './random.js';

const SEED = 0x63757276;

/** Trading on the last full day ends early, so that figures over 24 hours mainly contain today's trades. */
const EVE_ENDS = HOUR;
const EVES_TRADES = 8;
const TODAYS_TRADES = 22;

/** All events of the plan, in order of time. Each call returns the same plan. `market`: an empty market that gets the trades. */
export function planMarket(market = new PaperMarket()): readonly PlannedEvent[] {
  const random = seeded(SEED);
  const planner = new Planner(market, random);
  const arrivals = cast.map(({ day }, agent) => ({
    agent,
    at: day * DAY + 5 * HOUR + random.between(0, day === 0 ? 90 : 600) * MINUTE,
  }));
  const trades = Array.from({ length: DAYS + 1 }, (_, day) => tradingTimes(day, random)).flat();
  const moments = [...arrivals, ...trades.map((at) => ({ agent: null, at }))].sort((a, b) => a.at - b.at);
  for (const { agent, at } of moments) agent === null ? planner.trade(at) : planner.arrive(agent, at);
  planner.planMusings();
  planner.planReactions();
  return planner.events.sort((a, b) => a.at - b.at);
}

function tradingTimes(day: number, random: Random): number[] {
  const [from, to] = day === DAYS - 1 ? [5 * MINUTE, EVE_ENDS] : day === 0 ? [8 * HOUR, DAY] : [HOUR, DAY];
  const count = day === DAYS - 1 ? EVES_TRADES : day === DAYS ? TODAYS_TRADES : random.between(18, 28);
  return Array.from({ length: count }, () => day * DAY + from + Math.floor(random.next() * (to - from)));
}
