import { useState } from 'preact/hooks';
import { count, points } from '../../format/number.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { ChartFrame } from '../../ui/chart/chart-frame.js';
import { Choices } from '../../ui/control/choices.js';
import { useChoice } from '../../ui/control/use-choice.js';
import type { Category } from '../../ui/figure/season-points.js';
import { ListTable } from '../../ui/list-table.js';
import { Bar } from '../../ui/skeleton.js';
import { describe, firstView, type Row, type Shown, shownIn, summaryOf, type View, views } from './points-view.js';
import type { Standing } from './queries.js';
import { nameOf } from './standing-name.js';
import { seasonTexts } from './texts.js';

const ROWS = 10;
/** Width of the gap between two parts, in percent of the longest bar. A part that is narrower than four gaps has none. */
const GAP = 0.25;
const words = seasonTexts.chart;

/** The points of the leading agents as bars. The reader chooses all categories, all but the largest one, or one category. */
export function PointsChart({ standings }: { readonly standings: readonly Standing[] | undefined }) {
  const [chosen, choose] = useState<number | undefined>();
  const [view, setView] = useChoice<View>('points', views, firstView(standings ?? []));
  const shown = shownIn(view, standings ?? []);
  const { rows, note } = shown;
  const most = Math.max(...rows.map(({ sum }) => sum)) || 1;
  return (
    <Card title={words.title} class="points-chart">
      <Choices label={words.choose} options={views} chosen={view} choose={setView} mark={markOf} />
      <p class="small muted points-note">{standings && note}</p>
      <ChartFrame
        label={words.label(views[view])}
        summary={summaryOf(shown)}
        length={rows.length}
        chosen={chosen}
        choose={choose}
        describe={(index) => (rows[index] ? describe(shown, rows[index]) : texts.chart.empty)}
        table={<PointsTable shown={shown} />}
      >
        <div class="bars" aria-busy={standings === undefined} onPointerLeave={() => choose(undefined)}>
          {Array.from({ length: ROWS }, (_, i) => (
            <div
              key={i}
              class={`bar-row ${i === chosen ? 'chosen' : ''}`}
              onPointerEnter={({ pointerType }) => pointerType === 'mouse' && rows[i] && choose(i)}
            >
              {rows[i] ? <BarRow row={rows[i]} shown={shown} most={most} /> : !standings && <Bar width={14} />}
            </div>
          ))}
        </div>
      </ChartFrame>
    </Card>
  );
}

type BarProps = { readonly row: Row; readonly shown: Shown; readonly most: number };

function BarRow({ row, shown: { view, categories: parts }, most }: BarProps) {
  const { standing, sum } = row;
  return (
    <>
      <span class="muted num">{count(standing.rank)}</span>
      <bdi class="name">{nameOf(standing)}</bdi>
      <Stack standing={standing} parts={parts} most={most} />
      <span class="num">
        {points(sum)}
        {view !== 'all' && <span class="muted of"> {words.of(points(standing.totalPoints))}</span>}
      </span>
    </>
  );
}

type StackProps = { readonly standing: Standing; readonly parts: readonly Category[]; readonly most: number };

function Stack({ standing: { breakdown }, parts, most }: StackProps) {
  let x = 0;
  return (
    <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      {parts.map((category) => {
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

/** The colour of a category, on the button that chooses it. So the buttons are also the legend of the chart. */
const markOf = (view: View) => view !== 'all' && view !== 'rest' && <Swatch category={view} />;

/** A small square in the colour of a category. */
export function Swatch({ category }: { readonly category: Category }) {
  return (
    <svg class="swatch" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" focusable="false">
      <rect class={`category ${category}`} width="10" height="10" rx="3" />
    </svg>
  );
}

/** The data of the chart as a table, with the same rows and categories as the bars. */
function PointsTable({ shown: { view, categories: columns, rows } }: { readonly shown: Shown }) {
  return (
    <ListTable class="compact">
      <caption class="hidden">{words.caption(views[view])}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.common.agent}</th>
          {columns.map((category) => (
            <th key={category} scope="col" class="num">
              {texts.points[category]}
            </th>
          ))}
          {view === 'rest' && (
            <th scope="col" class="num">
              {words.sum}
            </th>
          )}
          <th scope="col" class="num">
            {seasonTexts.board.total}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ standing, sum }) => (
          <tr key={standing.walletAddress}>
            <td>
              <bdi>{nameOf(standing)}</bdi>
            </td>
            {columns.map((category) => (
              <td key={category} class="num">
                {points(standing.breakdown[category])}
              </td>
            ))}
            {view === 'rest' && <td class="num">{points(sum)}</td>}
            <td class="num">{points(standing.totalPoints)}</td>
          </tr>
        ))}
      </tbody>
    </ListTable>
  );
}
