import type { Candle } from './documents';

const [WIDTH, HEIGHT] = [480, 160];
const [RISE, FALL] = ['light-dark(#087443, #3ddc97)', 'light-dark(#b42318, #ff8577)'];

/** Draws a line from the lowest to the highest price of each hour, and a box between the prices at its start and its end. */
export function Candles({ name, candles }: { name: string; candles: readonly Candle[] }) {
  if (candles.length === 0) return <p>No trade yet.</p>;
  const [top, bottom] = [Math.max(...candles.map(({ high }) => +high)), Math.min(...candles.map(({ low }) => +low))];
  const y = (price: string) => 4 + ((top - +price) / (top - bottom || 1)) * (HEIGHT - 8);
  const step = WIDTH / candles.length;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${candles.length} hours of the price of ${name}`}>
      {candles.map(({ id, open, high, low, close }, i) => {
        const [left, width] = [(i + 0.2) * step, step * 0.6];
        const box = `M${left} ${y(open)}h${width}V${y(close)}h${-width}Z`;
        const line = `M${left + width / 2} ${y(high)}V${y(low)}`;
        const color = +close < +open ? FALL : RISE;
        return <path key={id} d={box + line} fill={color} stroke={color} />;
      })}
    </svg>
  );
}
