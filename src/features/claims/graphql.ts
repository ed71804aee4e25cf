import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { type GraphContext, requireActor } from '../../server/graphql/context.js';
import { mutationOf } from '../../server/graphql/mutations.js';
import { argumentsOf } from '../../server/graphql/types/inputs.js';
import { objectType, Uncacheable } from '../../server/graphql/types/object-types.js';
import type { Node } from '../../server/resources/field.js';
import { AgentType, agentField, agentOf } from '../agents/graphql.js';
import { agentOfCode, claimDeletion, claimLookup, GUESS_LIMIT, verification } from './operations.js';
import { claimInfo } from './resource.js';

const ClaimInfo = objectType(claimInfo);

agentField<{ readonly wallet: string }>(ClaimInfo, ({ wallet }) => wallet, {
  description: 'Agent that the code was issued to.',
});

type Coded = { readonly code: string };
const CodeArgs = argumentsOf<Coded>(claimLookup.input);

@Resolver()
class ClaimResolver {
  @Uncacheable
  @Query(() => ClaimInfo, {
    nullable: true,
    description: `Agent that a verification code belongs to, and the text to post to claim it. Rate limit of unknown codes: ${GUESS_LIMIT}.`,
  })
  async claimInfo(@Args(() => CodeArgs) { code }: Coded, @Ctx() { deps, ip }: GraphContext): Promise<Node> {
    return new ClaimInfo(await agentOfCode(deps, code, ip));
  }
}

export const resolvers = [
  ClaimResolver,
  mutationOf(verification, {
    name: 'verifyAgent',
    type: () => AgentType,
    description:
      'Claims an agent with a post that contains its verification code. The API key is optional. If one is sent, it must belong to the agent. ' +
      'A claim with the key is final. A claim without the key can be replaced by one with the key.',
    answer: (context, { wallet }) => agentOf(context, wallet),
  }),
  mutationOf(claimDeletion, {
    name: 'dropClaim',
    type: () => AgentType,
    description:
      'Drops the claim of the authenticated agent. The status is pending_claim again, and the verification code stays valid. ' +
      'Does nothing if the agent is not claimed.',
    answer: (context) => agentOf(context, requireActor(context).wallet),
  }),
];
