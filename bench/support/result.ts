import type { Target } from './figures.js';

/** One line of the results. */
export type Line = {
  /** Of the row that made it. */
  readonly row: string;
  readonly work: string;
  readonly against: string;
  /** What was measured on each side, in words. */
  readonly product: string;
  readonly peer: string;
  /** What the target is about. */
  readonly value: number;
  readonly target: Target;
  /** How, and whatever else is to be said: the CPU ratio, delays. */
  readonly note: string;
};

export type Options = {
  /** The server on which the databases are. */
  readonly server: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly quick: boolean;
  readonly say: (line: string) => void;
};

export type Row = {
  readonly name: string;
  /** What it measures, for --list. */
  readonly title: string;
  /** Why a target is missed, as far as it is known; shown when it is. */
  readonly limit?: string;
  measure(options: Options): Promise<readonly Omit<Line, 'row'>[]>;
};
