import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { replaceKey } from '../../../features/keys/replace-key.js';
import type { GraphContext } from '../engine/context.js';
import type { Node } from '../types/generate.js';
import { ReplaceKeyInput } from '../types/mutation-inputs.js';
import { types } from '../types/objects.js';
import { executeWrite } from './writes.js';

/** The mutation that only services with KEY_REPLACEMENT=on have. */
@Resolver()
export class KeyReplacementMutation {
  @Mutation(() => types.KeyReplacement, {
    nullable: true,
    description:
      'Replaces the API key of an agent with a signature of its wallet. Requires no API key. The old key is invalid ' +
      'immediately, and its subscriptions end.',
  })
  async replaceKey(
    @Arg('input', () => ReplaceKeyInput, { description: 'Signature of the wallet.' }) input: ReplaceKeyInput,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    return new types.KeyReplacement(await executeWrite(context, [], (deps) => replaceKey(deps, input)));
  }
}
