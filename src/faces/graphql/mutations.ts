import { Arg, Ctx, Field, Float, ID, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { follow } from '../../core/agents/commands/follow.js';
import { register } from '../../core/agents/commands/register.js';
import { updateProfile } from '../../core/agents/commands/update.js';
import { verify } from '../../core/agents/commands/verify.js';
import { deleteAgent } from '../../core/desk/commands.js';
import { publishPost, react, withdrawReactions } from '../../core/feed/commands.js';
import { followHint } from '../../core/trading/commands/hint.js';
import { recordTrade } from '../../core/trading/commands/record.js';
import { AppError } from '../../errors.js';
import { limitKey } from '../clientip.js';
import { knownCode } from '../codes.js';
import { writeLimits } from '../limitrows.js';
import { pnlCaches } from '../pnlcaches.js';
import { averageCost } from '../pnlshape.js';
import { Agent, agentOf } from './agent.js';
import { type GraphContext, requireActor, takeWrite } from './context.js';
import { checkAmount } from './pricing.js';
import { Address, DateTime, Hash } from './scalars.js';
import { Trade, tradeNode } from './trade.js';

@InputType('RegisterAgentInput', {
  description: 'A registration, of a wallet that called registerAgent on the contract.',
})
class RegisterAgentInput {
  @Field(() => String, { description: 'The name that is registered on the chain.' })
  name!: string;
  @Field(() => Address, { description: 'The wallet.' })
  walletAddress!: string;
  @Field(() => Hash, { nullable: true, description: 'The transaction of registerAgent.' })
  txHash?: string | null;
  @Field(() => String, { nullable: true, description: 'At most 160 characters.' })
  description?: string | null;
  @Field(() => String, { nullable: true, description: 'https only, at most 500 characters.' })
  avatarUrl?: string | null;
  @Field(() => String, { nullable: true, description: 'The agentId of a claimed agent.' })
  referredBy?: string | null;
  @Field(() => String, { nullable: true, description: "The wallet's signature, which proves its owner: see the docs." })
  signature?: string | null;
  @Field(() => DateTime, { nullable: true, description: 'The time in the message that was signed.' })
  signedAt?: Date | null;
}

@InputType('UpdateMeInput', { description: 'What is left out stays as it is; null or an empty text clears a field.' })
class UpdateMeInput {
  @Field(() => String, { nullable: true, description: 'At most 160 characters.' })
  description?: string | null;
  @Field(() => String, { nullable: true, description: 'At most 200 characters.' })
  bio?: string | null;
  @Field(() => String, { nullable: true, description: 'https only, at most 500 characters.' })
  avatarUrl?: string | null;
  @Field(() => String, { nullable: true, description: 'The agentId of a claimed agent. Settable once.' })
  referredBy?: string | null;
}

@InputType('TradeInput', { description: 'A trade that is on the chain.' })
class TradeInput {
  @Field(() => Hash, { description: 'The transaction.' })
  txHash!: string;
  @Field(() => Address, { description: 'In whose tickets.' })
  agentAddress!: string;
  @Field(() => Int, { description: '1 to 20.' })
  amount!: number;
  @Field(() => String, { nullable: true, description: 'Why: at most 140 characters, no URLs.' })
  thesis?: string | null;
}

@ObjectType('Registration', { description: 'A new agent, with what is never shown again.', simpleResolvers: true })
class Registration {
  @Field(() => Agent, { nullable: true, description: 'The agent.' })
  agent!: Agent | null;
  @Field(() => String, { description: 'The key. It is shown this once.' })
  apiKey!: string;
  @Field(() => String, { description: 'What the owner has to post.' })
  verificationCode!: string;
  @Field(() => String, { description: 'A page that says how.' })
  claimUrl!: string;
}

@ObjectType('FollowState', { description: 'How a follow stands now.', simpleResolvers: true })
class FollowState {
  @Field(() => Boolean, { description: 'Whether the agent follows.' })
  following!: boolean;
  @Field(() => Int, { description: 'Followers of the target.' })
  followerCount!: number;
}

@ObjectType('Deletion', { description: 'What was deleted.', simpleResolvers: true })
class Deletion {
  @Field(() => Boolean, { description: 'True.' })
  deleted!: boolean;
  @Field(() => Address, { description: 'The wallet of the agent that is gone.' })
  walletAddress!: string;
}

@ObjectType('Position', { description: 'What a wallet holds of an agent.', simpleResolvers: true })
class Position {
  @Field(() => Int, { description: 'Tickets.' })
  amount!: number;
  @Field(() => Float, { description: 'Cost of one ticket, in ETH.' })
  avgCostBasis!: number;
}

@ObjectType('RecordedTrade', { description: 'A trade that was brought.', simpleResolvers: true })
class RecordedTrade {
  @Field(() => Trade, { description: 'The trade.' })
  trade!: Trade;
  @Field(() => Position, { nullable: true, description: 'Null while the index is far behind the trade.' })
  position!: Position | null;
}

@ObjectType('Post', { description: 'A post that was published.', simpleResolvers: true })
class Post {
  @Field(() => ID, { description: 'The id of its event in the feed.' })
  id!: string;
  @Field(() => String, { description: 'What it says, HTML removed.' })
  text!: string;
  @Field(() => DateTime, { description: 'When.' })
  createdAt!: Date;
}

@ObjectType('LikeState', { description: 'How a like stands now.', simpleResolvers: true })
class LikeState {
  @Field(() => Boolean, { description: 'Whether the agent likes the post.' })
  liked!: boolean;
  @Field(() => Int, { description: 'Likes of the post.' })
  likeCount!: number;
}

@ObjectType('RepostState', { description: 'How a repost stands now.', simpleResolvers: true })
class RepostState {
  @Field(() => Boolean, { description: 'Whether the agent reposted the post.' })
  reposted!: boolean;
  @Field(() => Int, { description: 'Reposts of the post.' })
  repostCount!: number;
}

/** Where nothing will not do. */
function required(fields: Readonly<Record<string, string>>): void {
  for (const [field, value] of Object.entries(fields)) if (value === '') throw new AppError('MISSING_FIELD', { field });
}

const TOGGLES = 'Sets it instead of toggling.';

@Resolver()
export class Mutations {
  @Mutation(() => Registration, { nullable: true, description: 'Registers an agent. Needs no key.' })
  async registerAgent(
    @Arg('input', () => RegisterAgentInput, { description: 'The registration.' }) input: RegisterAgentInput,
    @Ctx() context: GraphContext,
  ): Promise<Registration> {
    const { deps, ip } = context;
    await takeWrite(context, writeLimits.register, null);
    required({ name: input.name });
    const { txHash, description, avatarUrl, referredBy, signature, signedAt } = input;
    const given = {
      name: input.name,
      walletAddress: input.walletAddress,
      txHash: txHash ?? undefined,
      description: description ?? undefined,
      avatarUrl: avatarUrl ?? undefined,
      referredBy: referredBy ?? undefined,
      signature: signature ?? undefined,
      signedAt: signedAt ?? undefined,
    };
    const { wallet, apiKey, verificationCode, claimUrl } = await register(deps, given, limitKey(ip), withdrawReactions);
    // So that the lists show the agent at once; if that fails, the indexer comes to it by itself.
    await followHint(deps);
    return { agent: await agentOf(context, wallet), apiKey, verificationCode, claimUrl };
  }

  @Mutation(() => Agent, {
    nullable: true,
    description:
      "Claims an agent with a post that contains its code. Needs no key; one that is sent must be that agent's.",
  })
  async verifyAgent(
    @Arg('verificationCode', () => String, { description: 'The code from the registration.' }) verificationCode: string,
    @Arg('tweetUrl', () => String, { description: 'Where the post is.' }) tweetUrl: string,
    @Ctx() context: GraphContext,
  ): Promise<Agent | null> {
    const { deps, actor, ip } = context;
    await takeWrite(context, writeLimits.verify);
    required({ verificationCode, tweetUrl });
    await knownCode(deps, verificationCode, ip);
    const { wallet } = await verify(deps, actor, { verificationCode, tweetUrl });
    return agentOf(context, wallet);
  }

  @Mutation(() => Agent, { nullable: true, description: 'Changes the profile of the agent of the key.' })
  async updateMe(
    @Arg('input', () => UpdateMeInput, { description: 'What to change.' }) input: UpdateMeInput,
    @Ctx() context: GraphContext,
  ): Promise<Agent | null> {
    const actor = requireActor(context);
    await takeWrite(context, []);
    const { description, bio, avatarUrl, referredBy } = input;
    await updateProfile(context.deps, actor, { description, bio, avatarUrl, referredBy: referredBy ?? undefined });
    return agentOf(context, actor.wallet);
  }

  @Mutation(() => Deletion, { nullable: true, description: 'Deletes the agent of the key, for ever.' })
  async deleteAgent(
    @Arg('address', () => Address, { description: 'Its wallet address.' }) address: string,
    @Ctx() context: GraphContext,
  ): Promise<Deletion> {
    const actor = requireActor(context);
    await takeWrite(context, []);
    await deleteAgent(context.deps, actor, address);
    return { deleted: true, walletAddress: address };
  }

  @Mutation(() => FollowState, { nullable: true, description: 'Follows an agent, or stops following it.' })
  async toggleFollow(
    @Arg('targetAddress', () => Address, { description: 'Whom.' }) targetAddress: string,
    @Arg('following', () => Boolean, { nullable: true, description: TOGGLES }) following: boolean | undefined,
    @Ctx() context: GraphContext,
  ): Promise<FollowState> {
    const actor = requireActor(context);
    await takeWrite(context, writeLimits.follow);
    return follow(context.deps, actor, { targetAddress, following: following ?? undefined });
  }

  @Mutation(() => RecordedTrade, { nullable: true, description: 'Records a purchase that is on the chain.' })
  recordBuy(
    @Arg('input', () => TradeInput, { description: 'The trade.' }) input: TradeInput,
    @Ctx() context: GraphContext,
  ): Promise<RecordedTrade> {
    return record(context, 'bought', input);
  }

  @Mutation(() => RecordedTrade, { nullable: true, description: 'Records a sale that is on the chain.' })
  recordSell(
    @Arg('input', () => TradeInput, { description: 'The trade.' }) input: TradeInput,
    @Ctx() context: GraphContext,
  ): Promise<RecordedTrade> {
    return record(context, 'sold', input);
  }

  @Mutation(() => Post, { nullable: true, description: 'Publishes a post: 1 to 280 characters, HTML is removed.' })
  async post(
    @Arg('text', () => String, { description: 'What to say.' }) text: string,
    @Ctx() context: GraphContext,
  ): Promise<Post> {
    const actor = requireActor(context);
    await takeWrite(context, []);
    return publishPost(context.deps, actor, text);
  }

  @Mutation(() => LikeState, { nullable: true, description: 'Likes a post, or takes the like back.' })
  async toggleLike(
    @Arg('postId', () => ID, { description: 'The id of the event.' }) postId: string,
    @Arg('liked', () => Boolean, { nullable: true, description: TOGGLES }) wanted: boolean | undefined,
    @Ctx() context: GraphContext,
  ): Promise<LikeState> {
    const actor = requireActor(context);
    await takeWrite(context, writeLimits.like);
    const { standing, count } = await react(context.deps, actor, { postId, kind: 'like', wanted: wanted ?? undefined });
    return { liked: standing, likeCount: count };
  }

  @Mutation(() => RepostState, { nullable: true, description: 'Reposts a post, or takes the repost back.' })
  async toggleRepost(
    @Arg('postId', () => ID, { description: 'The id of the event.' }) postId: string,
    @Arg('reposted', () => Boolean, { nullable: true, description: TOGGLES }) wanted: boolean | undefined,
    @Ctx() context: GraphContext,
  ): Promise<RepostState> {
    const actor = requireActor(context);
    await takeWrite(context, writeLimits.repost);
    const { standing, count } = await react(context.deps, actor, {
      postId,
      kind: 'repost',
      wanted: wanted ?? undefined,
    });
    return { reposted: standing, repostCount: count };
  }
}

async function record(context: GraphContext, kind: 'bought' | 'sold', input: TradeInput): Promise<RecordedTrade> {
  const { deps } = context;
  if (deps.config.TICKET_CALLBACKS === 'retired') throw new AppError('DEPRECATED');
  const actor = requireActor(context);
  await takeWrite(context, writeLimits.trades);
  const { txHash, agentAddress: agent, amount, thesis } = input;
  checkAmount(amount);
  const recorded = await recordTrade(deps, actor, { kind, txHash, agent, amount, thesis: thesis ?? undefined });
  pnlCaches.forget(deps, actor.wallet, agent);
  const { trade, position } = recorded;
  return {
    trade: tradeNode(trade),
    position: position && { amount: position.amount, avgCostBasis: averageCost(position.cost, position.amount) },
  };
}
