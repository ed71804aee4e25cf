/**
 * The time at which every world starts. It is not close to a midnight, to an hour or to the next second, so small steps cross
 * none.
 */
export const START = new Date('2026-11-20T12:10:20.250Z');

/** A clock that stands still until a test moves it. */
export class TestClock {
  #time = START.getTime();

  /** `onSecond` is called with the new time in seconds whenever another second has begun. */
  constructor(private readonly onSecond: (seconds: number) => void) {}

  now(): Date {
    return new Date(this.#time);
  }

  advance(milliseconds: number): void {
    const before = secondsOf(this.#time);
    this.#time += milliseconds;
    if (secondsOf(this.#time) !== before) this.onSecond(secondsOf(this.#time));
  }

  /** Does not call `onSecond`: a chain that is reset takes its time from its snapshot. */
  reset(): void {
    this.#time = START.getTime();
  }
}

export const secondsOf = (time: number | Date): number => Math.floor(Number(time) / 1000);
