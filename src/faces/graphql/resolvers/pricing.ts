import { Args, ArgsType, Ctx, Field, Float, Info, Int, Query, Resolver } from 'type-graphql';
import { AppError } from '../../../errors.js';
import { livePrice } from '../../../features/prices/price.js';
import { MAX_DEADLINE_SECONDS, MIN_DEADLINE_SECONDS, tradeQuote } from '../../../features/prices/quote.js';
import { QUOTE_SLIPPAGE, quoteNote } from '../../../features/prices/resource.js';
import { MAX_SLIPPAGE_PERCENT, MAX_TICKETS_PER_TRADE } from '../../../features/pricing/rules.js';
import { type GraphContext, requireActor } from '../engine/context.js';
import { forGraphql } from '../engine/format.js';
import { agentField, walletOf } from '../types/agent.js';
import { Action, type Of } from '../types/enums.js';
import type { Node } from '../types/generate.js';
import { type Info as ResolveInfo, selected } from '../types/lookahead.js';
import { types } from '../types/objects.js';
import { Address, AgentRef } from '../types/scalars.js';
import { Uncacheable } from '../types/uncacheable.js';

for (const type of [types.Price, types.Quote]) {
  agentField<{ readonly agent: string }>(type, ({ agent }) => agent, {
    description: 'Agent whose tickets are traded. Null if it is not an agent of this service.',
  });
}

const AMOUNT = `Number of tickets, 1 to ${MAX_TICKETS_PER_TRADE}.`;

export function checkAmount(amount: number): void {
  if (amount < 1 || amount > MAX_TICKETS_PER_TRADE) throw new AppError('INVALID_AMOUNT');
}

/** Converts a percentage with at most two decimals to basis points. */
function basisPoints(percent: number): bigint {
  const bps = Math.round(percent * 100);
  if (bps / 100 !== percent || percent < 0 || percent > MAX_SLIPPAGE_PERCENT) {
    throw new AppError('INVALID_FIELD', {
      field: 'slippage',
      expected: `a number from 0 to ${MAX_SLIPPAGE_PERCENT} with at most 2 decimals`,
    });
  }
  return BigInt(bps);
}

function checkDeadline(seconds: number): number {
  if (seconds >= MIN_DEADLINE_SECONDS && seconds <= MAX_DEADLINE_SECONDS) return seconds;
  throw new AppError('INVALID_FIELD', {
    field: 'deadlineSeconds',
    expected: `an integer from ${MIN_DEADLINE_SECONDS} to ${MAX_DEADLINE_SECONDS}`,
  });
}

@ArgsType()
class PriceArgs {
  @Field(() => AgentRef, { description: 'Agent whose tickets are traded.' })
  agent!: string;
  @Field(() => Int, { defaultValue: 1, description: AMOUNT })
  amount!: number;
  @Field(() => Action, { defaultValue: 'buy', description: 'Whether the tickets are bought or sold.' })
  type!: Of<typeof Action>;
  @Field(() => Float, {
    nullable: true,
    description: `Slippage tolerance in percent, 0 to ${MAX_SLIPPAGE_PERCENT}, at most 2 decimals. Sets maxTotalCost or minPayout.`,
  })
  slippage?: number | null;
}

@ArgsType()
class QuoteArgs {
  @Field(() => Action, { description: 'Whether the tickets are bought or sold.' })
  action!: Of<typeof Action>;
  @Field(() => AgentRef, { description: 'Agent whose tickets are traded.' })
  agent!: string;
  @Field(() => Int, { description: AMOUNT })
  amount!: number;
  @Field(() => Address, { description: 'Wallet address of the authenticated agent, which will send the transaction.' })
  walletAddress!: string;
  @Field(() => Int, {
    nullable: true,
    description: `Seconds until the transaction expires, ${MIN_DEADLINE_SECONDS} to ${MAX_DEADLINE_SECONDS}. Null: it does not expire.`,
  })
  deadlineSeconds?: number | null;
}

@Resolver()
export class PricingResolver {
  @Uncacheable
  @Query(() => types.Price, {
    nullable: true,
    description:
      'Price of buying or selling tickets now, read from the chain. Covers every agent that registered on the chain.',
  })
  async price(
    @Args(() => PriceArgs) { agent: reference, amount, type, slippage }: PriceArgs,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    checkAmount(amount);
    const { deps } = context;
    const agent = await walletOf(context, reference);
    const bps = slippage === undefined || slippage === null ? undefined : basisPoints(slippage);
    const live = await livePrice(deps, { agent, amount, side: type, slippageBps: bps });
    return new types.Price({ ...live, agent, amount, type, slippage: bps });
  }

  @Uncacheable
  @Query(() => types.Quote, {
    nullable: true,
    description:
      `Price of a trade and an unsigned transaction for it, with a slippage tolerance of ${QUOTE_SLIPPAGE}. Requires an API ` +
      'key: price with the slippage 5 has the same figures without one.',
  })
  async quote(
    @Args(() => QuoteArgs) {
      action,
      agent: reference,
      amount,
      walletAddress: wallet,
      deadlineSeconds: given,
    }: QuoteArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Node> {
    const actor = requireActor(context);
    checkAmount(amount);
    const deadlineSeconds = given === undefined || given === null ? undefined : checkDeadline(given);
    const agent = await walletOf(context, reference);
    const isTried = selected(info).has('refusal');
    const request = { side: action, agent, amount, wallet, deadlineSeconds, isTried };
    const quoted = await tradeQuote(context.deps, actor, request);
    return new types.Quote({
      ...quoted,
      type: action,
      agent,
      amount,
      note: forGraphql(quoteNote(context.deps.config)),
    });
  }
}
