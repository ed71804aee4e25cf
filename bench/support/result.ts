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
  /** The measured figure, which the target applies to. */
  readonly value: number;
  readonly target: Target;
  /** CPU time of the peer per request, divided by that of the service. The steadier figure on a busy machine. */
  readonly cpuRatio?: number;
  /** Remarks: method, latencies. */
  readonly note: string;
  /** Minimum and maximum over several runs. `value` and `cpuRatio` are then medians. */
  readonly spread?: Readonly<Record<'value' | 'cpuRatio', readonly [min: number, max: number]>>;
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
  /** Whether a short run on the `quick` data shows nothing, so that `--quick` leaves the row out. */
  readonly needsAllData?: boolean;
  measure(options: Options): Promise<readonly Omit<Line, 'row'>[]>;
};
