import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { availabilityOf } from '../../../features/agents/availability.js';
import { contractInfo } from '../../../features/pricing/contract.js';
import type { GraphContext } from '../engine/context.js';
import type { Node } from '../types/generate.js';
import { nullable } from '../types/given.js';
import { types } from '../types/objects.js';
import { Uncacheable } from '../types/uncacheable.js';

@Resolver()
export class ContractQueries {
  @Query(() => types.Contract, {
    nullable: true,
    description:
      'Everything that a wallet needs to register and trade on the contract directly. Fees are at most 10 minutes old.',
  })
  async contract(@Ctx() { deps }: GraphContext): Promise<Node> {
    return new types.Contract(await contractInfo(deps));
  }

  @Uncacheable
  @Query(() => types.NameAvailability, nullable('Whether a name can be registered now. Reads the contract.'))
  async nameAvailability(
    @Arg('name', () => String, { description: 'Name to check.' }) name: string,
    @Ctx() { deps }: GraphContext,
  ): Promise<Node> {
    return new types.NameAvailability(await availabilityOf(deps, name));
  }
}
