import { Arg, Ctx, Field, Float, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { livePrice } from '../../../core/trading/queries/price.js';
import { tradeQuote } from '../../../core/trading/queries/quote.js';
import { AppError } from '../../../errors.js';
import { formatPrice, formatQuote } from '../../resources/price-shape.js';
import { type GraphContext, requireActor } from '../engine/context.js';
import { Uncacheable } from '../engine/uncacheable.js';
import { Action, type Of } from '../types/enums.js';
import { Address, DateTime, Eth, Wei } from '../types/scalars.js';

@ObjectType('Price', { description: 'What tickets cost or bring now, live from the chain.', simpleResolvers: true })
class Price {
  @Field(() => Address, { description: 'In whose tickets.' })
  agent!: string;
  @Field(() => Int, { description: 'How many.' })
  amount!: number;
  @Field(() => Action, { description: 'Bought or sold.' })
  type!: Of<typeof Action>;
  @Field(() => Wei, { description: 'Curve price of the whole amount, without fees.' })
  price!: string;
  @Field(() => Eth, { description: 'The same in ETH.' })
  priceEth!: string;
  @Field(() => Float, { description: 'The same in US dollars.' })
  priceUsd!: number;
  @Field(() => Wei, { description: 'What a buyer pays or a seller receives.' })
  priceAfterFee!: string;
  @Field(() => Eth, { description: 'The same in ETH.' })
  priceAfterFeeEth!: string;
  @Field(() => Float, { description: 'The same in US dollars.' })
  priceAfterFeeUsd!: number;
  @Field(() => Eth, { description: "The protocol's fee." })
  protocolFeeEth!: string;
  @Field(() => Eth, { description: "The agent's fee." })
  agentFeeEth!: string;
  @Field(() => Int, { description: 'Tickets in circulation.' })
  totalSupply!: number;
  @Field(() => String, { nullable: true, description: 'As it was given.' })
  slippagePercent?: string;
  @Field(() => Wei, { nullable: true, description: 'Of a purchase with slippage: maxCostEth of buyTickets.' })
  maxTotalCost?: string;
  @Field(() => Eth, { nullable: true, description: 'The same in ETH.' })
  maxTotalCostEth?: string;
  @Field(() => Wei, { nullable: true, description: 'Of a sale with slippage: minPayoutEth of sellTickets.' })
  minPayout?: string;
  @Field(() => Eth, { nullable: true, description: 'The same in ETH.' })
  minPayoutEth?: string;
}

@ObjectType('UnsignedTransaction', { description: 'To sign and send as it is.', simpleResolvers: true })
class UnsignedTransaction {
  @Field(() => String, { description: 'The contract.' })
  to!: string;
  @Field(() => Address, { description: 'The wallet.' })
  from!: string;
  @Field(() => String, { description: 'The call, in hexadecimal.' })
  data!: string;
  @Field(() => String, { description: 'Wei, in hexadecimal.' })
  value!: string;
  @Field(() => String, { description: 'In hexadecimal.' })
  gasLimit!: string;
}

@ObjectType('Quote', { description: 'The price of a trade and the transaction for it.', simpleResolvers: true })
class Quote {
  @Field(() => Action, { description: 'Bought or sold.' })
  action!: Of<typeof Action>;
  @Field(() => Address, { description: 'In whose tickets.' })
  agent!: string;
  @Field(() => Int, { description: 'How many.' })
  amount!: number;
  @Field(() => Eth, { description: 'Curve price, without fees.' })
  basePrice!: string;
  @Field(() => Eth, { description: "The protocol's fee." })
  protocolFee!: string;
  @Field(() => Eth, { description: "The agent's fee." })
  agentFee!: string;
  @Field(() => Eth, { description: 'What a buyer pays or a seller receives, fees included.' })
  totalCost!: string;
  @Field(() => Eth, { nullable: true, description: 'Of a purchase: totalCost and 5 %.' })
  maxCost?: string;
  @Field(() => Eth, { nullable: true, description: 'Of a sale: totalCost less 5 %.' })
  minPayout?: string;
  @Field(() => String, { description: 'Always 5.' })
  slippagePercent!: string;
  @Field(() => Int, { nullable: true, description: 'Of a sale: what the wallet holds.' })
  ticketBalance?: number;
  @Field(() => DateTime, { nullable: true, description: 'Of a sale: when ticketBalance was read.' })
  balanceAt?: string;
  @Field(() => UnsignedTransaction, { description: 'The transaction.' })
  transaction!: UnsignedTransaction;
  @Field(() => String, { nullable: true, description: 'Of a purchase: what to do with it.' })
  note?: string;
}

export function checkAmount(amount: number): void {
  if (amount < 1 || amount > 20) throw new AppError('INVALID_AMOUNT');
}

/** Percent with at most two decimals, in basis points. */
function basisPoints(percent: number): bigint {
  const bps = Math.round(percent * 100);
  if (bps / 100 !== percent || bps < 0 || bps > 5000) {
    throw new AppError('INVALID_FIELD', {
      field: 'slippage',
      expected: 'a number from 0 to 50 with at most 2 decimals',
    });
  }
  return BigInt(bps);
}

@Resolver()
export class PricingResolver {
  @Uncacheable
  @Query(() => Price, {
    nullable: true,
    description: 'What tickets cost or bring now. Knows every agent that registered on the chain.',
  })
  async price(
    @Arg('agent', () => Address, { description: 'In whose tickets.' }) agent: string,
    @Arg('amount', () => Int, { defaultValue: 1, description: '1 to 20.' }) amount: number,
    @Arg('type', () => Action, { defaultValue: 'buy', description: 'Bought or sold.' }) type: Of<typeof Action>,
    @Arg('slippage', () => Float, { nullable: true, description: 'Percent, 0 to 50, at most 2 decimals.' })
    slippage: number | undefined,
    @Ctx() { deps }: GraphContext,
  ): Promise<Price> {
    checkAmount(amount);
    const bps = slippage === undefined || slippage === null ? undefined : basisPoints(slippage);
    const live = await livePrice(deps, { agent, amount, side: type, slippageBps: bps });
    return formatPrice({ agent, amount, type, slippage: bps }, live);
  }

  @Uncacheable
  @Query(() => Quote, {
    nullable: true,
    description: "Prices a trade and gives the transaction for it, with 5 % slippage. Needs the wallet's key.",
  })
  async quote(
    @Arg('action', () => Action, { description: 'Buy or sell.' }) action: Of<typeof Action>,
    @Arg('agent', () => Address, { description: 'In whose tickets.' }) agent: string,
    @Arg('amount', () => Int, { description: '1 to 20.' }) amount: number,
    @Arg('walletAddress', () => Address, { description: 'Who will send the transaction: the wallet of the key.' })
    wallet: string,
    @Ctx() context: GraphContext,
  ): Promise<Quote> {
    const actor = requireActor(context);
    checkAmount(amount);
    const quoted = await tradeQuote(context.deps, actor, { side: action, agent, amount, wallet });
    return formatQuote(context.deps.config, action, { agent, amount }, quoted);
  }
}
