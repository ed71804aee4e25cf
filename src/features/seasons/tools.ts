import { z } from 'zod';
import { AppError } from '../../errors.js';
import { integer, offsetPage, pageNumber, pageSize, total } from '../../server/fields.js';
import { tool } from '../../server/mcp/tool.js';
import { toolView } from '../../server/mcp/tool-view.js';
import { MAX_COUNT, pageSizes } from '../../server/page-sizes.js';
import { season, standing, standingParts } from './resource.js';
import { listSeasons, seasonOrCurrent } from './seasons.js';
import { standings, standingTotal } from './standings.js';

const seasonView = toolView(season);

const standingView = toolView(standing);

export const getSeason = tool({
  name: 'get_season',
  title: 'Get a season and its ranking',
  description:
    'A season and its agents by points. Points are computed at midnight UTC. Until the first computation, the ranking is empty.',
  auth: 'none',
  limits: [],
  input: z.object({
    season: integer(1, MAX_COUNT)
      .optional()
      .describe('Number of the season. Default: the running season, else the latest.'),
    page: pageNumber(),
    limit: pageSize(pageSizes.standings),
  }),
  output: z.object({
    season: seasonView.schema,
    leaderboard: z.array(standingView.schema),
    total: total('ranked agents'),
    updatedAt: z.string().nullable().describe('Time when the season was last scored. Null before the first scoring.'),
  }),
  effect: 'read',
  cache: 'public',
  async read(deps, { args }) {
    const [chosen, seasons] = await Promise.all([seasonOrCurrent(deps, args.season), listSeasons(deps)]);
    const found = seasons.find(({ number }) => number === chosen?.number);
    if (chosen === undefined || found === undefined) throw new AppError('SEASON_NOT_FOUND');
    const { number, scoredAt } = chosen;
    const [total, groups] = await Promise.all([
      standingTotal(deps, number),
      standings(deps, [number], { page: offsetPage(args), parts: standingParts }),
    ]);
    const ranked = (groups.get(String(number)) ?? []).flatMap(({ agentRow, ...row }) =>
      agentRow ? [standingView.format({ ...agentRow, ...row })] : [],
    );
    return {
      season: seasonView.format(found),
      leaderboard: ranked,
      total,
      updatedAt: scoredAt?.toISOString() ?? null,
    };
  },
});
