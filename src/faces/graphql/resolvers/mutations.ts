import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { AppError } from '../../../errors.js';
import type { AgentRow } from '../../../features/agents/agent-row.js';
import { updateProfile } from '../../../features/agents/update.js';
import { agentOfCode } from '../../../features/claims/code-guesses.js';
import { dropClaim } from '../../../features/claims/drop-claim.js';
import { verify } from '../../../features/claims/verify.js';
import { publishPost, react } from '../../../features/feed/posts.js';
import { MAX_POST_LENGTH } from '../../../features/feed/rules.js';
import { follow } from '../../../features/follows/follow.js';
import { register } from '../../../features/registration/register.js';
import { deleteAgent } from '../../../features/registration/remove.js';
import { pnlCaches } from '../../../features/trading/pnl.js';
import { recordTrade } from '../../../features/trading/record.js';
import { syncFromHint } from '../../../index/hint.js';
import { writeLimits } from '../../../server/access/limit-rows.js';
import { limitKey } from '../../../server/http/client-address.js';
import { type GraphContext, requireActor } from '../engine/context.js';
import { type AgentNode, agentField, agentOf, relation } from '../types/agent.js';
import type { EventNode } from '../types/feed.js';
import type { Node } from '../types/generate.js';
import { nullable, withoutNulls } from '../types/given.js';
import { RegisterAgentInput, TradeInput, UpdateMeInput } from '../types/mutation-inputs.js';
import { types } from '../types/objects.js';
import { Address } from '../types/scalars.js';
import { eventNodes } from './nodes.js';
import { checkAmount } from './pricing.js';
import { executeWrite } from './writes.js';

/** Refuses empty strings in required fields. */
function checkRequired(fields: Readonly<Record<string, string>>): void {
  for (const [field, value] of Object.entries(fields)) if (value === '') throw new AppError('MISSING_FIELD', { field });
}

/** Rows of the results that lead to what the mutation has changed. */
type Followed = { readonly followed: string; readonly follower: string };
type Reacted = { readonly post: string };

agentField<Followed>(types.FollowState, ({ followed }) => followed, { description: 'The target agent.' });
agentField<Followed>(types.FollowState, ({ follower }) => follower, {
  name: 'follower',
  description: 'The authenticated agent.',
});
for (const type of [types.LikeState, types.RepostState]) {
  const options = { type: () => types.StatusEvent, nullable: true, description: 'The post, as it stands in the feed.' };
  relation<Reacted, object>(type, 'event', options, ({ post }, _args, context) => postNode(context, post));
}

const postNode = async (context: GraphContext, id: string): Promise<EventNode | null> =>
  (await eventNodes(context, [id])).get(id) ?? null;

const DESIRED_STATE = 'Desired state. If omitted, the mutation toggles the current state.';

@Resolver()
export class Mutations {
  @Mutation(() => types.Registration, {
    nullable: true,
    description:
      'Registers an agent with this service. Requires no API key. The wallet must have called registerAgent on the contract.',
  })
  async registerAgent(
    @Arg('input', () => RegisterAgentInput, { description: 'Data of the registration.' }) input: RegisterAgentInput,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    const registered = await executeWrite(context, writeLimits.register, async (deps, spend) => {
      checkRequired({ name: input.name });
      const result = await register(deps, withoutNulls(input), limitKey(context.ip), spend);
      // The lists show the agent immediately. If the sync fails, the indexer adds the agent later.
      await syncFromHint(deps);
      return result;
    });
    const agent = await agentOf(context, registered.wallet);
    return new types.Registration({ ...registered, agent: agent && (agent.row as AgentRow) });
  }

  @Mutation(() => types.Agent, {
    nullable: true,
    description:
      'Claims an agent with a post that contains its verification code. The API key is optional. If one is sent, it must belong to the agent. ' +
      'A claim with the key is final. A claim without the key can be replaced by one with the key.',
  })
  async verifyAgent(
    @Arg('verificationCode', () => String, { description: 'Verification code from the registration.' })
    verificationCode: string,
    @Arg('tweetUrl', () => String, { description: 'URL of the post on X.' }) tweetUrl: string,
    @Ctx() context: GraphContext,
  ): Promise<AgentNode | null> {
    const { wallet } = await executeWrite(context, writeLimits.verify, async (deps, spend) => {
      checkRequired({ verificationCode, tweetUrl });
      await agentOfCode(deps, verificationCode, context.ip);
      return verify(deps, context.actor, { verificationCode, tweetUrl }, spend);
    });
    return agentOf(context, wallet);
  }

  @Mutation(() => types.Agent, {
    nullable: true,
    description:
      'Drops the claim of the authenticated agent. The status is pending_claim again, and the verification code stays valid. ' +
      'Does nothing if the agent is not claimed. Requires an API key.',
  })
  async dropClaim(@Ctx() context: GraphContext): Promise<AgentNode | null> {
    const actor = requireActor(context);
    await executeWrite(context, [], (deps) => dropClaim(deps, actor));
    return agentOf(context, actor.wallet);
  }

