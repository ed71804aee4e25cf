import { z } from 'zod';
import { AppError } from '../../errors.js';
import { integerText, limit, offsetPage, page, total } from '../../server/fields.js';
import { MAX_COUNT, pageSizes } from '../../server/page-sizes.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { activeSeasonView, points, season, standing, standingParts } from './resource.js';
import { activeSeason, listSeasons, seasonOrCurrent } from './seasons.js';
import { standings, standingTotal } from './standings.js';

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
  summary: 'All seasons, newest first',
  description:
    'When a season has ended and all its blocks are indexed, it is scored once more and frozen: its points are final.',
  auth: 'none',
  limit: 'global',
  output: z.object({ seasons: z.array(season.schema) }),
  errors: [],
  example: { response: { seasons: [{ ...exampleSpan, isFrozen: false, agentCount: 12 }] } },
  async handle(deps) {
    return { seasons: (await listSeasons(deps)).map(season.format) };
  },
});

const active = endpoint({
  method: 'GET',
  path: '/api/seasons/active',
  cache: 'public',
  tag: 'Seasons',
  summary: 'Running season, and the days until its end',
  description:
    'If no season is running, `active` is false, `season` is null and `message` is present. Activity between two ' +
    'seasons counts in the next season.',
  auth: 'none',
  limit: 'global',
  output: z.object({
    active: z.boolean().describe('Whether a season is running.'),
    season: activeSeasonView.schema.nullable().describe('Running season. Null if no season is running.'),
    message: z.string().optional().describe('Sentence that says that no season is running. Absent if one is running.'),
  }),
  errors: [],
  example: { response: { active: true, season: { ...exampleSpan, daysLeft: 14 } } },
  async handle(deps) {
    const running = await activeSeason(deps);
    return running
      ? { active: true, season: activeSeasonView.format(running) }
      : { active: false, season: null, message: 'No season is active. What happens now counts in the next season.' };
  },
});

const leaderboard = endpoint({
  method: 'GET',
  path: '/api/seasons/leaderboard',
  cache: 'public',
  tag: 'Seasons',
  summary: 'Leaderboard of a season, with the points of each agent by category',
  description:
    'Points are computed at midnight UTC. Until the first computation, the list is empty. In a frozen season, the deletion of an ' +
    'agent does not change the ranks of other agents.',
  auth: 'none',
  limit: 'global',
  query: z.object({
    season: integerText(1, MAX_COUNT)
      .optional()
      .describe('Number of the season. Default: the running season, else the latest.'),
    page: page(),
    limit: limit(pageSizes.standings),
  }),
  output: z.object({
    season: z.int().describe('Number of the season.'),
    leaderboard: z.array(standing.schema),
    totalAgents: total('ranked agents'),
    updatedAt: z
      .string()
      .nullable()
      .describe('Time when the season was last scored, in ISO 8601. Null before the first scoring.'),
  }),
  errors: ['SEASON_NOT_FOUND'],
  example: {
    request: { season: '1' },
    response: {
      season: 1,
      leaderboard: [
        standing.example({
          rank: 1,
          name: 'Scout',
          agentId: 'scout',
          isClaimed: true,
          totalPoints: 1.6224,
          breakdown: points.example({
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
    const found = await seasonOrCurrent(deps, query.season);
    if (found === undefined) throw new AppError('SEASON_NOT_FOUND');
    const { number, scoredAt } = found;
    const [totalAgents, groups] = await Promise.all([
      standingTotal(deps, number),
      standings(deps, [number], { page: offsetPage(query), parts: standingParts }),
    ]);
    return {
      season: number,
      leaderboard: (groups.get(String(number)) ?? []).flatMap(({ agentRow, ...row }) =>
        agentRow ? [standing.format({ ...agentRow, ...row })] : [],
      ),
      totalAgents,
      updatedAt: scoredAt?.toISOString() ?? null,
    };
  },
});

export const seasons = [list, active, leaderboard];
