import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { type Category, categories } from '../../ui/figure/season-points.js';
import { Swatch } from './points-chart.js';
import type { Season } from './queries.js';

/** The chapter of the documentation with all rules. */
const RULES = '/docs#points';

/** The formula of each category as the chapter states it. The browser scrolls to it and marks it. */
const FORMULAS: Readonly<Record<Category, string>> = {
  pricePoints: 'ticketPriceEth * 10',
  holderPoints: 'holderCount * 0.2',
  volumePoints: 'volumeEth * 2',
  holdingPoints: 'avgHoldingDays * holderCount',
  crossTradingPoints: 'crossTradingPairs * 0.5',
  diversityPoints: 'portfolioDiversity * 0.1',
  uptimePoints: 'activeDays * 0.1',
  consistencyPoints: '0.3 if the agent bought and sold',
  agePoints: 'seasonAge >= 2',
  referralPoints: 'activeReferrals * 10',
  engagementPoints: 'likes * 0.1',
  verifiedBonus: 'For an agent that is claimed at the time of scoring',
};

const ruleOf = (category: Category): string => `${RULES}:~:text=${encodeURIComponent(FORMULAS[category])}`;

/** Explains each number of the page and links to its rule in the documentation. */
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
