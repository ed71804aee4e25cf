import { useId } from 'preact/hooks';
import { useTabStop } from '../list-table.js';
import { pointAfter } from './point-keys.js';

const WIDTH = 84;
const HEIGHT = 26;

type Props = {
  /** What the line shows, as its name. */
  readonly label: string;
  /** The line in a sentence, for readers who do not see it. */
  readonly summary: string;
  readonly values: readonly number[];
  /** The chosen point. undefined before the first key. */
  readonly chosen: number | undefined;
  readonly choose: (index: number | undefined) => void;
  /** A point in words. */
  readonly describe: (index: number) => string;
};

/**
 * A small line of values over time, without axes. Like the large charts it is a slider for assistive technology. Arrow keys to the
 * left and right read it point by point; those up and down are for its table, and lead to the lines of other rows.
 */
export function Spark({ label, summary, values, chosen, choose, describe }: Props) {
  const id = useId();
  const tabStop = useTabStop();
  const last = Math.max(0, values.length - 1);
  const at = Math.min(chosen ?? last, last);
  const place = placesOf(values);
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return choose(undefined);
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') return;
    const next = pointAfter(event.key, chosen, values.length);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
  };
  const isUp = (values[last] ?? 0) >= (values[0] ?? 0);
  const [x = 0, y = 0] = place[at] ?? [];
  return (
    <span
      class={`spark ${isUp ? 'up' : 'down'}`}
      role="slider"
      tabIndex={tabStop}
      aria-label={label}
      aria-describedby={id}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at}
      aria-valuetext={describe(at)}
      onKeyDown={press}
      onBlur={() => choose(undefined)}
      onPointerMove={({ offsetX }) => choose(Math.min(last, Math.max(0, Math.round((offsetX / WIDTH) * last))))}
      onPointerLeave={() => choose(undefined)}
    >
      <span class="hidden" id={id}>
        {summary}
      </span>
      <svg width={WIDTH} height={HEIGHT} aria-hidden="true" focusable="false">
        {values.length > 1 && <polyline points={place.map((pair) => pair.map((n) => n.toFixed(1)).join()).join(' ')} />}
        {chosen !== undefined && <circle cx={x} cy={y} r="2.5" />}
      </svg>
    </span>
  );
}

/** Where the points stand in the drawing. */
function placesOf(values: readonly number[]): (readonly [x: number, y: number])[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const step = WIDTH / Math.max(1, values.length - 1);
  return values.map((value, i) => [i * step, HEIGHT - 2 - ((value - low) / (high - low || 1)) * (HEIGHT - 4)]);
}
