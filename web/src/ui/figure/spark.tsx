type Props = {
  readonly values: readonly number[];
  readonly label: string;
  readonly width?: number;
  readonly height?: number;
};

/** A small line of values over time, without axes. `label` says what it shows. */
export function Spark({ values, label, width = 84, height = 26 }: Props) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = high - low || 1;
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, i) => `${(i * step).toFixed(1)},${(height - 2 - ((value - low) / span) * (height - 4)).toFixed(1)}`,
  );
  const isUp = (values.at(-1) ?? 0) >= (values[0] ?? 0);
  return (
    <svg class={`spark ${isUp ? 'up' : 'down'}`} width={width} height={height} role="img" aria-label={label}>
      {values.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  );
}
