import { Args, Ctx, Info, Query, Resolver } from 'type-graphql';
import { forGraphql } from '../../../errors/advice.js';
import { type GraphContext, type LoaderSource, requireActor } from '../../../server/graphql/context.js';
import { checkFirst, firstOf, loaders, valueByArguments } from '../../../server/graphql/types/connection.js';
import { type Arguments, argumentsOf, readArguments } from '../../../server/graphql/types/inputs.js';
import { objectType, type ResolveInfo, registerEnum, selects, Uncacheable } from '../../../server/graphql/types/object-types.js';
import { integer } from '../../../server/inputs.js';
import type { Node } from '../../../server/resources/field.js';
import { DAY_MS } from '../../../values/time.js';
import { agentField, ofAgent } from '../../agents/graphql.js';
import { walletOf } from '../../agents/lookup.js';
import { checkPlannedThesis } from '../../theses/input.js';
import { candleList, candlePage, getCandles } from './candle-operations.js';
import { type CandleInterval, type CandleRow, candles, candlesOf } from './candles.js';
import { priceEndpoint, quoteInput } from './operations.js';
import { livePrice, tradeQuote } from './quote.js';
import { candle, candleInterval, price, QUOTE_SLIPPAGE, quote, quoteNote, refusal, tradeAction, transaction } from './resource.js';

registerEnum(tradeAction);
registerEnum(candleInterval);
const Candle = objectType(candle);
const Price = objectType(price);
const Quote = objectType(quote);
// Registers the GraphQL types of the fields of `Quote`. Nothing else needs the returned classes.
for (const part of [transaction, refusal]) objectType(part);

type CandleRequest = { readonly interval: CandleInterval; readonly before: string; readonly limit: number };
const priceLoaders = ({ deps }: LoaderSource) => ({
  candles: valueByArguments(
    (wallets, { interval, before, limit }: CandleRequest) => candles(deps, wallets, { interval, before: new Date(before), limit }),
    [],
  ),
});

for (const type of [Price, Quote]) {
  agentField<{ readonly agent: string }>(type, ({ agent }) => agent, {
    description: 'Agent whose tickets are traded. Null if it is not an agent of this service.',
  });
}

const candleFields = candleList.input.pick({ interval: true, before: true }).extend({
  first: integer(1, candlePage.max)
    .default(candlePage.fallback)
    .describe(`${firstOf(candlePage)} The answer has the newest candles.`),
});
type Candles = { readonly interval: CandleInterval; readonly before?: Date | null; readonly first: number };
const CandleArgs = argumentsOf<Candles>(candleFields);
const MarketArgs = argumentsOf<Candles & { readonly agent: string }>(
  candleFields.extend(getCandles.input.pick({ agent: true }).shape),
);

ofAgent(
  'candles',
  {
    type: () => [Candle],
    args: CandleArgs,
    description: 'Price of one ticket over time, oldest candle first.',
  },
  async ({ wallet }, { interval, first, before }, context) => {
    checkFirst(first, candlePage.max);
    // The default is the end of the next day: with a rounded time, all agents of a request have the same arguments and share a
    // batch.
    const until = before ?? new Date((Math.floor(context.deps.clock.now().getTime() / DAY_MS) + 2) * DAY_MS);
    const args = { interval, before: until.toISOString(), limit: first };
    const rows: readonly CandleRow[] = await loaders(context, priceLoaders).candles.load(wallet, args);
    return rows.map((row) => new Candle({ ...row, interval }));
  },
);

/** Arguments of a query about the market of an agent. `agent` is a wallet address, agentId or name. */
type OfAgent = Arguments & { readonly agent: string };

const PriceArgs = argumentsOf<OfAgent>(priceEndpoint.input);
const QuoteArgs = argumentsOf<OfAgent>(quoteInput);
const priceFields = priceEndpoint.input.omit({ agent: true });
const quoteFields = quoteInput.omit({ agent: true });

@Resolver()
class PriceQueries {
  @Uncacheable
  @Query(() => Price, {
    nullable: true,
    description: 'Price of buying or selling tickets now, read from the chain. Covers every agent that registered on the chain.',
  })
  async price(@Args(() => PriceArgs) given: OfAgent, @Ctx() context: GraphContext): Promise<Node> {
    const trade = readArguments(priceFields, given, 'INVALID_QUERY');
    const agent = await walletOf(context.deps, given.agent);
    return new Price(await livePrice(context.deps, { ...trade, agent }));
  }

  @Uncacheable
  @Query(() => Quote, {
    nullable: true,
    description:
      `Price of a trade and an unsigned transaction for it, with a slippage tolerance of ${QUOTE_SLIPPAGE}. Requires an API ` +
      'key: price with the slippage 5 has the same figures without one.',
  })
  async quote(@Args(() => QuoteArgs) given: OfAgent, @Ctx() context: GraphContext, @Info() info: ResolveInfo): Promise<Node> {
    const actor = requireActor(context);
    const asked = readArguments(quoteFields, given, 'INVALID_QUERY');
    const { action: type, walletAddress: wallet, thesis, ...trade } = asked;
    await checkPlannedThesis({ ...context, actor }, thesis);
    const agent = await walletOf(context.deps, given.agent);
    const isTried = selects(info, 'refusal');
    const priced = await tradeQuote(context.deps, actor, { ...trade, agent, type, wallet, isTried });
    return new Quote({ ...priced, note: forGraphql(quoteNote(context.deps.config)) });
  }

  @Query(() => [Candle], {
    nullable: true,
    description:
      'Price of one ticket over time, oldest candle first. Covers every market of the chain, also of agents that are not registered here.',
  })
  async candles(
    @Args(() => MarketArgs) { agent, interval, first, before }: Candles & { readonly agent: string },
    @Ctx() { deps }: GraphContext,
  ): Promise<Node[]> {
    checkFirst(first, candlePage.max);
    const rows = await candlesOf(deps, agent, { interval, before, limit: first });
    return rows.map((row) => new Candle({ ...row, interval }));
  }
}

export const resolvers = [PriceQueries];
