/** Median. For an even number of values, the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) throw new RangeError('no median of nothing');
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Percentile: the value that the given share of values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export type Target = {
  readonly at: 'least' | 'most';
  readonly value: number;
  readonly unit: 'times' | 'ms' | 's' | 'MB';
};

export const reached = (value: number, target: Target): boolean =>
  target.at === 'least' ? value >= target.value : value <= target.value;

/** Ratio of figure and target: 1 at the target, above 1 if the figure is better, whichever direction the target has. */
export function progress(value: number, target: Target): number {
  if (target.at === 'least') return value / target.value;
  // For a figure of 0, such as no growth, the ratio would be infinite. 2 is the longest bar of the chart.
  return value <= 0 ? 2 : target.value / value;
}

const digits = (value: number): string => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

export function shown(value: number, unit: Target['unit']): string {
  if (unit === 'times') return `${digits(value)}×`;
  return `${digits(value)} ${unit}`;
}

export const shownTarget = ({ at, value, unit }: Target): string => `${at === 'least' ? '≥' : '≤'} ${shown(value, unit)}`;
