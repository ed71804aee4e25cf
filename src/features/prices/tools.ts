import { z } from 'zod';
import { AppError } from '../../errors.js';
import { readLimits } from '../../server/access/limit-rows.js';
import { address, integer, oneOfEnum, pageSize, text, timeText } from '../../server/fields.js';
import { tool } from '../../server/mcp/tool.js';
import { toolView } from '../../server/mcp/tool-view.js';
import { pageSizes } from '../../server/page-sizes.js';
import { action, interval } from '../../server/resources/enums.js';
import { DAY_MS } from '../../time.js';
import { amount, slippage } from '../pricing/fields.js';
import { MAX_SLIPPAGE_PERCENT, MAX_TICKETS_PER_TRADE } from '../pricing/rules.js';
import { candles } from './candles.js';
import { findMarket } from './markets.js';
import { livePrice } from './price.js';
import { MAX_DEADLINE_SECONDS, MIN_DEADLINE_SECONDS, type QuotedFigures, quotedFigures, tradeQuote } from './quote.js';
import { candle, price, QUOTE_SLIPPAGE, type QuoteRow, quote } from './resource.js';

const candleView = toolView(candle);

const priceView = toolView(price);

/** The call fails where the transaction would, so its result has no refusal. */
const quoteView = toolView(quote, 'refusal');

export const agentAddress = () =>
  address().describe('Wallet address of the agent whose tickets are traded. search_agents finds it.');

export const tickets = () => amount().describe(`Number of tickets, from 1 to ${MAX_TICKETS_PER_TRADE}.`);

export const buyOrSell = () => oneOfEnum(action).describe('Whether the tickets are bought or sold.');

export const getCandles = tool({
  name: 'get_candles',
  title: 'Get candles of a ticket price',
  description:
    'Price history of one ticket: open, high, low, close and volume per interval, oldest first, without fees. Intervals ' +
    'without a trade are omitted.',
  auth: 'none',
  limits: [],
  input: z.object({
    agent: text().describe('Wallet address, agentId or name of the agent.'),
    interval: oneOfEnum(interval).default('1h').describe('Length of a candle.'),
    before: timeText({ offset: true })
      .optional()
      .describe('Only candles that start before this time, in ISO 8601. Default: now.'),
    limit: pageSize(pageSizes.candles),
  }),
  output: z.object({ candles: z.array(candleView.schema) }),
  effect: 'read',
  cache: 'public',
  async read(deps, { args }) {
    const wallet = await findMarket(deps, args.agent);
    const before = args.before ?? new Date(deps.clock.now().getTime() + DAY_MS);
    const found = await candles(deps, [wallet], { interval: args.interval, before, limit: args.limit });
    return { candles: (found.get(wallet) ?? []).map(candleView.format) };
  },
});

export const getPrice = tool({
  name: 'get_price',
  title: 'Get the price of tickets',
  description:
    'Price of buying or selling tickets now, read from the chain, with and without fees. It needs no key and reserves nothing.',
  auth: 'none',
  limits: readLimits.price,
  input: z.object({
    agent: agentAddress(),
    amount: tickets().default(1),
    action: buyOrSell().default('buy'),
    slippagePercent: slippage()
      .optional()
      .describe(
        `Accepted slippage in percent, from 0 to ${MAX_SLIPPAGE_PERCENT}. Adds the bound to send with the trade.`,
      ),
  }),
  output: priceView.schema,
  effect: 'read',
  cache: 'never',
  async read(deps, { args: { agent, amount, action: side, slippagePercent } }) {
    const live = await livePrice(deps, { agent, amount, side, slippageBps: slippagePercent });
    return priceView.format({ ...live, agent, amount, type: side, slippage: slippagePercent });
  },
});

export const quoteTrade = tool({
  name: 'quote_trade',
  title: 'Quote a trade',
  description:
    'Price of a trade and an unsigned transaction for it, for the wallet of the key. The call trades nothing: the wallet signs and ' +
    `sends the transaction itself, unchanged. The transaction accepts ${QUOTE_SLIPPAGE} slippage. It was tried on the present ` +
    'state of the chain; if the contract would refuse it, the call fails and says why. Compare maxCost or minPayout with the ' +
    'limits of your owner before you sign. Without a key, the result has the price but no transaction.',
  auth: 'optional',
  limits: (actor) => (actor ? [] : readLimits.price),
  input: z.object({
    action: buyOrSell(),
    agent: agentAddress(),
    amount: tickets(),
    deadlineSeconds: integer(MIN_DEADLINE_SECONDS, MAX_DEADLINE_SECONDS)
      .optional()
      .describe('Seconds until the transaction expires. Without it, the transaction does not expire. Needs a key.'),
  }),
  output: quoteView.schema.partial({ transaction: true }).extend({
    note: z.string().optional().describe('How to use the transaction of a purchase, or how to get a transaction.'),
  }),
  effect: 'read',
  cache: 'never',
  async read(deps, { actor, args: { action: side, agent, amount, deadlineSeconds } }) {
    const trade = { side, agent, amount };
    const formatted = (quoted: QuotedFigures) =>
      quoteView.format({ ...quoted, type: side, agent, amount, note: NOTE } as QuoteRow);
    if (actor === null && deadlineSeconds !== undefined) throw new AppError('MISSING_KEY');
    if (actor === null) return { ...formatted(await quotedFigures(deps, trade)), note: NOTE_WITHOUT_KEY };
    const quoted = await tradeQuote(deps, actor, { ...trade, wallet: actor.wallet, deadlineSeconds });
    if (quoted.refusal) throw quoted.refusal;
    return formatted(quoted);
  },
});

const NOTE =
  'Sign and send transaction as it is. Ether that the trade does not cost is returned. The service records the trade from the chain.';

const NOTE_WITHOUT_KEY =
  'For the transaction, call this tool with your API key in the header X-Api-Key. An agent gets its key when it registers.';
