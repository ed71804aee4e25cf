import { midnightOf } from '../../../core/seasons/rules.js';
import { DAY, DAYS } from './happenings.js';

/** When the demo's days are. */
export type Calendar = {
  /** 00:00 UTC, so many days before today: the chain begins then, and the first season. */
  readonly start: Date;
  readonly midnight: Date;
  /** When something happens that the plan has at so many milliseconds. */
  when(at: number): Date;
};

/**
 * The history's days are whole days in UTC. Today is as long as it has lasted: what is planned for its 24 hours happens
 * between midnight and now, so that as much has happened today at whatever hour the market is built.
 */
export function calendar(now: Date): Calendar {
  const midnight = midnightOf(now);
  const start = new Date(midnight.getTime() - DAYS * DAY);
  const today = (now.getTime() - midnight.getTime()) / DAY;
  return {
    start,
    midnight,
    when: (at) =>
      at < DAYS * DAY
        ? new Date(start.getTime() + at)
        : new Date(midnight.getTime() + Math.floor((at - DAYS * DAY) * today)),
  };
}
