import { Field, Float, Int, ObjectType } from 'type-graphql';
import { Address, DateTime, Hash } from './scalars.js';

// Amounts are those of REST: ETH as numbers, and the exact wei as text, which may be negative, beside them.

@ObjectType('PnlSummary', {
  description: 'Profit and loss: realized, unrealized and fees, summed.',
  simpleResolvers: true,
})
export class PnlSummary {
  @Field(() => Float, { description: 'realized + unrealized + fees, in ETH.' })
  totalPnlEth!: number;
  @Field(() => String, { description: 'The same in wei.' })
  totalPnlWei!: string;
  @Field(() => Float, { description: 'The same in US dollars.' })
  totalPnlUsd!: number;
  @Field(() => Float, { description: 'Of the sum of all purchases; 0 without one.' })
  totalPnlPercent!: number;
  @Field(() => Float, { description: 'What sales brought, less what the tickets had cost (FIFO), in ETH.' })
  realizedEth!: number;
  @Field(() => Float, { description: 'What selling all would bring, less what the tickets had cost, in ETH.' })
  unrealizedEth!: number;
  @Field(() => Float, { description: 'Fees from trades in its tickets, in ETH.' })
  feesEarnedEth!: number;
}

@ObjectType('RealizedTrade', { description: 'What one sale brought.', simpleResolvers: true })
class RealizedTrade {
  @Field(() => String, { nullable: true, description: 'In whose tickets; null if it is not of this service.' })
  agentName!: string | null;
  @Field(() => Address, { description: 'In whose tickets.' })
  agentAddress!: string;
  @Field(() => Int, { description: 'Tickets sold.' })
  amount!: number;
  @Field(() => Float, { description: 'FIFO cost of the tickets sold, fees included, in ETH.' })
  buyPrice!: number;
  @Field(() => Float, { description: 'What was received, fees deducted, in ETH.' })
  sellPrice!: number;
  @Field(() => Float, { description: 'sellPrice - buyPrice.' })
  pnlEth!: number;
  @Field(() => String, { description: 'The same in wei.' })
  pnlWei!: string;
  @Field(() => Float, { description: 'The same in US dollars.' })
  pnlUsd!: number;
  @Field(() => DateTime, { description: "The block's time." })
  date!: string;
  @Field(() => Hash, { description: 'The transaction.' })
  txHash!: string;
}

@ObjectType('RealizedPnl', { description: 'All sales together.', simpleResolvers: true })
class RealizedPnl {
  @Field(() => Float, { description: 'The sum, in ETH.' })
  totalEth!: number;
  @Field(() => String, { description: 'The same in wei.' })
  totalWei!: string;
  @Field(() => Float, { description: 'The same in US dollars.' })
  totalUsd!: number;
  @Field(() => Int, { description: 'How many sales.' })
  count!: number;
  @Field(() => [RealizedTrade], { nullable: true, description: 'The newest 100. Null in a heartbeat.' })
  trades?: RealizedTrade[];
}

@ObjectType('OpenHolding', { description: 'A position that is still open.', simpleResolvers: true })
class OpenHolding {
  @Field(() => String, { nullable: true, description: 'In whose tickets; null if it is not of this service.' })
  agentName!: string | null;
  @Field(() => Address, { description: 'In whose tickets.' })
  agentAddress!: string;
  @Field(() => Int, { description: 'Tickets held.' })
  amount!: number;
  @Field(() => Int, { description: 'Of those: all but the last ticket of the market.' })
  sellableAmount!: number;
  @Field(() => Float, { description: 'Cost of one ticket, in ETH.' })
  avgCostBasis!: number;
  @Field(() => Float, { description: 'Payout of selling the sellable at once, per ticket, in ETH; 0 if none.' })
  currentPrice!: number;
  @Field(() => Float, { description: 'That payout less the cost of all, in ETH.' })
  pnlEth!: number;
  @Field(() => String, { description: 'The same in wei.' })
  pnlWei!: string;
  @Field(() => Float, { description: 'The same in US dollars.' })
  pnlUsd!: number;
}

@ObjectType('UnrealizedPnl', { description: 'All open positions together.', simpleResolvers: true })
class UnrealizedPnl {
  @Field(() => Float, { description: 'The sum, in ETH.' })
  totalEth!: number;
  @Field(() => String, { description: 'The same in wei.' })
  totalWei!: string;
  @Field(() => Float, { description: 'The same in US dollars.' })
  totalUsd!: number;
  @Field(() => [OpenHolding], { description: 'Each position.' })
  holdings!: OpenHolding[];
}

@ObjectType('FeePnl', { description: 'Fees from trades in the own tickets.', simpleResolvers: true })
class FeePnl {
  @Field(() => Float, { description: 'Accrued for ever, in ETH.' })
  earnedEth!: number;
  @Field(() => String, { description: 'The same in wei.' })
  earnedWei!: string;
  @Field(() => Float, { nullable: true, description: 'Unclaimed in the contract; null if the chain is out of reach.' })
  pendingEth!: number | null;
  @Field(() => Float, { description: 'The same as earnedEth: what is pending is a part of it.' })
  totalEth!: number;
  @Field(() => Float, { description: 'The same in US dollars.' })
  totalUsd!: number;
}

@ObjectType('Pnl', {
  description: 'Profit and loss in full, for its owner. At most 10 seconds old.',
  simpleResolvers: true,
})
export class Pnl {
  @Field(() => RealizedPnl, { description: 'Of sales.' })
  realized!: RealizedPnl;
  @Field(() => UnrealizedPnl, { description: 'Of open positions.' })
  unrealized!: UnrealizedPnl;
  @Field(() => FeePnl, { description: 'Of fees.' })
  fees!: FeePnl;
  @Field(() => PnlSummary, { description: 'The sum.' })
  summary!: PnlSummary;
}
