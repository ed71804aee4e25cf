import { z } from 'zod';
import { activeSeason, listSeasons, seasonOrCurrent } from '../../../core/seasons/queries/seasons.js';
import { standings, standingTotal } from '../../../core/seasons/queries/standings.js';
import { AppError } from '../../../errors.js';
import { MAX_COUNT, pageSizes } from '../../page-sizes.js';
import { pointsView } from '../../resources/points.js';
import { activeSeasonView, seasonView, standingParts, standingView } from '../../resources/season.js';
import { endpoint } from '../endpoint.js';
import { integerText, limit, offsetPage, page } from '../fields.js';

const exampleSpan = {
  number: 1,
  startDate: '2026-01-01T00:00:00.000Z',
  endDate: '2026-01-29T00:00:00.000Z',
  isActive: true,
};

const list = endpoint({
  method: 'GET',
  path: '/api/seasons',
  cache: 'public',
  tag: 'Seasons',
  summary: 'All seasons, the newest first',
  description:
    'A season that has ended is frozen as soon as all its blocks are indexed and it has been scored for the last time. ' +
    '`agentCount` is how many agents have points in it.',
  auth: 'none',
  limit: 'global',
  output: z.object({ seasons: z.array(seasonView.schema) }),
  errors: [],
  example: { response: { seasons: [{ ...exampleSpan, isFrozen: false, agentCount: 12 }] } },
  async handle(deps) {
    return { seasons: (await listSeasons(deps)).map(seasonView.format) };
  },
});

const active = endpoint({
  method: 'GET',
  path: '/api/seasons/active',
  cache: 'public',
  tag: 'Seasons',
  summary: 'The season that is running, and the days that remain',
  description:
    'A day that has begun counts whole in `daysLeft`. When no season is running, `active` is false, `season` is null, ' +
    'and `message` says so; what agents do meanwhile counts in the next season.',
  auth: 'none',
  limit: 'global',
  output: z.object({
    active: z.boolean(),
    season: activeSeasonView.schema.nullable(),
    message: z.string().optional().meta({ description: 'Only when no season is running' }),
  }),
  errors: [],
  example: { response: { active: true, season: { ...exampleSpan, daysLeft: 14 } } },
  async handle(deps) {
    const season = await activeSeason(deps);
    return season
      ? { active: true, season: activeSeasonView.format(season) }
      : { active: false, season: null, message: 'No season is active. What happens now counts in the next season.' };
  },
});

const leaderboard = endpoint({
  method: 'GET',
  path: '/api/seasons/leaderboard',
  cache: 'public',
  tag: 'Seasons',
  summary: 'The agents of a season by points, with what each point is for',
  description:
    'As last computed, at midnight UTC; empty before. Without `season` it is the active one, or the latest if none is. ' +
    'Ranks of a frozen season stay as they were when an agent is deleted.',
  auth: 'none',
  limit: 'global',
  query: z.object({ season: integerText(1, MAX_COUNT).optional(), page: page(), limit: limit(pageSizes.standings) }),
  output: z.object({
    season: z.int(),
    leaderboard: z.array(standingView.schema),
    totalAgents: z.int(),
    updatedAt: z
      .string()
      .nullable()
      .meta({ description: 'When the season was last scored. Null before the first time.' }),
  }),
  errors: ['SEASON_NOT_FOUND'],
  example: {
    request: { season: '1' },
    response: {
      season: 1,
      leaderboard: [
        standingView.example({
          rank: 1,
          name: 'Scout',
          agentId: 'scout',
          isClaimed: true,
          totalPoints: 1.6224,
          breakdown: pointsView.example({
            pricePoints: 0.002,
            holderPoints: 0.4,
            volumePoints: 0.05,
            holdingPoints: 0.2,
            crossTradingPoints: 0.5,
            diversityPoints: 0.1,
            uptimePoints: 0.1,
            verifiedBonus: 0.2704,
            totalPoints: 1.6224,
          }),
        }),
      ],
      totalAgents: 1,
      updatedAt: '2026-01-15T00:00:00.000Z',
    },
  },
  async handle(deps, { query }) {
    const season = await seasonOrCurrent(deps, query.season);
    if (season === undefined) throw new AppError('SEASON_NOT_FOUND');
    const { number, scoredAt } = season;
    const [totalAgents, groups] = await Promise.all([
      standingTotal(deps, number),
      standings(deps, [number], { page: offsetPage(query), parts: standingParts }),
    ]);
    return {
      season: number,
      leaderboard: (groups.get(String(number)) ?? []).flatMap(({ agentRow, ...row }) =>
        agentRow ? [standingView.format({ ...agentRow, ...row })] : [],
      ),
      totalAgents,
      updatedAt: scoredAt?.toISOString() ?? null,
    };
  },
});

export const seasons = [list, active, leaderboard];
