import type { Target } from './figures.js';

/** One line of the results. */
export type Line = {
  /** Name of the row (benchmark) that measured it. */
  readonly row: string;
  readonly work: string;
  /** What the service is compared with: a peer, itself under other conditions, or nothing (`absolute`). */
  readonly against: string;
  /** Figures of the service and of its peer, as text for the results. */
  readonly product: string;
  readonly peer: string;
  /** The measured figure, which the target applies to. */
  readonly value: number;
  readonly target: Target;
  /** CPU time of the peer per request, divided by that of the service. The steadier figure on a busy machine. */
  readonly cpuRatio?: number;
  /** Remarks on the method and on latencies. */
  readonly note: string;
  /** Minimum and maximum over several runs. `value` and `cpuRatio` are then medians. */
  readonly spread?: Readonly<Record<'value' | 'cpuRatio', readonly [min: number, max: number]>>;
};

export type Options = {
  /** URL of the PostgreSQL server on which the benchmark databases are. */
  readonly server: string;
  /** Number of measured rounds, and the length of a round. */
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
  /** Whether a run on the `quick` data would show nothing. `--quick` then leaves the row out. */
  readonly needsAllData?: boolean;
  measure(options: Options): Promise<readonly Omit<Line, 'row'>[]>;
};
