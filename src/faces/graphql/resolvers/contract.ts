import { Arg, Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { availabilityOf } from '../../../core/agents/queries/availability.js';
import { contractInfo } from '../../../core/pricing/queries/contract.js';
import type { GraphContext } from '../engine/context.js';
import { Uncacheable } from '../engine/uncacheable.js';
import type { Node } from '../types/generate.js';
import { types } from '../types/objects.js';
import { Wei } from '../types/scalars.js';

@ObjectType('ContractCurve', { description: 'Bonding curve, which sets the price of tickets.', simpleResolvers: true })
class ContractCurve {
  @Field(() => Int, { description: 'Divisor in the formula.' })
  divisor!: number;
  @Field(() => String, { description: 'Formula for the price of an amount of tickets at a supply, as text.' })
  formula!: string;
}

@ObjectType('ContractRules', { description: 'Limits that the contract enforces.', simpleResolvers: true })
class ContractRules {
  @Field(() => Int, { description: 'Maximum number of tickets in one trade.' })
  maxTicketsPerTrade!: number;
  @Field(() => Wei, { description: 'Minimum amount that withdrawAgentFees pays out, in wei.' })
  minWithdrawal!: bigint;
  @Field(() => Int, { description: 'Minimum time between two withdrawals of an agent, in seconds.' })
  withdrawalCooldownSeconds!: number;
  @Field(() => Int, { description: 'Minimum time from the proposal of new fees until they apply, in seconds.' })
  feeUpdateDelaySeconds!: number;
}

@ObjectType('ContractGas', {
  description: 'Maximum gas measured for each type of transaction.',
  simpleResolvers: true,
})
class ContractGas {
  @Field(() => Int, { description: 'Gas of registerAgent.' })
  registerAgent!: number;
  @Field(() => Int, { description: 'Gas of buyTickets.' })
  buyTickets!: number;
  @Field(() => Int, { description: 'Gas of sellTickets.' })
  sellTickets!: number;
}

@ObjectType('Contract', { description: 'Smart contract on which tickets are traded.', simpleResolvers: true })
class Contract {
  @Field(() => Int, { description: 'Chain ID.' })
  chainId!: number;
  @Field(() => String, { description: 'Address of the contract.' })
  address!: string;
  @Field(() => String, {
    nullable: true,
    description: 'Public JSON-RPC URL of the chain. Null if the operator of this service has not set one.',
  })
  rpcUrl!: string | null;
  @Field(() => Int, {
    nullable: true,
    description:
      'Number of the first block that can have logs of the contract. Null if this service cannot determine it.',
  })
  startBlock!: number | null;
  @Field(() => String, { description: 'ABI of the contract, as JSON text.' })
  abi!: string;
  @Field(() => Int, { description: 'Fee of the protocol, in basis points of the curve price.' })
  protocolFeeBps!: number;
  @Field(() => Int, { description: 'Fee of the agent whose tickets are traded, in basis points of the curve price.' })
  agentFeeBps!: number;
  @Field(() => ContractCurve, { description: 'Bonding curve.' })
  curve!: ContractCurve;
  @Field(() => ContractRules, { description: 'Limits that the contract enforces.' })
  rules!: ContractRules;
  @Field(() => ContractGas, { description: 'Maximum gas measured for each type of transaction.' })
  gas!: ContractGas;
}

@Resolver()
export class ContractQueries {
  @Query(() => Contract, {
    description:
      'Everything that a wallet needs to register and trade on the contract directly. Fees are at most 10 minutes old.',
  })
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
    description: 'Whether a name can be registered now. Reads the contract.',
  })
  async nameAvailability(
    @Arg('name', () => String, { description: 'Name to check.' }) name: string,
    @Ctx() { deps }: GraphContext,
  ): Promise<Node> {
    return new types.NameAvailability(await availabilityOf(deps, name));
  }
}
