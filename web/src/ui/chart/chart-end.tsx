import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../../texts.js';

type Props = {
  /** Name of the chart. */
  readonly label: string;
  /** The chosen point in words, or how to choose one. */
  readonly reading: ComponentChildren;
  /** The data of the chart as a table. undefined if the page has such a table beside the chart. */
  readonly table: ComponentChildren;
};

/** The line below a chart: the chosen point, and a button that shows the data as a table. */
export function ChartEnd({ label, reading, table }: Props) {
  const [isTable, setTable] = useState(false);
  return (
    <>
      <div class="chart-end">
        <span class="muted small reading num" aria-hidden="true">
          {reading}
        </span>
        {table !== undefined && (
          <button type="button" class="button quiet" aria-expanded={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? texts.chart.hideTable : texts.chart.showTable}
          </button>
        )}
      </div>
      {isTable && (
        <div class="chart-table" role="region" aria-label={texts.chart.table(label)} tabIndex={0}>
          {table}
        </div>
      )}
    </>
  );
}