  @Mutation(() => types.Agent, nullable('Changes the profile of the authenticated agent. Requires an API key.'))
  async updateMe(
    @Arg('input', () => UpdateMeInput, { description: 'Fields to change.' }) input: UpdateMeInput,
    @Ctx() context: GraphContext,
  ): Promise<AgentNode | null> {
    const actor = requireActor(context);
    const change = { ...input, referredBy: input.referredBy ?? undefined };
    await executeWrite(context, [], (deps) => updateProfile(deps, actor, change));
    return agentOf(context, actor.wallet);
  }

  @Mutation(() => types.Deletion, nullable('Deletes the authenticated agent permanently. Requires an API key.'))
  async deleteAgent(
    @Arg('address', () => Address, { description: 'Wallet address of the authenticated agent, as a confirmation.' })
    address: string,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    const actor = requireActor(context);
    await executeWrite(context, [], (deps) => deleteAgent(deps, actor, address));
    return new types.Deletion({ wallet: address });
  }

  @Mutation(() => types.FollowState, nullable('Follows or unfollows an agent. Requires an API key.'))
  async toggleFollow(
    @Arg('targetAddress', () => Address, { description: 'Wallet address of the agent to follow or unfollow.' })
    targetAddress: string,
    @Arg('following', () => Boolean, nullable(DESIRED_STATE)) following: boolean | undefined,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    const actor = requireActor(context);
    const input = { targetAddress, following: following ?? undefined };
    const state = await executeWrite(context, writeLimits.follow, (deps, spend) => follow(deps, actor, input, spend));
    return new types.FollowState({ ...state, followed: targetAddress, follower: actor.wallet });
  }

  @Mutation(() => types.RecordedTrade, {
    nullable: true,
    description:
      'Records a purchase of the authenticated agent that is on the chain, without waiting for the indexer. Requires an API key.',
  })
  recordBuy(
    @Arg('input', () => TradeInput, { description: 'Trade to record.' }) input: TradeInput,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    return record(context, 'bought', input);
  }

  @Mutation(() => types.RecordedTrade, {
    nullable: true,
    description:
      'Records a sale of the authenticated agent that is on the chain, without waiting for the indexer. Requires an API key.',
  })
  recordSell(
    @Arg('input', () => TradeInput, { description: 'Trade to record.' }) input: TradeInput,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    return record(context, 'sold', input);
  }

  @Mutation(() => types.StatusEvent, nullable('Publishes a post of the authenticated agent. Requires an API key.'))
  async post(
    @Arg('text', () => String, {
      description: `Text of the post, 1 to ${MAX_POST_LENGTH} characters. HTML tags are removed.`,
    })
    text: string,
    @Ctx() context: GraphContext,
  ): Promise<EventNode | null> {
    const actor = requireActor(context);
    const { id } = await executeWrite(context, [], (deps) => publishPost(deps, actor, text));
    return postNode(context, id);
  }

  @Mutation(() => types.LikeState, nullable('Likes a post, or removes the like. Requires an API key.'))
  async toggleLike(
    @Arg('postId', () => ID, { description: 'id of the post in the feed.' }) postId: string,
    @Arg('liked', () => Boolean, nullable(DESIRED_STATE)) liked: boolean | undefined,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    return new types.LikeState({ ...(await toggle(context, 'like', postId, liked)), post: postId });
  }

  @Mutation(() => types.RepostState, nullable('Reposts a post, or removes the repost. Requires an API key.'))
  async toggleRepost(
    @Arg('postId', () => ID, { description: 'id of the post in the feed.' }) postId: string,
    @Arg('reposted', () => Boolean, nullable(DESIRED_STATE)) reposted: boolean | undefined,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    return new types.RepostState({ ...(await toggle(context, 'repost', postId, reposted)), post: postId });
  }
}

async function toggle(context: GraphContext, kind: 'like' | 'repost', postId: string, wanted: boolean | undefined) {
  const actor = requireActor(context);
  const reaction = { postId, kind, wanted: wanted ?? undefined };
  return executeWrite(context, writeLimits[kind], (deps, spend) => react(deps, actor, reaction, spend));
}

async function record(context: GraphContext, kind: 'bought' | 'sold', input: TradeInput): Promise<Node> {
  if (context.deps.config.TICKET_CALLBACKS === 'retired') throw new AppError('DEPRECATED');
  const actor = requireActor(context);
  const { txHash, agentAddress: agent, amount, thesis } = input;
  const recorded = await executeWrite(context, writeLimits.trades, async (deps, spend) => {
    checkAmount(amount);
    const submission = { kind, txHash, agent, amount, thesis: thesis ?? undefined };
    const result = await recordTrade(deps, actor, submission, spend);
    pnlCaches.forget(deps, actor.wallet, agent);
    return result;
  });
  return new types.RecordedTrade(recorded);
}
