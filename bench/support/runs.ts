import { median } from './figures.js';
import type { Line } from './result.js';

/** The medians of several runs of a row, with their spread. Both sides are described as in the run nearest to the median. */
export function combine(runs: readonly (readonly Line[])[]): readonly Line[] {
  const [first = []] = runs;
  if (runs.length < 2) return first;
  return first.map((line, i) => {
    const lines = runs.map((run) => run[i] ?? line);
    const values = lines.map(({ value }) => value);
    const value = median(values);
    const nearest = lines.reduce((best, other) => (Math.abs(other.value - value) < Math.abs(best.value - value) ? other : best));
    const ratios = lines.flatMap(({ cpuRatio }) => cpuRatio ?? []);
    const spread = { value: rangeOf(values), cpuRatio: rangeOf(ratios) };
    return { ...nearest, value, ...(ratios.length > 0 ? { cpuRatio: median(ratios) } : {}), spread };
  });
}

const rangeOf = (values: readonly number[]): readonly [number, number] => [Math.min(...values), Math.max(...values)];
