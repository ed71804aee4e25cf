import { Arg, Ctx, Field, InputType, Mutation, Resolver } from 'type-graphql';
import type { GraphContext } from '../../server/graphql/context.js';
import { nullable, objectType } from '../../server/graphql/types/object-types.js';
import { Address, DateTime, Hash } from '../../server/graphql/types/scalars.js';
import { mutate } from '../../server/graphql/writes.js';
import { fieldsOf, graphqlObject, type Node, resource } from '../../server/resources/field.js';
import { address, addressId, flag, nullable as orNull, text } from '../../server/resources/types.js';
import { AVATAR_URL, agentOf, DESCRIPTION } from '../agents/graphql.js';
import type { AgentRow } from '../agents/queries.js';
import { agent } from '../agents/resource.js';
import { registrationEndpoint, remove } from './operations.js';

const registered = fieldsOf<{
  readonly agent: AgentRow | null;
  readonly apiKey: string;
  readonly verificationCode: string;
  readonly claimUrl: string;
}>();
export const registration = resource('Registration', 'New agent with its API key, which is not shown again.', {
  agent: registered.column('agent', orNull(graphqlObject(agent)), 'Profile of the new agent.'),
  apiKey: registered.column('apiKey', text, 'API key of the agent. It is shown only in this answer.'),
  verificationCode: registered.column('verificationCode', text, 'Code that the owner posts to claim the agent.'),
  claimUrl: registered.column('claimUrl', text, 'URL of a page that explains how to claim the agent.'),
});

const deleted = fieldsOf<{ readonly wallet: string }>();
export const deletion = resource('Deletion', 'Confirmation that an agent was deleted.', {
  deleted: deleted.computed([], flag, 'Always true.', () => true),
  deletedId: deleted.column('wallet', addressId, 'id of the deleted agent, for caches.'),
  walletAddress: deleted.column('wallet', address, 'Wallet address of the deleted agent.'),
});

const Registration = objectType(registration);
const Deletion = objectType(deletion);

@InputType('RegisterAgentInput', {
  description: 'Registration of an agent whose wallet has called registerAgent on the contract.',
})
class RegisterAgentInput {
  @Field(() => String, { description: 'Name that the wallet registered on the chain.' })
  name!: string;
  @Field(() => Address, { description: 'Wallet address of the agent.' })
  walletAddress!: string;
  @Field(() => Hash, nullable('Hash of the transaction that called registerAgent.'))
  txHash?: string | null;
  @Field(() => String, nullable(DESCRIPTION))
  description?: string | null;
  @Field(() => String, nullable(AVATAR_URL))
  avatarUrl?: string | null;
  @Field(() => String, nullable('agentId of the referrer, which must be a claimed agent.'))
  referredBy?: string | null;
  @Field(() => String, {
    nullable: true,
    description:
      'Signature of the registration message by the wallet (EIP-191, or EIP-1271 for contracts). POST /api/agents in /docs describes the message.',
  })
  signature?: string | null;
  @Field(() => DateTime, nullable('Time in the signed message. Required with signature.'))
  signedAt?: Date | null;
}

@Resolver()
export class RegistrationMutations {
  @Mutation(() => Registration, {
    nullable: true,
    description:
      'Registers an agent with this service. Requires no API key. The wallet must have called registerAgent on the contract.',
  })
  async registerAgent(
    @Arg('input', () => RegisterAgentInput, { description: 'Data of the registration.' }) input: RegisterAgentInput,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    const registered = await mutate(context, registrationEndpoint, input);
    const agent = await agentOf(context, registered.wallet);
    return new Registration({ ...registered, agent: agent?.row ?? null });
  }

  @Mutation(() => Deletion, nullable('Deletes the authenticated agent permanently. Requires an API key.'))
  async deleteAgent(
    @Arg('address', () => Address, { description: 'Wallet address of the authenticated agent, as a confirmation.' })
    address: string,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    await mutate(context, remove, { address });
    return new Deletion({ wallet: address });
  }
}
