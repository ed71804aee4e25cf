import { z } from 'zod';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { integer, limit, MAX_COUNT, offsetPage, oneOfEnum, type PageSize, page, total } from '../../server/inputs.js';
import { operation, unrouted } from '../../server/operation.js';
import { ofAgents } from '../agents/queries.js';
import { activeSeasonView, points, season, standing, standingOrder, unlinkedStanding } from './resource.js';
import { listSeasons, readActiveSeason, seasonOrCurrent } from './seasons.js';
import { standings, standingTotal } from './standings.js';

const standingPage: PageSize = { fallback: 50, max: 100 };

const exampleSpan = {
  number: 1,
  startDate: '2026-01-01T00:00:00.000Z',
  endDate: '2026-01-29T00:00:00.000Z',
  isActive: true,
};

export const seasonList = operation({
  rest: 'GET /api/seasons',
  cache: 'public',
  tag: 'Seasons',
  summary: 'All seasons, newest first',
  description: 'When a season has ended and all its blocks are indexed, it is scored once more and frozen: its points are final.',
  auth: 'none',
  limit: 'global',
  input: z.object({}),
  output: z.object({ seasons: z.array(season.schema) }),
  samples: {
    client: 'curvet.seasons.list().take(5)',
    graphql: '{ seasons(first: 5) { nodes { number startDate endDate } } }',
  },
  example: { response: { seasons: [{ ...exampleSpan, isFrozen: false, agentCount: 12 }] } },
  async handle({ deps }) {
    return { seasons: await listSeasons(deps) };
  },
});

export const runningSeason = operation({
  rest: 'GET /api/seasons/active',
  cache: 'public',
  tag: 'Seasons',
  summary: 'Running season, and the days until its end',
  description:
    'If no season is running, `active` is false, `season` is null and `message` is present. Activity between two ' +
    'seasons counts in the next season.',
  auth: 'none',
  limit: 'global',
  input: z.object({}),
  output: z.object({
    active: z.boolean().describe('Whether a season is running.'),
    season: activeSeasonView.schema.nullable().describe('Running season. Null if no season is running.'),
    message: z.string().optional().describe('Sentence that says that no season is running. Absent if one is running.'),
  }),
  samples: {
    client: 'curvet.seasons.active()',
    graphql: '{ activeSeason { daysLeft season { number endDate } } }',
  },
  example: { response: { active: true, season: { ...exampleSpan, daysLeft: 14 } } },
  async handle({ deps }) {
    const running = await readActiveSeason(deps);
    return running
      ? { active: true, season: running }
      : { active: false, season: null, message: 'No season is active. What happens now counts in the next season.' };
  },
});

const rankingInput = z.object({
  season: integer(1, MAX_COUNT).optional().describe('Number of the season. Default: the running season, or the latest.'),
  order: oneOfEnum(standingOrder).default('points').describe('What the agents are sorted by.'),
  page: page(),
  limit: limit(standingPage),
});

export const seasonLeaderboard = operation({
  rest: 'GET /api/seasons/leaderboard',
  cache: 'public',
  tag: 'Seasons',
  summary: 'Leaderboard of a season, with the points by category',
  description:
    'Points are computed at midnight UTC. Until the first computation, the list is empty. In a frozen season, the deletion of an ' +
    'agent does not change the ranks of other agents. `withoutLinks` is the rank without what possibly linked wallets gave.',
  auth: 'none',
  limit: 'global',
  input: rankingInput,
  output: z.object({
    season: z.int().describe('Number of the season.'),
    leaderboard: z.array(standing.schema),
    totalAgents: total('ranked agents'),
    updatedAt: z.string().nullable().describe('Time when the season was last scored, in ISO 8601. Null before the first scoring.'),
  }),
  errors: ['SEASON_NOT_FOUND'],
  samples: {
    client: 'curvet.seasons.leaderboard({ season: 1 }).take(5)',
    graphql: '{ seasonLeaderboard(season: 1, first: 5) { nodes { rank totalPoints agent { name } } } }',
  },
  example: {
    request: { season: 1 },
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
          withoutLinks: unlinkedStanding.example({
            rank: 1,
            totalPoints: 1.6224,
            volumeWei: '25000000000000000',
            organicVolumeWei: '25000000000000000',
          }),
        }),
      ],
      totalAgents: 1,
      updatedAt: '2026-01-15T00:00:00.000Z',
    },
  },
  async handle({ deps }, input) {
    const { number, scoredAt, leaderboard, totalAgents } = await readRanking(deps, input);
    return { season: number, leaderboard, totalAgents, updatedAt: scoredAt?.toISOString() ?? null };
  },
});

async function readRanking(deps: Deps, { season, order, ...page }: z.output<typeof rankingInput>) {
  const found = await seasonOrCurrent(deps, season);
  if (found === undefined) throw new AppError('SEASON_NOT_FOUND');
  const [totalAgents, groups] = await Promise.all([
    standingTotal(deps, found.number, order),
    standings(deps, [found.number], { ...offsetPage(page), order }),
  ]);
  const leaderboard = await ofAgents(deps, groups.get(String(found.number)) ?? [], standing.parts);
  return { ...found, leaderboard, totalAgents };
}

export const getSeason = unrouted({
  tool: {
    name: 'get_season',
    title: 'Get a season and its ranking',
    description:
      'A season and its agents by points. Points are computed at midnight UTC. Until the first computation, the ranking is empty.',
  },
  auth: 'none',
  limit: 'global',
  input: rankingInput,
  output: z.object({
    season: season.schema,
    leaderboard: z.array(standing.schema),
    total: total('ranked agents'),
    updatedAt: z.string().nullable().describe('Time when the season was last scored. Null before the first scoring.'),
  }),
  cache: 'public',
  async handle({ deps }, input) {
    const { number, scoredAt, leaderboard, totalAgents } = await readRanking(deps, input);
    const found = (await listSeasons(deps)).find((one) => one.number === number);
    if (found === undefined) throw new AppError('SEASON_NOT_FOUND');
    return { season: found, leaderboard, total: totalAgents, updatedAt: scoredAt?.toISOString() ?? null };
  },
});
