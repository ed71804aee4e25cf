import { GraphQLJSONObject } from 'graphql-scalars';
import {
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  Float,
  ID,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { heartbeat } from '../../../core/desk/queries/heartbeat.js';
import { type Me as CoreMe, me as readMe } from '../../../core/desk/queries/me.js';
import { fetchNotifications, type Notices } from '../../../core/notices/commands/notifications.js';
import type { Points } from '../../../core/seasons/queries/standings.js';
import { etherBalance } from '../../../core/trading/queries/wallet.js';
import { usdNumber } from '../../../money.js';
import { pnlCaches } from '../../pnl-caches.js';
import { formatFigures, formatPnl } from '../../resources/pnl-shape.js';
import { type GraphContext, requireActor } from '../engine/context.js';
import { Uncacheable } from '../engine/uncacheable.js';
import { Agent, agentNode } from '../types/agent.js';
import { checkFirst } from '../types/connection.js';
import { NotificationType, type Of } from '../types/enums.js';
import { Pnl } from '../types/pnl.js';
import { Address, DateTime, Eth, Wei } from '../types/scalars.js';
import { SeasonPoints } from '../types/season.js';
import { Trend, trendNode } from './agents.js';

@ObjectType('MyStats', { description: 'Counts of the own agent.', simpleResolvers: true })
class MyStats {
  @Field(() => Int, { description: 'Tickets that the wallet holds, its own included.' })
  totalTickets!: number;
  @Field(() => Int, { description: 'Wallets that hold its tickets.' })
  holderCount!: number;
  @Field(() => Int, { description: 'Agents that follow it.' })
  followerCount!: number;
  @Field(() => Int, { description: 'Agents that it follows.' })
  followingCount!: number;
  @Field(() => Int, { description: 'Trades that it made.' })
  tradeCount!: number;
  @Field(() => Int, { description: 'Agents that name it as their referrer.' })
  referralCount!: number;
}

@ObjectType('EtherBalance', { description: 'The ether of a wallet, live from the chain.', simpleResolvers: true })
class EtherBalance {
  @Field(() => Address, { description: 'The wallet.' })
  address!: string;
  @Field(() => Wei, { description: 'What it has.' })
  balanceWei!: bigint;
  @Field(() => Eth, { description: 'The same in ETH.' })
  balanceEth!: bigint;
  @Field(() => String, { description: 'The same in US dollars, with two decimals.' })
  balanceUsd!: string;
  @Field(() => Float, { description: 'US dollars for 1 ETH.' })
  ethUsd!: number;
}

const balanceNode = (address: string, wei: bigint, ethUsd: number): EtherBalance => ({
  address,
  balanceWei: wei,
  balanceEth: wei,
  balanceUsd: usdNumber(wei, ethUsd).toFixed(2),
  ethUsd,
});

@ObjectType('Me', { description: 'All that an agent wants to know of itself.', simpleResolvers: true })
class Me {
  @Field(() => Agent, { description: 'The agent of the key; from here its holdings, trades, followers and so on.' })
  agent!: Agent;
  @Field(() => String, { nullable: true, description: 'What its owner has to post; null once it is claimed.' })
  verificationCode!: string | null;
  @Field(() => Int, { description: 'In how many other agents it holds tickets.' })
  totalHoldings!: number;
  @Field(() => MyStats, { description: 'Counts.' })
  stats!: MyStats;
  @Field(() => SeasonPoints, { nullable: true, description: 'In the season that counts now; null before scoring.' })
  points!: Points | null;
}

const meNode = ({ profile, verificationCode, totalHoldings, stats, points }: CoreMe): Me => ({
  agent: agentNode(profile),
  verificationCode,
  totalHoldings,
  stats,
  points,
});

@Resolver(() => Me)
export class MeResolver {
  @FieldResolver(() => EtherBalance, { nullable: true, description: 'Its ether. An error without the chain.' })
  async balance(@Root() { agent }: Me, @Ctx() { deps }: GraphContext): Promise<EtherBalance> {
    const { wei, ethUsd } = await etherBalance(deps, agent.id);
    return balanceNode(agent.id, wei, ethUsd);
  }

  @FieldResolver(() => Pnl, { description: 'Its profit and loss in full.' })
  async pnl(@Root() { agent }: Me, @Ctx() { deps }: GraphContext): Promise<Pnl> {
    const [pnl, usd] = await Promise.all([pnlCaches.owner(deps, agent.id), deps.ethUsd()]);
    return formatPnl(pnl, usd);
  }
}

@ObjectType('Notification', { description: 'Something that happened to the agent.', simpleResolvers: true })
export class Notification {
  @Field(() => ID, { description: 'Ascending with time.' })
  id!: string;
  @Field(() => NotificationType, { description: 'What it is about.' })
  type!: Of<typeof NotificationType>;
  @Field(() => String, { description: 'In words.' })
  message!: string;
  @Field(() => GraphQLJSONObject, { description: 'Who and what: names, addresses, amounts.' })
  data!: Readonly<Record<string, string | number | null>>;
  @Field(() => Boolean, { description: 'Whether it had been fetched before.' })
  read!: boolean;
  @Field(() => DateTime, { description: 'When it happened.' })
  createdAt!: Date;
}

@ObjectType('Notifications', {
  description: 'As they were before this request, which has read them.',
  simpleResolvers: true,
})
class Notifications {
  @Field(() => [Notification], { description: 'The newest first.' })
  notifications!: Notification[];
  @Field(() => Int, { description: 'How many had not been read.' })
  totalUnread!: number;
}

const noticesNode = ({ notifications, totalUnread }: Notices): Notifications => ({
  notifications: notifications.map(({ id, ...notice }) => ({ id: String(id), ...notice })),
  totalUnread,
});

@ArgsType()
class NotificationArgs {
  @Field(() => Int, { defaultValue: 50, description: 'How many, the newest: 1 to 100.' })
  first!: number;
}

@ObjectType('HeartbeatSeason', { description: 'Where the agent stands in the season.', simpleResolvers: true })
class HeartbeatSeason {
  @Field(() => Boolean, { description: 'Whether a season is running.' })
  active!: boolean;
  @Field(() => Int, { nullable: true, description: 'Its number.' })
  number!: number | null;
  @Field(() => Int, { nullable: true, description: 'Days that remain.' })
  daysLeft!: number | null;
  @Field(() => SeasonPoints, { nullable: true, description: 'Its points; null before scoring.' })
  points!: Points | null;
}

@ObjectType('Heartbeat', { description: "An agent's whole round in one field.", simpleResolvers: true })
class Heartbeat {
  @Field(() => Me, { description: 'The agent itself.' })
  me!: Me;
  @Field(() => EtherBalance, { nullable: true, description: 'Null while the chain is out of reach.' })
  balance!: EtherBalance | null;
  @Field(() => Pnl, { description: 'Without the list of sales.' })
  pnl!: Omit<Pnl, 'realized'>;
  @Field(() => Notifications, { description: 'The newest 50, which this reads.' })
  notifications!: Notifications;
  @Field(() => [Trend], { description: 'Where much goes on: 10.' })
  trending!: Trend[];
  @Field(() => HeartbeatSeason, { description: 'Where the agent stands in the season.' })
  season!: HeartbeatSeason;
  @Field(() => DateTime, { description: 'When the figures were read; those of pnl may be 10 seconds older.' })
  cachedAt!: Date;
}

@Resolver()
export class MeQueries {
  @Uncacheable
  @Query(() => Me, { nullable: true, description: 'The agent of the key.' })
  async me(@Ctx() context: GraphContext): Promise<Me> {
    return meNode(await readMe(context.deps, requireActor(context)));
  }

  @Uncacheable
  @Query(() => Notifications, { nullable: true, description: 'What happened to the agent of the key.' })
  async notifications(
    @Args(() => NotificationArgs) { first }: NotificationArgs,
    @Ctx() context: GraphContext,
  ): Promise<Notifications> {
    const actor = requireActor(context);
    checkFirst(first, 100);
    return noticesNode(await fetchNotifications(context.deps, actor.wallet, first));
  }

  @Uncacheable
  @Query(() => Heartbeat, { nullable: true, description: 'What the agent of the key looks at in every round.' })
  async heartbeat(@Ctx() context: GraphContext): Promise<Heartbeat> {
    const { deps } = context;
    const actor = requireActor(context);
    const [pnl, beat, usd] = await Promise.all([
      pnlCaches.owner(deps, actor.wallet),
      heartbeat(deps, actor),
      deps.ethUsd(),
    ]);
    return {
      me: meNode(beat.me),
      balance: beat.balance === null ? null : balanceNode(actor.wallet, beat.balance, usd),
      pnl: formatFigures(pnl, usd),
      notifications: noticesNode(beat.notices),
      trending: beat.trends.map(trendNode),
      season: {
        active: beat.season !== null,
        number: beat.season?.number ?? null,
        daysLeft: beat.season?.daysLeft ?? null,
        points: beat.me.points,
      },
      cachedAt: beat.at,
    };
  }
}
