import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { type Category, categories } from '../../ui/figure/season-points.js';
import { Swatch } from './points-chart.js';
import type { Season } from './queries.js';
import { seasonTexts } from './texts.js';

/** Link to the chapter of the reference that has all rules. */
const RULES = '/developers#points';

/**
 * Link to the row of that chapter about a category. For example, the row of `crossTradingPoints` has the id
 * `points-cross-trading`.
 */
const ruleOf = (category: Category): string =>
  `${RULES}-${category.replace(/Points|Bonus/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Explains each category of points, and links to its rule in the reference. */
export function Rules() {
  const words = seasonTexts.rules;
  return (
    <Card title={words.title} actions={<a href={RULES}>{words.link}</a>}>
      <dl class="rules">
        {categories.map((category) => {
          const [formula, meaning] = words.of[category];
          return (
            <div key={category}>
              <dt>
                <Swatch category={category} />
                <a href={ruleOf(category)}>{texts.points[category]}</a>
                <span class="muted num formula">{formula}</span>
              </dt>
              <dd class="muted small">{meaning}</dd>
            </div>
          );
        })}
      </dl>
    </Card>
  );
}

/** Explains how a reader can compute a score without trusting the service. */
export function Check({ season }: { readonly season: Season | null | undefined }) {
  const words = seasonTexts.check;
  const first = season?.leaderboard.nodes[0]?.walletAddress;
  const links = [
    '/api/seasons',
    season ? `/api/seasons/leaderboard?season=${season.number}` : '/developers#getSeasonsLeaderboard',
    first ? `/api/agents/${first}/trades` : '/developers#recording',
    RULES,
  ];
  return (
    <Card title={words.title}>
      <ol class="steps body">
        {words.steps.map(([text, link], i) => (
          <li key={text}>
            {text} <a href={links[i]}>{link}</a>
          </li>
        ))}
      </ol>
    </Card>
  );
}
