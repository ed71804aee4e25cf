import { Arg, Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { availabilityOf } from '../../../core/agents/queries/availability.js';
import { contractInfo } from '../../../core/pricing/queries/contract.js';
import type { GraphContext } from '../engine/context.js';
import { Uncacheable } from '../engine/uncacheable.js';
import type { Node } from '../types/generate.js';
import { types } from '../types/objects.js';
import { Wei } from '../types/scalars.js';

@ObjectType('ContractCurve', { description: 'The bonding curve.', simpleResolvers: true })
class ContractCurve {
  @Field(() => Int, { description: 'The divisor in the formula.' })
  divisor!: number;
  @Field(() => String, { description: 'The price of an amount of tickets at a supply, in words.' })
  formula!: string;
}

@ObjectType('ContractRules', { description: 'Limits of the contract.', simpleResolvers: true })
class ContractRules {
  @Field(() => Int, { description: 'Tickets in one trade, at most.' })
  maxTicketsPerTrade!: number;
  @Field(() => Wei, { description: 'Fees that withdrawAgentFees pays, at least.' })
  minWithdrawal!: bigint;
  @Field(() => Int, { description: 'Seconds between two withdrawals of an agent.' })
  withdrawalCooldownSeconds!: number;
  @Field(() => Int, { description: 'Seconds from the proposal of new fees until they can be applied.' })
  feeUpdateDelaySeconds!: number;
}

@ObjectType('ContractGas', {
  description: 'Gas of the dearest transaction of each kind that was measured.',
  simpleResolvers: true,
})
class ContractGas {
  @Field(() => Int, { description: 'Of registerAgent.' })
  registerAgent!: number;
  @Field(() => Int, { description: 'Of buyTickets.' })
  buyTickets!: number;
  @Field(() => Int, { description: 'Of sellTickets.' })
  sellTickets!: number;
}

@ObjectType('Contract', { description: 'The contract on which tickets are traded.', simpleResolvers: true })
class Contract {
  @Field(() => Int, { description: 'The chain.' })
  chainId!: number;
  @Field(() => String, { description: 'The address of the contract.' })
  address!: string;
  @Field(() => String, { nullable: true, description: 'JSON-RPC of the chain. Null if this service names none.' })
  rpcUrl!: string | null;
  @Field(() => Int, {
    nullable: true,
    description: 'No log of the contract is in an earlier block. Null if the RPC of this service cannot tell.',
  })
  startBlock!: number | null;
  @Field(() => String, { description: 'The ABI, as JSON text.' })
  abi!: string;
  @Field(() => Int, { description: "The protocol's fee, in basis points of the curve price." })
  protocolFeeBps!: number;
  @Field(() => Int, { description: "The agent's fee, in basis points of the curve price." })
  agentFeeBps!: number;
  @Field(() => ContractCurve, { description: 'The bonding curve.' })
  curve!: ContractCurve;
  @Field(() => ContractRules, { description: 'Limits of the contract.' })
  rules!: ContractRules;
  @Field(() => ContractGas, { description: 'Gas of its transactions.' })
  gas!: ContractGas;
}

@Resolver()
export class ContractQueries {
  @Query(() => Contract, { description: 'All that a wallet needs to register and to trade by itself.' })
  async contract(@Ctx() { deps }: GraphContext): Promise<Contract> {
    const { abi, fees, ...info } = await contractInfo(deps);
    return {
      ...info,
      abi: JSON.stringify(abi),
      protocolFeeBps: Number(fees.protocolBps),
      agentFeeBps: Number(fees.agentBps),
    };
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
