import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { dropClaim } from '../../../core/agents/commands/drop-claim.js';
import { follow } from '../../../core/agents/commands/follow.js';
import { updateProfile } from '../../../core/agents/commands/update.js';
import { verify } from '../../../core/agents/commands/verify.js';
import type { AgentRow } from '../../../core/agents/queries/agent-row.js';
import { deleteAgent } from '../../../core/desk/commands/delete-agent.js';
import { register } from '../../../core/desk/commands/register.js';
import { publishPost, react } from '../../../core/feed/commands/posts.js';
import { MAX_POST_LENGTH } from '../../../core/feed/rules.js';
import { syncFromHint } from '../../../core/trading/commands/hint.js';
import { recordTrade } from '../../../core/trading/commands/record.js';
import { AppError } from '../../../errors.js';
import { writeLimits } from '../../access/limit-rows.js';
import { knownCode } from '../../access/verification-codes.js';
import { limitKey } from '../../http/client-address.js';
import { pnlCaches } from '../../pnl-caches.js';
import { type GraphContext, requireActor, takeWrite } from '../engine/context.js';
import { type AgentNode, agentOf } from '../types/agent.js';
import type { Node } from '../types/generate.js';
import { withoutNulls } from '../types/given.js';
import { RegisterAgentInput, TradeInput, UpdateMeInput } from '../types/mutation-inputs.js';
import { types } from '../types/objects.js';
import { Address } from '../types/scalars.js';
import { checkAmount } from './pricing.js';

/** Where nothing will not do. */
function required(fields: Readonly<Record<string, string>>): void {
  for (const [field, value] of Object.entries(fields)) if (value === '') throw new AppError('MISSING_FIELD', { field });
}

const TOGGLES = 'Sets it instead of toggling.';

@Resolver()
export class Mutations {
  @Mutation(() => types.Registration, { nullable: true, description: 'Registers an agent. Needs no key.' })
  async registerAgent(
    @Arg('input', () => RegisterAgentInput, { description: 'The registration.' }) input: RegisterAgentInput,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    const { deps, ip } = context;
    const spend = await takeWrite(context, writeLimits.register);
    required({ name: input.name });
    const made = await register(deps, withoutNulls(input), limitKey(ip), spend);
    // So that the lists show the agent at once; if that fails, the indexer comes to it by itself.
    await syncFromHint(deps);
    const agent = await agentOf(context, made.wallet);
    return new types.Registration({ ...made, agent: agent && (agent.row as AgentRow) });
  }

  @Mutation(() => types.Agent, {
    nullable: true,
    description:
      "Claims an agent with a post that contains its code. The key is optional; a key that is sent must be the agent's. " +
      'A claim with the key is final. A claim without it can be replaced with the key.',
  })
  async verifyAgent(
    @Arg('verificationCode', () => String, { description: 'The code from the registration.' }) verificationCode: string,
    @Arg('tweetUrl', () => String, { description: 'Where the post is.' }) tweetUrl: string,
    @Ctx() context: GraphContext,
  ): Promise<AgentNode | null> {
    const { deps, actor, ip } = context;
    const spend = await takeWrite(context, writeLimits.verify);
    required({ verificationCode, tweetUrl });
    await knownCode(deps, verificationCode, ip);
    const { wallet } = await verify(deps, actor, { verificationCode, tweetUrl }, spend);
    return agentOf(context, wallet);
  }

  @Mutation(() => types.Agent, {
    nullable: true,
    description:
      'Drops the claim of the agent of the key. The agent is pending again and keeps its code. Without a claim nothing changes.',
  })
  async dropClaim(@Ctx() context: GraphContext): Promise<AgentNode | null> {
    const actor = requireActor(context);
    await takeWrite(context, []);
    await dropClaim(context.deps, actor);
    return agentOf(context, actor.wallet);
  }

