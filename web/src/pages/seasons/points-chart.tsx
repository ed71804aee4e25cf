import { useState } from 'preact/hooks';
import { points } from '../../format/number.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { ChartFrame } from '../../ui/chart/chart-frame.js';
import { type Category, categories } from '../../ui/figure/season-points.js';
import { ListTable } from '../../ui/list-table.js';
import { Bar } from '../../ui/skeleton.js';
import type { Standing } from './queries.js';
import { nameOf } from './standing-name.js';

const ROWS = 10;
/** Width of the gap between two parts, in percent of the longest bar. */
const GAP = 0.25;

/** The points of the leading agents, as bars of their categories. */
export function PointsChart({ standings }: { readonly standings: readonly Standing[] | undefined }) {
  const [chosen, choose] = useState<number | undefined>();
  const words = texts.seasons.chart;
  const rows = standings ?? [];
  const most = Math.max(0.01, ...rows.map(({ totalPoints }) => totalPoints));
  const describe = (index: number) => {
    const row = rows[index];
    return row ? words.row(row.rank, nameOf(row), points(row.totalPoints), partsOf(row)) : texts.chart.empty;
  };
  return (
    <Card title={words.title} class="points-chart">
      <Legend />
      <ChartFrame
        label={words.label}
        summary={summaryOf(rows)}
        length={rows.length}
        chosen={chosen}
        choose={choose}
        describe={describe}
        table={<PointsTable rows={rows} />}
      >
        <div class="bars" aria-busy={standings === undefined}>
          {Array.from({ length: ROWS }, (_, i) => {
            const row = rows[i];
            return (
              <div key={i} class={`bar-row ${i === chosen ? 'chosen' : ''}`}>
                {row ? <bdi class="name">{nameOf(row)}</bdi> : standings ? null : <Bar width={14} />}
                {row && <Stack row={row} most={most} />}
                {row && <span class="num">{points(row.totalPoints)}</span>}
              </div>
            );
          })}
        </div>
      </ChartFrame>
    </Card>
  );
}

function Stack({ row: { breakdown }, most }: { readonly row: Standing; readonly most: number }) {
  let x = 0;
  return (
    <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      {categories.map((category) => {
        const width = (100 * breakdown[category]) / most;
        const start = x;
        x += width;
        return (
          width > 0 && (
            <rect
              key={category}
              class={`category ${category}`}
              x={start}
              width={width > 4 * GAP ? width - GAP : width}
              height="8"
            />
          )
        );
      })}
    </svg>
  );
}

function Legend() {
  return (
    <ul class="legend small">
      {categories.map((category) => (
        <li key={category}>
          <Swatch category={category} />
          {texts.points[category]}
        </li>
      ))}
    </ul>
  );
}

/** The colour of a category. */
export function Swatch({ category }: { readonly category: Category }) {
  return (
    <svg class="swatch" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" focusable="false">
      <rect class={`category ${category}`} width="10" height="10" rx="3" />
    </svg>
  );
}

function PointsTable({ rows }: { readonly rows: readonly Standing[] }) {
  return (
    <ListTable class="compact">
      <caption class="hidden">{texts.seasons.chart.caption}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.common.agent}</th>
          {categories.map((category) => (
            <th key={category} scope="col" class="num">
              {texts.points[category]}
            </th>
          ))}
          <th scope="col" class="num">
            {texts.seasons.board.total}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.walletAddress}>
            <td>
              <bdi>{nameOf(row)}</bdi>
            </td>
            {categories.map((category) => (
              <td key={category} class="num">
                {points(row.breakdown[category])}
              </td>
            ))}
            <td class="num">{points(row.totalPoints)}</td>
          </tr>
        ))}
      </tbody>
    </ListTable>
  );
}

/** The categories with points, most first, in words. */
function partsOf({ breakdown }: Standing): string {
  const parts = categories.filter((one) => breakdown[one] > 0).toSorted((a, b) => breakdown[b] - breakdown[a]);
  return parts.map((one) => `${texts.points[one]} ${points(breakdown[one])}`).join(', ');
}

function summaryOf(rows: readonly Standing[]): string {
  const [first] = rows;
  if (first === undefined) return texts.chart.empty;
  const sum = (category: Category) => rows.reduce((total, { breakdown }) => total + breakdown[category], 0);
  const [largest = 'pricePoints'] = categories.toSorted((a, b) => sum(b) - sum(a));
  return texts.seasons.chart.summary(nameOf(first), points(first.totalPoints), texts.points[largest]);
}
