import { midnightOf } from '../../../core/seasons/rules.js';
import { DAY, DAYS } from './planned-event.js';

/** Maps the plan's times to dates. */
export type Calendar = {
  /** 00:00 UTC, DAYS days before today: start of the chain and of the first season. */
  readonly start: Date;
  readonly midnight: Date;
  /** Date of an event that is planned `at` milliseconds after the start. */
  when(at: number): Date;
};

/**
 * Past days are whole UTC days. Today's 24 planned hours are compressed into the time between midnight and now, so that the
 * market has the same activity at any hour.
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