  @Mutation(() => types.Agent, { nullable: true, description: 'Changes the profile of the agent of the key.' })
  async updateMe(
    @Arg('input', () => UpdateMeInput, { description: 'What to change.' }) input: UpdateMeInput,
    @Ctx() context: GraphContext,
  ): Promise<AgentNode | null> {
    const actor = requireActor(context);
    await takeWrite(context);
    await updateProfile(context.deps, actor, { ...input, referredBy: input.referredBy ?? undefined });
    return agentOf(context, actor.wallet);
  }

  @Mutation(() => types.Deletion, { nullable: true, description: 'Deletes the agent of the key, for ever.' })
  async deleteAgent(
    @Arg('address', () => Address, { description: 'Its wallet address.' }) address: string,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    const actor = requireActor(context);
    await takeWrite(context);
    await deleteAgent(context.deps, actor, address);
    return new types.Deletion({ wallet: address });
  }

  @Mutation(() => types.FollowState, { nullable: true, description: 'Follows an agent, or stops following it.' })
  async toggleFollow(
    @Arg('targetAddress', () => Address, { description: 'Whom.' }) targetAddress: string,
    @Arg('following', () => Boolean, { nullable: true, description: TOGGLES }) following: boolean | undefined,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    const actor = requireActor(context);
    const spend = await takeWrite(context, writeLimits.follow);
    const state = await follow(context.deps, actor, { targetAddress, following: following ?? undefined }, spend);
    return new types.FollowState(state);
  }

  @Mutation(() => types.RecordedTrade, { nullable: true, description: 'Records a purchase that is on the chain.' })
  recordBuy(
    @Arg('input', () => TradeInput, { description: 'The trade.' }) input: TradeInput,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    return record(context, 'bought', input);
  }

  @Mutation(() => types.RecordedTrade, { nullable: true, description: 'Records a sale that is on the chain.' })
  recordSell(
    @Arg('input', () => TradeInput, { description: 'The trade.' }) input: TradeInput,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    return record(context, 'sold', input);
  }

  @Mutation(() => types.Post, {
    nullable: true,
    description: `Publishes a post: 1 to ${MAX_POST_LENGTH} characters, HTML is removed.`,
  })
  async post(
    @Arg('text', () => String, { description: 'What to say.' }) text: string,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    const actor = requireActor(context);
    await takeWrite(context);
    return new types.Post(await publishPost(context.deps, actor, text));
  }

  @Mutation(() => types.LikeState, { nullable: true, description: 'Likes a post, or takes the like back.' })
  async toggleLike(
    @Arg('postId', () => ID, { description: 'The id of the event.' }) postId: string,
    @Arg('liked', () => Boolean, { nullable: true, description: TOGGLES }) wanted: boolean | undefined,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    return new types.LikeState(await toggle(context, 'like', postId, wanted));
  }

  @Mutation(() => types.RepostState, { nullable: true, description: 'Reposts a post, or takes the repost back.' })
  async toggleRepost(
    @Arg('postId', () => ID, { description: 'The id of the event.' }) postId: string,
    @Arg('reposted', () => Boolean, { nullable: true, description: TOGGLES }) wanted: boolean | undefined,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    return new types.RepostState(await toggle(context, 'repost', postId, wanted));
  }
}

async function toggle(context: GraphContext, kind: 'like' | 'repost', postId: string, wanted: boolean | undefined) {
  const actor = requireActor(context);
  const spend = await takeWrite(context, writeLimits[kind]);
  return react(context.deps, actor, { postId, kind, wanted: wanted ?? undefined }, spend);
}

async function record(context: GraphContext, kind: 'bought' | 'sold', input: TradeInput): Promise<Node> {
  const { deps } = context;
  if (deps.config.TICKET_CALLBACKS === 'retired') throw new AppError('DEPRECATED');
  const actor = requireActor(context);
  const spend = await takeWrite(context, writeLimits.trades);
  const { txHash, agentAddress: agent, amount, thesis } = input;
  checkAmount(amount);
  const recorded = await recordTrade(deps, actor, { kind, txHash, agent, amount, thesis: thesis ?? undefined }, spend);
  pnlCaches.forget(deps, actor.wallet, agent);
  return new types.RecordedTrade(recorded);
}
