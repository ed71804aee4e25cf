import { points as pointsText } from '../../format/number.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { categories } from '../../ui/figure/season-points.js';
import { Empty } from '../../ui/problem-view.js';
import { Bar } from '../../ui/skeleton.js';
import type { Agent } from './queries.js';

type Points = NonNullable<Agent['points']>;

type Props = { readonly points: Points | null | undefined; readonly isLoading: boolean; readonly wallet: string | undefined };

/** The points of the agent in the present season by category, most points first. */
export function PointsCard({ points, isLoading, wallet }: Props) {
  const words = texts.agent.points;
  const rows = points ? categories.toSorted((a, b) => points[b] - points[a]) : categories;
  // 0.01 is the smallest shown amount of points. Without it, the meters of an agent without points would end at 0.
  const most = points ? Math.max(...rows.map((name) => points[name]), 0.01) : 1;
  return (
    <Card title={words.title} actions={points && <strong class="num">{words.total(pointsText(points.totalPoints))}</strong>}>
      {!isLoading && !points ? (
        <Empty>{words.none}</Empty>
      ) : (
        <table class="points num">
          <caption class="hidden">{words.caption}</caption>
          <tbody aria-busy={isLoading}>
            {rows.map((name) => (
              <tr key={name}>
                <th scope="row">{texts.points[name]}</th>
                <td class="share">
                  <meter min={0} max={most} value={points?.[name] ?? 0} aria-hidden="true" />
                </td>
                <td>{points ? pointsText(points[name]) : <Bar width={4} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="card-end">{wallet && <a href={`/links/${wallet}`}>{texts.links.title}</a>}</p>
    </Card>
  );
}
