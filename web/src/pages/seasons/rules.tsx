import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { categories } from '../../ui/figure/season-points.js';
import { Swatch } from './points-chart.js';
import type { Season } from './queries.js';

/** The chapter of the documentation with all rules. */
const RULES = '/docs#points';

/** What each number is, and the rule behind it. */
export function Rules() {
  const words = texts.seasons.rules;
  return (
    <Card title={words.title} actions={<a href={RULES}>{words.link}</a>}>
      <dl class="rules">
        {categories.map((category) => {
          const [formula, meaning] = words.of[category];
          return (
            <div key={category}>
              <dt>
                <Swatch category={category} />
                {texts.points[category]}
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

/** How a reader computes a score without trusting the service. */
export function Check({ season }: { readonly season: Season | null | undefined }) {
  const words = texts.seasons.check;
  const first = season?.leaderboard.nodes[0]?.walletAddress;
  const links = [
    '/api/seasons',
    season ? `/api/seasons/leaderboard?season=${season.number}` : '/docs#getSeasonsLeaderboard',
    first ? `/api/agents/${first}/trades` : '/docs#recording',
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
