import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import { activeSeason, listSeasons, seasonOrCurrent } from '../../../core/seasons/queries/seasons.js';
import type { StandingRow } from '../../../core/seasons/queries/standings.js';
import { AppError } from '../../../errors.js';
import type { GraphContext } from '../engine/context.js';
import { agentField } from './agent.js';
import { type Connection, connection, connectionIn, connectionType, PageArgs, pageOf } from './connection.js';
import { type Node, nodeOf } from './generate.js';
import { types } from './objects.js';

const StandingConnection = connectionType('Standing', () => types.Standing, 'the leaderboard of a season');
const SeasonConnection = connectionType('Season', () => types.Season, 'the seasons');

type StandingNode = Node<StandingRow>;
type SeasonRow = Awaited<ReturnType<typeof listSeasons>>[number];
type SeasonNode = Node<SeasonRow>;

async function leaderboardOf({ loaders }: GraphContext, season: number, args: PageArgs) {
  const page = pageOf(args);
  const rows = await loaders.standings.load({ of: String(season), args: page });
  return connection(rows, page, nodeOf(types.Standing), () => loaders.standingCount.load(season));
}

export const StandingAgent = agentField<StandingRow>(types.Standing, ({ wallet }) => wallet, {
  description: 'The agent.',
});

@Resolver(() => types.Season)
export class SeasonResolver {
  @FieldResolver(() => StandingConnection, { description: 'The agents by points, as last computed.' })
  leaderboard(
    @Root() { row }: SeasonNode,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<Connection<StandingNode>> {
    return leaderboardOf(context, row.number, args);
  }

  @Query(() => SeasonConnection, { description: 'All seasons, the newest first.' })
  async seasons(@Args(() => PageArgs) args: PageArgs, @Ctx() { deps }: GraphContext): Promise<Connection<SeasonNode>> {
    return connectionIn(await listSeasons(deps), pageOf(args), {
      keyOf: ({ number }) => [String(number)],
      isAfter: ({ number }, [last]) => number < Number(last),
      nodeOf: nodeOf(types.Season),
    });
  }

  @Query(() => types.Season, { nullable: true, description: 'One season.' })
  async season(
    @Arg('number', () => Int, { description: 'From 1.' }) number: number,
    @Ctx() { deps }: GraphContext,
  ): Promise<SeasonNode> {
    const season = (await listSeasons(deps)).find((listed) => listed.number === number);
    if (season === undefined) throw new AppError('SEASON_NOT_FOUND');
    return new types.Season(season);
  }

  @Query(() => types.ActiveSeason, {
    nullable: true,
    description: 'The season that is running; null between two seasons.',
  })
  async activeSeason(@Ctx() { deps }: GraphContext): Promise<Node | null> {
    const active = await activeSeason(deps);
    const season = active && (await listSeasons(deps)).find(({ number }) => number === active.number);
    return active && season ? new types.ActiveSeason({ season, daysLeft: active.daysLeft }) : null;
  }

  @Query(() => StandingConnection, {
    nullable: true,
    description: 'The agents of a season by points; of the active one, or the latest, without a number.',
  })
  async seasonLeaderboard(
    @Arg('season', () => Int, { nullable: true, description: 'The number of the season.' }) season: number | undefined,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<Connection<StandingNode>> {
    const found = await seasonOrCurrent(context.deps, season ?? undefined);
    if (found === undefined) throw new AppError('SEASON_NOT_FOUND');
    return leaderboardOf(context, found.number, args);
  }
}
