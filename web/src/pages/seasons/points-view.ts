import { points, share } from '../../format/number.js';
import { texts } from '../../texts.js';
import { type Category, categories } from '../../ui/figure/season-points.js';
import type { Standing } from './queries.js';
import { nameOf } from './standing-name.js';
import { seasonTexts } from './texts.js';

const words = seasonTexts.chart;

/** What the chart shows: all categories, all but the one with the most points, or one category. */
export type View = 'all' | 'rest' | Category;
export const views: Readonly<Record<View, string>> = { ...words.views, ...texts.points };

/** Share of all points, in percent. If the largest category has more, its bars leave the others too narrow to compare. */
const MOST_SHARE = 50;

const pointsIn = (rows: readonly Standing[], category: Category): number =>
  rows.reduce((sum, { breakdown }) => sum + breakdown[category], 0);

/** The category in which these agents together have the most points, and its share of all their points in percent. */
export function largestOf(rows: readonly Standing[]): { readonly category: Category; readonly percent: number } {
  const [category = 'pricePoints'] = categories.toSorted((a, b) => pointsIn(rows, b) - pointsIn(rows, a));
  const all = rows.reduce((sum, { totalPoints }) => sum + totalPoints, 0);
  return { category, percent: all > 0 ? (100 * pointsIn(rows, category)) / all : 0 };
}

/** The view until the reader chooses one: without the largest category if its share is above `MOST_SHARE`. */
export const firstView = (rows: readonly Standing[]): View => (largestOf(rows).percent > MOST_SHARE ? 'rest' : 'all');

/** One agent in the chart, in its table and in its texts. */
export type Row = {
  readonly standing: Standing;
  /** Points in the shown categories. */
  readonly sum: number;
};

export type Shown = {
  readonly view: View;
  readonly categories: readonly Category[];
  /** The agents, most points in the shown categories first. Agents with equal points are in the order of their ranks. */
  readonly rows: readonly Row[];
  /** Says in a sentence what is shown. */
  readonly note: string;
};

export function shownIn(view: View, standings: readonly Standing[]): Shown {
  const { category: largest, percent } = largestOf(standings);
  const shown = view === 'all' ? categories : view === 'rest' ? categories.filter((one) => one !== largest) : ([view] as const);
  const sumOf = ({ breakdown, totalPoints }: Standing) =>
    view === 'all' ? totalPoints : shown.reduce((sum, one) => sum + breakdown[one], 0);
  const rows = standings
    .map((standing) => ({ standing, sum: sumOf(standing) }))
    .toSorted((a, b) => b.sum - a.sum || a.standing.rank - b.standing.rank);
  const [formula, meaning] = view === 'all' || view === 'rest' ? [] : seasonTexts.rules.of[view];
  const note =
    rows.length === 0
      ? texts.chart.empty
      : view === 'all'
        ? words.all(texts.points[largest], share(percent))
        : view === 'rest'
          ? words.rest(texts.points[largest], share(percent))
          : `${formula}. ${meaning} ${rows[0]?.sum === 0 ? words.nobody : ''}`.trimEnd();
  return { view, categories: shown, rows, note };
}

/** Describes a row in words. The text is for screen readers, and stands below the chart. */
export function describe({ view, categories: shown }: Shown, { standing, sum }: Row): string {
  const { rank, totalPoints, breakdown } = standing;
  const parts = shown.filter((one) => breakdown[one] > 0).toSorted((a, b) => breakdown[b] - breakdown[a]);
  const text = parts.map((one) => `${texts.points[one]} ${points(breakdown[one])}`).join(', ');
  if (view === 'all') return words.row(rank, nameOf(standing), points(totalPoints), text);
  return words.part(rank, nameOf(standing), points(sum), points(totalPoints), parts.length > 1 ? text : views[view]);
}

/** The main facts of the chart, for readers who do not see it. */
export function summaryOf({ view, rows: [first], note }: Shown): string {
  if (first === undefined) return texts.chart.empty;
  const leader = nameOf(first.standing);
  return `${view === 'all' ? words.leads(leader, points(first.sum)) : words.leadsIn(leader, points(first.sum))} ${note}`;
}
