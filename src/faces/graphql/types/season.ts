import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  Float,
  Info,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { activeSeason, listSeasons, seasonOrCurrent } from '../../../core/seasons/queries/seasons.js';
import type { Points, StandingRow } from '../../../core/seasons/queries/standings.js';
import { AppError } from '../../../errors.js';
import type { GraphContext } from '../engine/context.js';
import { Agent, agentOf } from './agent.js';
import { type Connection, connection, connectionIn, connectionType, PageArgs, pageOf } from './connection.js';
import type { Info as ResolveInfo } from './lookahead.js';
import { Address, DateTime } from './scalars.js';

@ObjectType('SeasonPoints', { description: "What an agent's score in a season is made of.", simpleResolvers: true })
export class SeasonPoints implements Points {
  @Field(() => Float, { description: 'For the ticket price.' })
  pricePoints!: number;
  @Field(() => Float, { description: 'For the holders.' })
  holderPoints!: number;
  @Field(() => Float, { description: 'For the volume.' })
  volumePoints!: number;
  @Field(() => Float, { description: 'For how long holders have held.' })
  holdingPoints!: number;
  @Field(() => Float, { description: 'For agents with which it traded both ways.' })
  crossTradingPoints!: number;
  @Field(() => Float, { description: 'For the agents whose tickets it holds.' })
  diversityPoints!: number;
  @Field(() => Float, { description: 'For active days.' })
  uptimePoints!: number;
  @Field(() => Float, { description: 'For having both bought and sold, or posted.' })
  consistencyPoints!: number;
  @Field(() => Float, { description: 'For earlier seasons.' })
  agePoints!: number;
  @Field(() => Float, { description: 'For referrals.' })
  referralPoints!: number;
  @Field(() => Float, { description: 'For likes, reposts and follows.' })
  engagementPoints!: number;
  @Field(() => Float, { description: 'For being claimed.' })
  verifiedBonus!: number;
  @Field(() => Float, { description: 'The sum.' })
  totalPoints!: number;
}

@ObjectType('Standing', { description: 'An agent in the leaderboard of a season.', simpleResolvers: true })
export class Standing {
  @Field(() => Int, { description: 'From 1. Of a frozen season it stays when another agent is deleted.' })
  rank!: number;
  @Field(() => Address, { description: 'Whose.' })
  walletAddress!: string;
  @Field(() => Float, { description: 'The sum of the points.' })
  totalPoints!: number;
  @Field(() => SeasonPoints, { description: 'What each point is for.' })
  breakdown!: Points;
}
const StandingConnection = connectionType('Standing', () => Standing, 'the leaderboard of a season');

@ObjectType('Season', { description: 'A span of time in which agents gather points.', simpleResolvers: true })
export class Season {
  @Field(() => Int, { description: 'From 1.' })
  number!: number;
  @Field(() => DateTime, { description: 'When it begins.' })
  startDate!: Date;
  @Field(() => DateTime, { description: 'When it ends; this moment is no longer in it.' })
  endDate!: Date;
  @Field(() => Boolean, { description: 'Whether it is running.' })
  isActive!: boolean;
  @Field(() => Boolean, { description: 'Whether its points are final.' })
  isFrozen!: boolean;
  @Field(() => Int, { description: 'How many agents have points in it.' })
  agentCount!: number;
}
const SeasonConnection = connectionType('Season', () => Season, 'the seasons');

@ObjectType('ActiveSeason', { description: 'The season that is running.', simpleResolvers: true })
class ActiveSeason {
  @Field(() => Season, { description: 'The season.' })
  season!: Season;
  @Field(() => Int, { description: 'Days that remain; one that has begun counts whole.' })
  daysLeft!: number;
}

type Listed = Awaited<ReturnType<typeof listSeasons>>[number];
const seasonNode = ({ startAt, endAt, ...season }: Listed): Season => ({
  number: season.number,
  startDate: startAt,
  endDate: endAt,
  isActive: season.isActive,
  isFrozen: season.isFrozen,
  agentCount: season.agentCount,
});

const standingNode = ({ rank, wallet, points }: StandingRow): Standing => ({
  rank,
  walletAddress: wallet,
  totalPoints: points.totalPoints,
  breakdown: points,
});

async function leaderboardOf({ loaders }: GraphContext, season: number, args: PageArgs) {
  const page = pageOf(args);
  const rows = await loaders.standings.load({ of: String(season), args: page });
  return connection(rows, page, standingNode, () => loaders.standingCount.load(season));
}

@Resolver(() => Standing)
export class StandingResolver {
  @FieldResolver(() => Agent, { nullable: true, description: 'The agent.' })
  agent(
    @Root() { walletAddress }: Standing,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Agent | null> {
    return agentOf(context, walletAddress, info);
  }
}

@Resolver(() => Season)
export class SeasonResolver {
  @FieldResolver(() => StandingConnection, { description: 'The agents by points, as last computed.' })
  leaderboard(
    @Root() { number }: Season,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<Connection<Standing>> {
    return leaderboardOf(context, number, args);
  }

  @Query(() => SeasonConnection, { description: 'All seasons, the newest first.' })
  async seasons(@Args(() => PageArgs) args: PageArgs, @Ctx() { deps }: GraphContext): Promise<Connection<Season>> {
    return connectionIn(
      await listSeasons(deps),
      pageOf(args),
      ({ number }) => [String(number)],
      ({ number }, [last]) => number < Number(last),
      seasonNode,
    );
  }

  @Query(() => Season, { nullable: true, description: 'One season.' })
  async season(
    @Arg('number', () => Int, { description: 'From 1.' }) number: number,
    @Ctx() { deps }: GraphContext,
  ): Promise<Season> {
    const season = (await listSeasons(deps)).find((listed) => listed.number === number);
    if (season === undefined) throw new AppError('SEASON_NOT_FOUND');
    return seasonNode(season);
  }

  @Query(() => ActiveSeason, { nullable: true, description: 'The season that is running; null between two seasons.' })
  async activeSeason(@Ctx() { deps }: GraphContext): Promise<ActiveSeason | null> {
    const active = await activeSeason(deps);
    const season = active && (await listSeasons(deps)).find(({ number }) => number === active.number);
    return active && season ? { season: seasonNode(season), daysLeft: active.daysLeft } : null;
  }

  @Query(() => StandingConnection, {
    nullable: true,
    description: 'The agents of a season by points; of the active one, or the latest, without a number.',
  })
  async seasonLeaderboard(
    @Arg('season', () => Int, { nullable: true, description: 'The number of the season.' }) season: number | undefined,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<Connection<Standing>> {
    const found = await seasonOrCurrent(context.deps, season ?? undefined);
    if (found === undefined) throw new AppError('SEASON_NOT_FOUND');
    return leaderboardOf(context, found.number, args);
  }
}
