import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import { AppError } from '../../../errors.js';
import { activeSeason, listSeasons, seasonOrCurrent } from '../../../features/seasons/seasons.js';
import type { StandingRow } from '../../../features/seasons/standings.js';
import type { GraphContext } from '../engine/context.js';
import { agentField } from './agent.js';
import { type Connection, connection, connectionOfList, connectionType, PageArgs, pageOf } from './connection.js';
import { type Node, nodeOf } from './generate.js';
import { types } from './objects.js';

const StandingConnection = connectionType('Standing', () => types.Standing, 'standings of a season');
const SeasonConnection = connectionType('Season', () => types.Season, 'seasons');

type StandingNode = Node<StandingRow>;
type SeasonRow = Awaited<ReturnType<typeof listSeasons>>[number];
type SeasonNode = Node<SeasonRow>;

async function leaderboardOf({ loaders }: GraphContext, season: number, args: PageArgs) {
  const page = pageOf(args);
  const rows = await loaders.standings.load({ of: String(season), args: page });
  return connection(rows, page, nodeOf(types.Standing), () => loaders.standingCount.load(season));
}

agentField<StandingRow>(types.Standing, ({ wallet }) => wallet, {
  description: 'Agent at this rank. Null if the agent was deleted in the meantime.',
});

@Resolver(() => types.Season)
export class SeasonResolver {
  @FieldResolver(() => StandingConnection, {
    description: 'Agents with points in the season, best rank first. Points are computed daily at 00:00 UTC.',
  })
  leaderboard(
    @Root() { row }: SeasonNode,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<Connection<StandingNode>> {
    return leaderboardOf(context, row.number, args);
  }

  @Query(() => SeasonConnection, { nullable: true, description: 'All seasons, newest first.' })
  async seasons(@Args(() => PageArgs) args: PageArgs, @Ctx() { deps }: GraphContext): Promise<Connection<SeasonNode>> {
    return connectionOfList(await listSeasons(deps), pageOf(args), {
      keyOf: ({ number }) => [String(number)],
      isAfter: ({ number }, [last]) => number < Number(last),
      nodeOf: nodeOf(types.Season),
    });
  }

  @Query(() => types.Season, {
    nullable: true,
    description: 'Season with the given number. Null with an error if the season does not exist.',
  })
  async season(
    @Arg('number', () => Int, { description: 'Number of the season, from 1.' }) number: number,
    @Ctx() { deps }: GraphContext,
  ): Promise<SeasonNode> {
    const season = (await listSeasons(deps)).find((listed) => listed.number === number);
    if (season === undefined) throw new AppError('SEASON_NOT_FOUND');
    return new types.Season(season);
  }

  @Query(() => types.ActiveSeason, {
    nullable: true,
    description: 'Season that is running now. Null if no season is running.',
  })
  async activeSeason(@Ctx() { deps }: GraphContext): Promise<Node | null> {
    const active = await activeSeason(deps);
    const season = active && (await listSeasons(deps)).find(({ number }) => number === active.number);
    return active && season ? new types.ActiveSeason({ season, daysLeft: active.daysLeft }) : null;
  }

  @Query(() => StandingConnection, {
    nullable: true,
    description: 'Agents with points in a season, best rank first. Points are computed daily at 00:00 UTC.',
  })
  async seasonLeaderboard(
    @Arg('season', () => Int, {
      nullable: true,
      description: 'Number of the season. Default: the running season, or the latest season if none is running.',
    })
    season: number | undefined,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<Connection<StandingNode>> {
    const found = await seasonOrCurrent(context.deps, season ?? undefined);
    if (found === undefined) throw new AppError('SEASON_NOT_FOUND');
    return leaderboardOf(context, found.number, args);
  }
}
