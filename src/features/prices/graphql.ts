import { Arg, Args, ArgsType, Ctx, Field, Float, Info, Int, Query, Resolver } from 'type-graphql';
import { z } from 'zod';
import { pageSizes, parseFields } from '../../server/fields.js';
import { type GraphContext, type LoaderSource, requireActor } from '../../server/graphql/context.js';
import { forGraphql } from '../../server/graphql/format.js';
import { checkFirst, firstOf, loaders, valueByArguments } from '../../server/graphql/types/connection.js';
import {
  nullable,
  type Of,
  objectType,
  type Info as ResolveInfo,
  registerEnum,
  selects,
  Uncacheable,
  withoutNulls,
} from '../../server/graphql/types/object-types.js';
import { Address, AgentRef, DateTime } from '../../server/graphql/types/scalars.js';
import { action as actions, interval as intervals } from '../../server/resources/enums.js';
import type { Node } from '../../server/resources/field.js';
import { DAY_MS } from '../../time.js';
import { agentField, ofAgent } from '../agents/graphql.js';
import { findMarket } from '../agents/lookup.js';
import { MAX_SLIPPAGE_PERCENT, MAX_TICKETS_PER_TRADE } from '../pricing/rules.js';
import { type CandleInterval, type CandleRow, candles, candlesOf } from './candles.js';
import * as fields from './operations.js';
import { livePrice, MAX_DEADLINE_SECONDS, MIN_DEADLINE_SECONDS, tradeQuote } from './quote.js';
import { candle, price, QUOTE_SLIPPAGE, quote, quoteNote, refusal, transaction } from './resource.js';
import { checkPlannedThesis, PLANNED_THESIS, plannedThesis } from './thesis-operations.js';

const Action = registerEnum(actions);
const Interval = registerEnum(intervals);
const Candle = objectType(candle);
const Price = objectType(price);
const Quote = objectType(quote);
for (const part of [transaction, refusal]) objectType(part);

type CandleRequest = { readonly interval: CandleInterval; readonly before: string; readonly limit: number };
const priceLoaders = ({ deps }: LoaderSource) => ({
  candles: valueByArguments(
    (wallets, { interval, before, limit }: CandleRequest) =>
      candles(deps, wallets, { interval, before: new Date(before), limit }),
    [],
  ),
});

for (const type of [Price, Quote]) {
  agentField<{ readonly agent: string }>(type, ({ agent }) => agent, {
    description: 'Agent whose tickets are traded. Null if it is not an agent of this service.',
  });
}

const AMOUNT = `Number of tickets, 1 to ${MAX_TICKETS_PER_TRADE}.`;

@ArgsType()
class CandleArgs {
  @Field(() => Interval, { defaultValue: '1h', description: 'Length of one candle.' })
  interval!: Of<typeof Interval>;

  @Field(() => Int, {
    defaultValue: pageSizes.candles.fallback,
    description: `${firstOf(pageSizes.candles)} The answer has the newest candles.`,
  })
  first!: number;

  @Field(() => DateTime, nullable('Only candles that start before this time. Default: the newest candles.'))
  before?: Date | null;
}

ofAgent(
  'candles',
  {
    type: () => [Candle],
    args: CandleArgs,
    description: 'Price of one ticket over time, oldest candle first.',
  },
  async ({ wallet }, { interval, first, before }, context) => {
    checkFirst(first, pageSizes.candles.max);
    // The default is the end of the next day, so that all agents of a request have the same arguments and share a batch.
    const until = before ?? new Date((Math.floor(context.deps.clock.now().getTime() / DAY_MS) + 2) * DAY_MS);
    const args = { interval, before: until.toISOString(), limit: first };
    const rows: readonly CandleRow[] = await loaders(context, priceLoaders).candles.load(wallet, args);
    return rows.map((row) => new Candle({ ...row, interval }));
  },
);

/** The numbers and the thesis of a trade are checked by the fields of REST. */
const tradeFields = z.object({
  amount: fields.amount(),
  slippage: fields.slippage().optional(),
  deadlineSeconds: fields.deadline(),
  thesis: plannedThesis(),
});

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
  @Field(() => String, nullable(PLANNED_THESIS))
  thesis?: string | null;
}

@Resolver()
export class PriceQueries {
  @Uncacheable
  @Query(() => Price, {
    nullable: true,
    description:
      'Price of buying or selling tickets now, read from the chain. Covers every agent that registered on the chain.',
  })
  async price(
    @Args(() => PriceArgs) { agent: reference, amount, type, slippage }: PriceArgs,
    @Ctx() context: GraphContext,
  ): Promise<Node> {
    const { slippage: bps } = parseFields(tradeFields, withoutNulls({ amount, slippage }), 'INVALID_QUERY');
    const agent = await walletOf(context, reference);
    return new Price(await livePrice(context.deps, { agent, amount, type, slippage: bps }));
  }

  @Uncacheable
  @Query(() => Quote, {
    nullable: true,
    description:
      `Price of a trade and an unsigned transaction for it, with a slippage tolerance of ${QUOTE_SLIPPAGE}. Requires an API ` +
      'key: price with the slippage 5 has the same figures without one.',
  })
  async quote(
    @Args(() => QuoteArgs) { action: type, agent: reference, walletAddress: wallet, ...args }: QuoteArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Node> {
    const actor = requireActor(context);
    const { amount, deadlineSeconds, thesis } = parseFields(tradeFields, withoutNulls(args), 'INVALID_QUERY');
    await checkPlannedThesis({ ...context, actor }, thesis);
    const agent = await walletOf(context, reference);
    const isTried = selects(info, 'refusal');
    const quoted = await tradeQuote(context.deps, actor, { type, agent, amount, wallet, deadlineSeconds, isTried });
    return new Quote({ ...quoted, note: forGraphql(quoteNote(context.deps.config)) });
  }

  @Query(() => [Candle], {
    nullable: true,
    description:
      'Price of one ticket over time, oldest candle first. Covers every market of the chain, also of agents that are not registered here.',
  })
  async candles(
    @Arg('agent', () => AgentRef, { description: 'The agent.' }) agent: string,
    @Args(() => CandleArgs) { interval, first, before }: CandleArgs,
    @Ctx() { deps }: GraphContext,
  ): Promise<Node[]> {
    checkFirst(first, pageSizes.candles.max);
    const rows = await candlesOf(deps, agent, { interval, before, limit: first });
    return rows.map((row) => new Candle({ ...row, interval }));
  }
}

/**
 * The wallet that a reference names. A wallet address needs no lookup, because the chain has markets of wallets that are not
 * agents of this service.
 */
export const walletOf = async ({ deps }: GraphContext, reference: string): Promise<string> =>
  /^0x[0-9a-fA-F]{40}$/.test(reference) ? reference.toLowerCase() : findMarket(deps, reference);
