import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { texts } from '../../texts.js';

type Props = {
  /** Name of the chart for assistive technology: what it shows. */
  readonly label: string;
  /** The main facts in a sentence or two, for readers who do not see the chart. */
  readonly summary: string;
  /** Number of points that arrow keys step through. */
  readonly length: number;
  /** The chosen point. undefined before the first key. */
  readonly chosen: number | undefined;
  readonly choose: (index: number | undefined) => void;
  /** Describes the point with this index in words, for screen readers. */
  readonly describe: (index: number) => string;
  /** The data of the chart as a table. Omitted if the page already has such a table beside the chart. */
  readonly table?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
};

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowDown: (at) => at - 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at) => at - 10,
  PageUp: (at) => at + 10,
  Home: () => 0,
  End: (_, last) => last,
};

/**
 * Makes a chart readable without sight and without a pointer: a spoken summary, points by arrow keys, and a table. The chart
 * is a slider for assistive technology, whose value is the chosen point: screen readers speak it without a live region.
 */
export function ChartFrame(props: Props) {
  const { label, summary, length, chosen, choose, describe, table, class: extra = '', children } = props;
  const [isTable, setTable] = useState(false);
  const id = useId();
  const last = Math.max(0, length - 1);
  const at = Math.min(chosen ?? last, last);
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.key === 'Escape') return choose(undefined);
    if (!step || length === 0) return;
    event.preventDefault();
    choose(chosen === undefined && event.key.startsWith('Arrow') ? last : Math.min(last, Math.max(0, step(at, last))));
  };
  return (
    <div class={`chart ${extra}`}>
      <p class="hidden" id={id}>
        {summary}
      </p>
      <div
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-describedby={id}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at}
        aria-valuetext={length === 0 ? texts.chart.empty : describe(at)}
        onKeyDown={press}
        onBlur={() => choose(undefined)}
      >
        {children}
      </div>
      <div class="chart-end">
        <span class="muted small reading num" aria-hidden="true">
          {chosen === undefined ? texts.chart.keys : describe(at)}
        </span>
        {table !== undefined && (
          <button type="button" class="button quiet" aria-expanded={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? texts.chart.hideTable : texts.chart.showTable}
          </button>
        )}
      </div>
      {isTable && (
        <div class="chart-table" role="region" aria-label={label} tabIndex={0}>
          {table}
        </div>
      )}
    </div>
  );
}
