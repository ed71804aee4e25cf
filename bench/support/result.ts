import type { Target } from './figures.js';

/** One line of the results. */
export type Line = {
  /** Name of the row. */
  readonly row: string;
  readonly work: string;
  readonly against: string;
  /** Descriptions of both measured sides. */
  readonly product: string;
  readonly peer: string;
  /** Subject of the target. */
  readonly value: number;
  readonly target: Target;
  /** Remarks: method, ratio of CPU times, latencies. */
  readonly note: string;
};

export type Options = {
  /** URL of the server for the benchmark databases. */
  readonly server: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly quick: boolean;
  readonly say: (line: string) => void;
};

export type Row = {
  readonly name: string;
  /** Description for --list. */
  readonly title: string;
  /** Reason why a target is missed. Shown only if it is missed. */
  readonly explanation?: string;
  measure(options: Options): Promise<readonly Omit<Line, 'row'>[]>;
};
