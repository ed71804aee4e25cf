import type { Size } from './plan.js';

export const DAY_MS = 24 * 3_600_000;
const HISTORY_DAYS = 60;
const REGISTRATION_DAYS = 30;
/** First block with trades. All registrations are in earlier blocks. */
export const FIRST_TRADE_BLOCK = 1_000_000;

/** Three blocks contain four trades. */
const blocksOf = (trades: number): number => Math.ceil((trades * 3) / 4);
const blockIndex = (trade: number): number => Math.floor((trade * 3) / 4);

/** Blocks and times of all rows, counted back from `anchor`: the newest trade is seconds old. */
export function calendar({ agents, trades }: Size, anchor: Date) {
  const start = anchor.getTime() - HISTORY_DAYS * DAY_MS;
  const second = (time: number) => new Date(Math.floor(time / 1000) * 1000);
  const midnight = (days: number) => new Date(Math.floor(anchor.getTime() / DAY_MS) * DAY_MS + days * DAY_MS);
  const blocks = blocksOf(trades);
  return {
    start: new Date(start),
    lastBlock: FIRST_TRADE_BLOCK + blocks,
    registration(rank: number) {
      const before = REGISTRATION_DAYS * DAY_MS * (1 - rank / agents);
      return { block: FIRST_TRADE_BLOCK - agents + rank, logIndex: 0, time: second(start - before) };
    },
    trade(i: number) {
      const index = blockIndex(i);
      const logIndex = i > 0 && blockIndex(i - 1) === index ? 1 : 0;
      return {
        block: FIRST_TRADE_BLOCK + index,
        logIndex,
        time: second(start + (HISTORY_DAYS * DAY_MS * index) / blocks),
      };
    },
    /** The first season has ended and is frozen. The second is active. */
    seasons: [
      { number: 1, startAt: midnight(-42), endAt: midnight(-14) },
      { number: 2, startAt: midnight(-14), endAt: midnight(14) },
    ],
  };
}
export type Calendar = ReturnType<typeof calendar>;
