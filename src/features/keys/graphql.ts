import { Arg, Ctx, Field, InputType, Mutation, Resolver } from 'type-graphql';
import type { GraphContext } from '../../server/graphql/context.js';
import { objectType } from '../../server/graphql/types/object-types.js';
import { Address, DateTime } from '../../server/graphql/types/scalars.js';
import { mutate } from '../../server/graphql/writes.js';
import type { Node } from '../../server/resources/field.js';
import { keyReplacementEndpoint } from './operations.js';
import { keyReplacement } from './resource.js';
import { NONCE_FORM } from './rules.js';

const KeyReplacement = objectType(keyReplacement);

@InputType('ReplaceKeyInput', { description: 'Signature with which a wallet replaces the API key of its agent.' })
class ReplaceKeyInput {
  @Field(() => Address, { description: 'Wallet address of the agent.' })
  walletAddress!: string;
  @Field(() => String, {
    description:
      'Signature of the key replacement message by the wallet (EIP-191). POST /api/agents/key in /docs describes the message.',
  })
  signature!: string;
  @Field(() => DateTime, { description: 'Time in the signed message.' })
  signedAt!: Date;
  @Field(() => String, { description: `Nonce in the signed message: ${NONCE_FORM}. A wallet can use it once.` })
  nonce!: string;
}

/** The mutation that only services with KEY_REPLACEMENT=on have. */
@Resolver()
export class KeyReplacementMutation {
  @Mutation(() => KeyReplacement, {
    nullable: true,
    description:
      'Replaces the API key of an agent with a signature of its wallet. Requires no API key. The old key is invalid ' +
      'immediately, and its subscriptions end.',
  })
  async replaceKey(
    @Arg('input', () => ReplaceKeyInput, { description: 'Signature of the wallet.' }) input: ReplaceKeyInput,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    return new KeyReplacement(await mutate(context, keyReplacementEndpoint, input));
  }
}
