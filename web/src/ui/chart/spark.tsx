import { useId } from 'preact/hooks';
import { useTabStop } from '../list-table.js';
import { pointAfter } from './point-keys.js';

const WIDTH = 84;
const HEIGHT = 26;

type Props = {
  /** Name of the chart for assistive technology. */
  readonly label: string;
  /** Describes the line in a sentence, for screen readers. */
  readonly summary: string;
  readonly values: readonly number[];
  /**
   * Number of points that the whole width holds. Fewer values stand at the right end, so that the same time is at the same place
   * in the lines of all rows.
   */
  readonly slots: number;
  /** Index of the chosen point. undefined if none is chosen. */
  readonly chosen: number | undefined;
  readonly choose: (index: number | undefined) => void;
  /** Describes the point with this index in words, for screen readers. */
  readonly describe: (index: number) => string;
};

/**
 * A small line of values over time, without axes. Like the large charts it is a slider for assistive technology. The left and
 * right arrow keys read it point by point. The up and down keys are left to `ListTable`, which moves to the lines of other rows.
 */
export function Spark({ label, summary, values, slots, chosen, choose, describe }: Props) {
  const id = useId();
  const tabStop = useTabStop();
  const last = Math.max(0, values.length - 1);
  const at = Math.min(chosen ?? last, last);
  const place = placesOf(values, slots);
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
      onPointerMove={({ offsetX }) => choose(indexAt(offsetX, values.length, slots))}
      onPointerLeave={() => choose(undefined)}
    >
      <span class="hidden" id={id}>
        {summary}
      </span>
      <svg width={WIDTH} height={HEIGHT} aria-hidden="true" focusable="false">
        {values.length > 1 && <polyline points={place.map((pair) => pair.map((n) => n.toFixed(1)).join()).join(' ')} />}
        {values.length === 1 && <circle cx={x} cy={y} r="1.5" />}
        {chosen !== undefined && <circle cx={x} cy={y} r="2.5" />}
      </svg>
    </span>
  );
}

const stepOf = (slots: number): number => WIDTH / Math.max(1, slots - 1);

/** Returns the index of the point that is nearest to the pointer. */
function indexAt(x: number, length: number, slots: number): number {
  const slot = Math.round(x / stepOf(slots));
  return Math.min(length - 1, Math.max(0, slot - (slots - length)));
}

/** Computes where the points stand in the drawing, which leaves 2 pixels free above and below the line. */
function placesOf(values: readonly number[], slots: number): (readonly [x: number, y: number])[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const before = slots - values.length;
  return values.map((value, i) => [(before + i) * stepOf(slots), HEIGHT - 2 - ((value - low) / (high - low || 1)) * (HEIGHT - 4)]);
}
