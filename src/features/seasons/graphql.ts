import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Int, Query, Resolver, Root } from 'type-graphql';
import { AppError } from '../../errors/errors.js';
import type { GraphContext, LoaderSource } from '../../server/graphql/context.js';
import {
  type Connection,
  connection,
  connectionOfList,
  connectionType,
  loaders,
  PageArgs,
  type PageRequest,
  pageFields,
  pageIn,
  pageOf,
  rowsByArguments,
  valueByArguments,
} from '../../server/graphql/types/connection.js';
import { argumentsOf } from '../../server/graphql/types/inputs.js';
import { type NodeReader, nodesOf } from '../../server/graphql/types/nodes.js';
import {
  nodeOf,
  nullableField,
  objectType,
  type ResolveInfo,
  registerEnum,
  type ValueOf,
} from '../../server/graphql/types/object-types.js';
import { pageSize } from '../../server/inputs.js';
import type { Node } from '../../server/resources/field.js';
import { agentField, ofAgent } from '../agents/graphql.js';
import { acts, actTotal } from './acts.js';
import { seasonLeaderboard } from './operations.js';
import { activeSeason, points, season, socialAct, socialActKind, standing, standingOrder, unlinkedStanding } from './resource.js';
import { daysLeft } from './rules.js';
import { type ListedSeason, listSeasons, seasonOrCurrent } from './seasons.js';
import { readPoints, type StandingOrder, type StandingRow, standings, standingTotals } from './standings.js';

const Season = objectType(season);
const ActiveSeason = objectType(activeSeason);
registerEnum(standingOrder);
objectType(unlinkedStanding);
const Standing = objectType(standing);
export const SeasonPointsType = objectType(points);
const StandingConnection = connectionType('Standing', () => Standing, 'standings of a season');
const SeasonConnection = connectionType('Season', () => Season, 'seasons');
const SocialAct = objectType(socialAct);
const SocialActKind = registerEnum(socialActKind);
const SocialActConnection = connectionType('SocialAct', () => SocialAct, 'social acts');

type Ordered = { readonly order: StandingOrder };
type OrderedPage = PageArgs & Ordered;
type StandingNode = Node<StandingRow>;
type SeasonNode = Node<ListedSeason>;

const seasonLoaders = ({ deps }: LoaderSource) => ({
  standings: rowsByArguments((seasons, page: PageRequest & Ordered) => standings(deps, seasons.map(Number), page)),
  standingCount: valueByArguments((seasons, { order }: Ordered) => standingTotals(deps, seasons.map(Number), order), 0),
  points: valueByArguments(
    (wallets, { season }: { readonly season?: number | undefined }) => readPoints(deps, wallets, season),
    null,
  ),
});

const seasonReader: NodeReader = {
  what: 'a season',
  form: /^Season:(\d{1,9})$/,
  read: async ({ deps }) =>
    nodesOf(
      (await listSeasons(deps)).map((season) => [String(season.number), season] as const),
      nodeOf(Season),
    ),
};

async function leaderboardOf(context: GraphContext, season: number, { order, ...args }: OrderedPage) {
  const { standings, standingCount } = loaders(context, seasonLoaders);
  const page = pageOf(args);
  const rows = await standings.load(String(season), { ...page, order });
  return connection(rows, page, nodeOf(Standing), () => standingCount.load(String(season), { order }));
}

agentField<StandingRow>(Standing, ({ wallet }) => wallet, {
  description: 'Agent at this rank. Null if the agent was deleted in the meantime.',
});

const SeasonArgs = argumentsOf<SeasonChoice>(seasonLeaderboard.input.pick({ season: true }));
type SeasonChoice = { readonly season?: number | null };
const OrderArgs = argumentsOf<OrderedPage>(pageFields(pageSize).extend(seasonLeaderboard.input.pick({ order: true }).shape));
const RankingArgs = argumentsOf<SeasonChoice & OrderedPage>(
  pageFields(pageSize).extend(seasonLeaderboard.input.pick({ season: true, order: true }).shape),
);

@ArgsType()
class SocialActArgs extends PageArgs {
  @Field(() => SocialActKind, { description: 'Kind of the acts to list.' })
  kind!: ValueOf<typeof SocialActKind>;
}

ofAgent(
  'points',
  {
    type: () => SeasonPointsType,
    args: SeasonArgs,
    nullable: true,
    description: 'Points of the agent in a season. Null if the agent has no points in it yet.',
  },
  async ({ wallet }, { season }, context) => {
    const points = await loaders(context, seasonLoaders).points.load(wallet, { season: season ?? undefined });
    return points && new SeasonPointsType(points);
  },
);

@Resolver(() => Season)
class SeasonResolver {
  @FieldResolver(() => StandingConnection, {
    description: 'Agents with points in the season, best rank first. Points are computed daily at 00:00 UTC.',
  })
  leaderboard(
    @Root() { row }: SeasonNode,
    @Args(() => OrderArgs) args: OrderedPage,
    @Ctx() context: GraphContext,
  ): Promise<Connection<StandingNode>> {
    return leaderboardOf(context, row.number, args);
  }

  @Query(() => SeasonConnection, { nullable: true, description: 'All seasons, newest first.' })
  async seasons(@Args(() => PageArgs) args: PageArgs, @Ctx() { deps }: GraphContext): Promise<Connection<SeasonNode>> {
    return connectionOfList(await listSeasons(deps), pageOf(args), {
      keyOf: ({ number }) => [String(number)],
      isAfter: ({ number }, [last]) => number < Number(last),
      nodeOf: nodeOf(Season),
    });
  }

  @Query(() => Season, nullableField('Season with the given number. Null with an error if the season does not exist.'))
  async season(
    @Arg('number', () => Int, { description: 'Number of the season, from 1.' }) number: number,
    @Ctx() { deps }: GraphContext,
  ): Promise<SeasonNode> {
    const season = (await listSeasons(deps)).find((listed) => listed.number === number);
    if (season === undefined) throw new AppError('SEASON_NOT_FOUND');
    return new Season(season);
  }

  @Query(() => ActiveSeason, nullableField('Season that is running now. Null if no season is running.'))
  async activeSeason(@Ctx() { deps }: GraphContext): Promise<Node | null> {
    const season = (await listSeasons(deps)).find(({ isActive }) => isActive);
    return season ? new ActiveSeason({ season, daysLeft: daysLeft(season, deps.clock.now()) }) : null;
  }

  @Query(() => StandingConnection, {
    nullable: true,
    description: 'Agents with points in a season, best rank first. Points are computed daily at 00:00 UTC.',
  })
  async seasonLeaderboard(
    @Args(() => RankingArgs) { season, ...args }: SeasonChoice & OrderedPage,
    @Ctx() context: GraphContext,
  ): Promise<Connection<StandingNode>> {
    const found = await seasonOrCurrent(context.deps, season ?? undefined);
    if (found === undefined) throw new AppError('SEASON_NOT_FOUND');
    return leaderboardOf(context, found.number, args);
  }

  @Query(() => SocialActConnection, {
    nullable: true,
    description:
      'All acts of a kind, newest first, also those that were undone, so that anybody can compute the points of a season. Acts of deleted ' +
      'agents, and on their posts, are not in it.',
  })
  async socialActs(
    @Args(() => SocialActArgs) { kind, ...args }: SocialActArgs,
    @Ctx() { deps }: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<Node>> {
    const page = pageIn(info, args);
    return connection(await acts(deps, kind, page), page, nodeOf(SocialAct), () => actTotal(deps, kind));
  }
}

export const resolvers = [SeasonResolver];
export const readers = [seasonReader];
