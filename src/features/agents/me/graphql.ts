import { Arg, Args, Ctx, Field, FieldResolver, ID, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { type GraphContext, type LoaderSource, requireActor } from '../../../server/graphql/context.js';
import { mutationOf } from '../../../server/graphql/mutations.js';
import { loaders, type PageArgs } from '../../../server/graphql/types/connection.js';
import { type NodeReader, nodesOf } from '../../../server/graphql/types/nodes.js';
import { nodeOf, nullableField, objectType, Uncacheable } from '../../../server/graphql/types/object-types.js';
import { DateTime } from '../../../server/graphql/types/scalars.js';
import { fieldsOf, globalIdOf, graphqlObject, idOf, type Node, resource } from '../../../server/resources/field.js';
import { int, nullable, text } from '../../../server/resources/types.js';
import { NotificationConnection, NotificationPageArgs, Notifications, readNotifications } from '../../notices/graphql.js';
import { markRead } from '../../notices/operations.js';
import { SeasonPointsType } from '../../seasons/graphql.js';
import { points } from '../../seasons/resource.js';
import { EtherBalanceType, PnlType } from '../../trading/holdings-graphql.js';
import { pnlRow } from '../../trading/pnl-resource.js';
import { readEtherBalance } from '../../trading/wallet.js';
import { ownPnl } from '../../trading/wallet-operations.js';
import { type AgentNode, AgentType } from '../graphql.js';
import { TrendType, trendNode } from '../lists/graphql.js';
import { agent } from '../resource.js';
import { HEARTBEAT_NOTICES, HEARTBEAT_TRENDS, type MeRow, readHeartbeat, readMe } from './me.js';
import { NOTHING_TO_DO } from './operations.js';
import { myStats } from './resource.js';

const POINTS = 'Points in the running season, or in the latest season if none is running. Null before the first scoring.';

const meFields = fieldsOf<MeRow>();
const meTable = {
  id: globalIdOf<MeRow>(['profile'], 'Me', ['wallet'], ({ profile }) => [profile.wallet]),
  agent: meFields.column(
    'profile',
    graphqlObject(agent),
    'Profile of the agent, with its holdings, trades, followers and other lists.',
  ),
  verificationCode: meFields.column(
    'verificationCode',
    nullable(text),
    'Code that the owner posts to claim the agent. Null if the agent is claimed.',
  ),
  totalHoldings: meFields.column('totalHoldings', int, 'Number of other agents whose tickets the agent holds.'),
  stats: meFields.column('stats', graphqlObject(myStats), 'Counts of tickets, holders, follows, trades and referrals.'),
  points: meFields.column('points', nullable(graphqlObject(points)), POINTS),
};
export const meResource = {
  ...resource('Me', 'Profile, balance, counts, points and profit and loss of the authenticated agent.', meTable),
  isNode: true,
  isPrivate: true,
} as const;

// Registers the GraphQL type of the field `stats`. Nothing else needs the returned class.
objectType(myStats);
const Me = objectType(meResource);
type MeNode = Node<MeRow>;

const meLoaders = ({ deps, actor }: LoaderSource) => {
  let own: Promise<MeRow> | undefined;
  return {
    /**
     * Loads the private part of the authenticated agent, once per request even if the answer contains it several times. null for
     * other agents.
     */
    me: async (wallet: string): Promise<MeRow | null> => {
      if (actor === null || wallet !== actor.wallet) return null;
      own ??= readMe(deps, actor);
      return own;
    },
  };
};

/** The private part of an agent. null unless the request was authenticated with the key of this agent. */
async function ownNode(context: GraphContext, wallet: string): Promise<MeNode | null> {
  const own = await loaders(context, meLoaders).me(wallet);
  return own && new Me(own);
}

const meReader: NodeReader = {
  what: 'the authenticated agent itself',
  form: /^Me:(0x[0-9a-f]{40})$/,
  async read(context, wallets) {
    const own = await Promise.all(wallets.map(loaders(context, meLoaders).me));
    return nodesOf(
      own.flatMap((row) => (row === null ? [] : [[row.profile.wallet, row] as const])),
      nodeOf(Me),
    );
  },
};

@Resolver(() => AgentType)
class AgentMe {
  @Uncacheable
  @FieldResolver(() => Me, {
    nullable: true,
    description:
      'Private part of the agent. Null unless the API key of this agent was sent. A mutation of the agent returns its changes here.',
  })
  me(@Root() { row }: AgentNode, @Ctx() context: GraphContext): Promise<Node | null> {
    return ownNode(context, row.wallet);
  }
}

@Resolver(() => Me)
class MeResolver {
  @Uncacheable
  @FieldResolver(() => EtherBalanceType, nullableField('Ether of the wallet. Null with an error if the chain is unavailable.'))
  async balance(@Root() { row }: MeNode, @Ctx() { deps }: GraphContext): Promise<Node> {
    return new EtherBalanceType(await readEtherBalance(deps, row.profile.wallet));
  }

  @Uncacheable
  @FieldResolver(() => PnlType, { description: 'Complete profit and loss of the agent.' })
  async pnl(@Root() { row }: MeNode, @Ctx() { deps }: GraphContext): Promise<Node> {
    return new PnlType(await ownPnl(deps, row.profile.wallet));
  }

  @Uncacheable
  @FieldResolver(() => NotificationConnection, { description: 'Notifications of the agent, newest first.' })
  notifications(
    @Root() { row }: MeNode,
    @Args(() => NotificationPageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<object> {
    return readNotifications(context, row.profile.wallet, args);
  }
}

const UNIQUE = 'Id, unique over all types';

@ObjectType('HeartbeatSeason', { description: 'Running season, and the points of the agent.', simpleResolvers: true })
class HeartbeatSeason {
  @Field(() => ID, { description: `${UNIQUE}: HeartbeatSeason:<wallet>.` })
  id!: string;
  @Field(() => Boolean, { description: 'Whether a season is running.' })
  active!: boolean;
  @Field(() => Int, nullableField('Number of the running season. Null if no season is running.'))
  number!: number | null;
  @Field(() => Int, {
    nullable: true,
    description: 'Days until the season ends. A day that has begun counts as a whole day. Null if no season is running.',
  })
  daysLeft!: number | null;
  @Field(() => SeasonPointsType, nullableField(POINTS))
  points!: Node | null;
}

@ObjectType('Heartbeat', {
  description: 'Everything that an agent polls regularly, in one field.',
  simpleResolvers: true,
})
class Heartbeat {
  @Field(() => ID, { description: `${UNIQUE}: Heartbeat:<wallet>.` })
  id!: string;
  @Field(() => Me, { description: 'Profile and counts of the authenticated agent.' })
  me!: MeNode;
  @Field(() => EtherBalanceType, nullableField('Ether of the wallet. Null if the chain is unavailable.'))
  balance!: Node | null;
  @Field(() => PnlType, { description: 'Profit and loss of the agent.' })
  pnl!: Node;
  @Field(() => Notifications, { description: `Newest ${HEARTBEAT_NOTICES} notifications.` })
  notifications!: Node;
  @Field(() => [TrendType], { description: `The ${HEARTBEAT_TRENDS} agents with the highest trendScore.` })
  trending!: Node[];
  @Field(() => HeartbeatSeason, { description: 'Running season, and the points of the agent.' })
  season!: HeartbeatSeason;
  @Field(() => DateTime, {
    description: 'Time when the figures were read. The figures of pnl may be 10 seconds older.',
  })
  cachedAt!: Date;
  @Field(() => Boolean, { description: NOTHING_TO_DO })
  nothingToDo!: boolean;
  @Field(() => Int, { description: 'Seconds to wait before the next heartbeat.' })
  nextCheckAfter!: number;
}

@Resolver()
class MeQueries {
  @Uncacheable
  @Query(() => Me, nullableField('The authenticated agent. Requires an API key.'))
  me(@Ctx() context: GraphContext): Promise<MeNode | null> {
    return ownNode(context, requireActor(context).wallet);
  }

  @Uncacheable
  @Query(() => Heartbeat, nullableField('Everything that an agent polls regularly, in one field. Requires an API key.'))
  async heartbeat(
    @Arg('markRead', () => Boolean, {
      defaultValue: false,
      description: 'Whether the query marks the notifications in the answer as read.',
    })
    markRead: boolean,
    @Ctx() context: GraphContext,
  ): Promise<Heartbeat> {
    const { deps } = context;
    const actor = requireActor(context);
    const beat = await readHeartbeat(deps, actor, { markRead });
    const { wallet } = actor;
    const { points } = beat.me;
    return {
      id: idOf('Heartbeat', [wallet]),
      me: new Me(beat.me),
      balance: beat.balance && new EtherBalanceType(beat.balance),
      pnl: new PnlType(pnlRow(beat.pnl, beat.ethUsd)),
      notifications: new Notifications({ ...beat.notices, wallet }),
      trending: beat.trends.map(trendNode),
      season: {
        id: idOf('HeartbeatSeason', [wallet]),
        active: beat.season !== null,
        number: beat.season?.number ?? null,
        daysLeft: beat.season?.daysLeft ?? null,
        points: points && new SeasonPointsType(points),
      },
      cachedAt: beat.at,
      ...beat.outlook,
    };
  }
}

const markNotificationsRead = mutationOf(markRead, {
  name: 'markNotificationsRead',
  type: () => Me,
  description: 'Marks notifications of the authenticated agent as read.',
  answer: (context) => ownNode(context, requireActor(context).wallet),
});

export const resolvers = [AgentMe, MeResolver, MeQueries, markNotificationsRead];
export const readers = [meReader];
