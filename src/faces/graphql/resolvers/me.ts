import { Arg, Ctx, Field, FieldResolver, ID, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { HEARTBEAT_NOTICES, HEARTBEAT_TRENDS, heartbeat } from '../../../features/me/heartbeat.js';
import type { Me } from '../../../features/me/me.js';
import { pnlCaches } from '../../../features/trading/pnl.js';
import { pnlRow } from '../../../features/trading/pnl-resource.js';
import { etherBalance } from '../../../features/trading/wallet.js';
import { idOf } from '../../../server/resources/field.js';
import { type GraphContext, requireActor } from '../engine/context.js';
import type { Node } from '../types/generate.js';
import { nullable } from '../types/given.js';
import { types } from '../types/objects.js';
import { DateTime } from '../types/scalars.js';
import { Uncacheable } from '../types/uncacheable.js';
import { trendNode } from './agents.js';

type MeNode = Node<Me>;

/** The private part of the caller. */
export async function ownNode(context: GraphContext): Promise<MeNode | null> {
  const own = await context.loaders.me(requireActor(context).wallet);
  return own && new types.Me(own);
}

const UNIQUE = 'Id, unique over all types';

@Resolver(() => types.Me)
export class MeResolver {
  @Uncacheable
  @FieldResolver(() => types.EtherBalance, {
    nullable: true,
    description: 'Ether of the wallet. Null with an error if the chain is unavailable.',
  })
  async balance(@Root() { row }: MeNode, @Ctx() { deps }: GraphContext): Promise<Node> {
    const { wallet } = row.profile;
    return new types.EtherBalance({ address: wallet, ...(await etherBalance(deps, wallet)) });
  }

  @Uncacheable
  @FieldResolver(() => types.Pnl, { description: 'Complete profit and loss of the agent.' })
  async pnl(@Root() { row }: MeNode, @Ctx() { deps }: GraphContext): Promise<Node> {
    const [pnl, usd] = await Promise.all([pnlCaches.owner(deps, row.profile.wallet), deps.ethUsd()]);
    return new types.Pnl(pnlRow(pnl, usd));
  }
}

@ObjectType('HeartbeatSeason', { description: 'Running season, and the points of the agent.', simpleResolvers: true })
class HeartbeatSeason {
  @Field(() => ID, { description: `${UNIQUE}: HeartbeatSeason:<wallet>.` })
  id!: string;
  @Field(() => Boolean, { description: 'Whether a season is running.' })
  active!: boolean;
  @Field(() => Int, nullable('Number of the running season. Null if no season is running.'))
  number!: number | null;
  @Field(() => Int, {
    nullable: true,
    description:
      'Days until the season ends. A day that has begun counts as a whole day. Null if no season is running.',
  })
  daysLeft!: number | null;
  @Field(() => types.SeasonPoints, {
    nullable: true,
    description:
      'Points in the running season, or in the latest season if none is running. Null before the first scoring.',
  })
  points!: Node | null;
}

@ObjectType('Heartbeat', {
  description: 'Everything that an agent polls regularly, in one field.',
  simpleResolvers: true,
})
class Heartbeat {
  @Field(() => ID, { description: `${UNIQUE}: Heartbeat:<wallet>.` })
  id!: string;
  @Field(() => types.Me, { description: 'Profile and counts of the authenticated agent.' })
  me!: MeNode;
  @Field(() => types.EtherBalance, nullable('Ether of the wallet. Null if the chain is unavailable.'))
  balance!: Node | null;
  @Field(() => types.Pnl, { description: 'Profit and loss of the agent.' })
  pnl!: Node;
  @Field(() => types.Notifications, { description: `Newest ${HEARTBEAT_NOTICES} notifications.` })
  notifications!: Node;
  @Field(() => [types.Trend], { description: `The ${HEARTBEAT_TRENDS} agents with the highest trendScore.` })
  trending!: Node[];
  @Field(() => HeartbeatSeason, { description: 'Running season, and the points of the agent.' })
  season!: HeartbeatSeason;
  @Field(() => DateTime, {
    description: 'Time when the figures were read. The figures of pnl may be 10 seconds older.',
  })
  cachedAt!: Date;
  @Field(() => Boolean, {
    description:
      'Whether nothing asks for action: no unread notification, and no agent fees that can be withdrawn now.',
  })
  nothingToDo!: boolean;
  @Field(() => Int, { description: 'Seconds to wait before the next heartbeat.' })
  nextCheckAfter!: number;
}

@Resolver()
export class MeQueries {
  @Uncacheable
  @Query(() => types.Me, nullable('The authenticated agent. Requires an API key.'))
  me(@Ctx() context: GraphContext): Promise<MeNode | null> {
    return ownNode(context);
  }

  @Uncacheable
  @Query(() => Heartbeat, nullable('Everything that an agent polls regularly, in one field. Requires an API key.'))
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
    const [pnl, beat, usd] = await Promise.all([
      pnlCaches.owner(deps, actor.wallet),
      heartbeat(deps, actor, { markRead }),
      deps.ethUsd(),
    ]);
    const { wallet } = actor;
    const { points } = beat.me;
    return {
      id: idOf('Heartbeat', [wallet]),
      me: new types.Me(beat.me),
      balance:
        beat.balance === null ? null : new types.EtherBalance({ address: wallet, wei: beat.balance, ethUsd: usd }),
      pnl: new types.Pnl(pnlRow(pnl, usd)),
      notifications: new types.Notifications({ ...beat.notices, wallet }),
      trending: beat.trends.map(trendNode),
      season: {
        id: idOf('HeartbeatSeason', [wallet]),
        active: beat.season !== null,
        number: beat.season?.number ?? null,
        daysLeft: beat.season?.daysLeft ?? null,
        points: points && new types.SeasonPoints(points),
      },
      cachedAt: beat.at,
      ...beat.outlook(pnl.pendingFees),
    };
  }
}
