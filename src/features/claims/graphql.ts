import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { type GraphContext, requireActor } from '../../server/graphql/context.js';
import { objectType, Uncacheable } from '../../server/graphql/types/object-types.js';
import { mutate } from '../../server/graphql/writes.js';
import type { Node } from '../../server/resources/field.js';
import { Agent, type AgentNode, agentField, agentOf } from '../agents/graphql.js';
import { agentOfCode, claimDeletion, GUESS_LIMIT, verification } from './operations.js';
import { claimInfo } from './resource.js';

const ClaimInfo = objectType(claimInfo);

agentField<{ readonly wallet: string }>(ClaimInfo, ({ wallet }) => wallet, {
  description: 'Agent that the code was issued to.',
});

@Resolver()
export class ClaimResolver {
  @Uncacheable
  @Query(() => ClaimInfo, {
    nullable: true,
    description: `Agent that a verification code belongs to, and the text to post to claim it. Rate limit of unknown codes: ${GUESS_LIMIT}.`,
  })
  async claimInfo(
    @Arg('code', () => String, { description: 'Verification code from the registration.' }) code: string,
    @Ctx() { deps, ip }: GraphContext,
  ): Promise<Node> {
    return new ClaimInfo(await agentOfCode(deps, code, ip));
  }

  @Mutation(() => Agent, {
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
    const { wallet } = await mutate(context, verification, { verificationCode, tweetUrl });
    return agentOf(context, wallet);
  }

  @Mutation(() => Agent, {
    nullable: true,
    description:
      'Drops the claim of the authenticated agent. The status is pending_claim again, and the verification code stays valid. ' +
      'Does nothing if the agent is not claimed. Requires an API key.',
  })
  async dropClaim(@Ctx() context: GraphContext): Promise<AgentNode | null> {
    await mutate(context, claimDeletion);
    return agentOf(context, requireActor(context).wallet);
  }
}
