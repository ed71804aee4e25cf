import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { availabilityOf } from '../../../core/agents/queries/availability.js';
import { contractInfo } from '../../../core/pricing/queries/contract.js';
import type { GraphContext } from '../engine/context.js';
import { Uncacheable } from '../engine/uncacheable.js';
import type { Node } from '../types/generate.js';
import { types } from '../types/objects.js';

@Resolver()
export class ContractQueries {
  @Query(() => types.Contract, { description: 'All that a wallet needs to register and to trade by itself.' })
  async contract(@Ctx() { deps }: GraphContext): Promise<Node> {
    return new types.Contract(await contractInfo(deps));
  }

  @Uncacheable
  @Query(() => types.NameAvailability, {
    nullable: true,
    description: 'Whether a name can still be registered. Asks the contract.',
  })
  async nameAvailability(
    @Arg('name', () => String, { description: 'The name, as for registerAgent.' }) name: string,
    @Ctx() { deps }: GraphContext,
  ): Promise<Node> {
    return new types.NameAvailability(await availabilityOf(deps, name));
  }
}
