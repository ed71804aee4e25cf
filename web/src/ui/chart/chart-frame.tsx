import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { texts } from '../../texts.js';
import { ChartEnd } from './chart-end.js';
import { pointAfter } from './point-keys.js';

type Props = {
  /** Name of the chart for assistive technology: what it shows. */
  readonly label: string;
  /** The main facts in a sentence or two, for readers who do not see the chart. */
  readonly summary: string;
  /** Number of points that arrow keys step through. */
  readonly length: number;
  /** Index of the chosen point. undefined if none is chosen. */
  readonly chosen: number | undefined;
  readonly choose: (index: number | undefined) => void;
  /** Describes the point with this index in words, for screen readers. */
  readonly describe: (index: number) => string;
  /** The data of the chart as a table. Omitted if the page already has such a table beside the chart. */
  readonly table?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
};

/**
 * Makes a chart readable without sight and without a pointer: a spoken summary, points by arrow keys, and a table. For assistive
 * technology the chart is a slider whose value is the chosen point. So screen readers speak each point without a live region.
 */
export function ChartFrame(props: Props) {
  const { label, summary, length, chosen, choose, describe, table, class: extra = '', children } = props;
  const id = useId();
  const last = Math.max(0, length - 1);
  const at = Math.min(chosen ?? last, last);
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return choose(undefined);
    const next = pointAfter(event.key, chosen, length);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
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
      <ChartEnd
        label={label}
        reading={chosen === undefined ? <span class="keys">{texts.chart.keys}</span> : describe(at)}
        table={table}
      />
    </div>
  );
}
