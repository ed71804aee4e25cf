import { z } from 'zod';
import type { Config } from '../../../config/config.js';
import { AppError } from '../../../errors/errors.js';
import { aliasOf, integer, oneOfEnum, oneValue, walletAddress } from '../../../server/inputs.js';
import { operation, unrouted } from '../../../server/operation.js';
import type { LimitRow } from '../../../server/rate-limits.js';
import { fieldsOf, object, view } from '../../../server/resources/field.js';
import { optional, text } from '../../../server/resources/types.js';
import { MAX_SLIPPAGE_PERCENT, MAX_TICKETS_PER_TRADE } from '../../../values/curve.js';
import { agentAddress } from '../../agents/operations.js';
import { CONTRACT, NOON, PLANNER, SCOUT } from '../../examples.js';
import { checkPlannedThesis, plannedThesis } from '../../theses/input.js';
import {
  GAS_LIMIT,
  livePrice,
  MAX_DEADLINE_SECONDS,
  MIN_DEADLINE_SECONDS,
  QUOTE_SLIPPAGE_BPS,
  quotedFigures,
  quotedOf,
  type Side,
  tradeQuote,
  type UnsignedTransaction,
} from './quote.js';
import { NOTE, price, QUOTE_SLIPPAGE, quote, quoteNote, tradeAction, transaction } from './resource.js';

const priceLimit: readonly LimitRow[] = [{ name: 'price', max: 10, seconds: 60, per: 'ip' }];

const agent = agentAddress('Agent whose tickets are traded');

export const tickets = integer(1, Number(MAX_TICKETS_PER_TRADE)).meta({
  code: 'INVALID_AMOUNT',
  description: `Number of tickets, from 1 to ${MAX_TICKETS_PER_TRADE}.`,
});

export const buyOrSell = oneOfEnum(tradeAction).describe('Whether the tickets are bought or sold.');

/** A percentage with at most two decimals, which the field converts to basis points. */
const slippage = z
  .number()
  .min(0)
  .max(MAX_SLIPPAGE_PERCENT)
  .refine((percent) => /^\d+(\.\d{1,2})?$/.test(String(percent)))
  .transform((percent) => BigInt(Math.round(percent * 100)))
  .meta({
    expected: `a number from 0 to ${MAX_SLIPPAGE_PERCENT} with at most 2 decimals`,
    description: `Accepted slippage in percent, from 0 to ${MAX_SLIPPAGE_PERCENT}, with at most 2 decimals. Adds maxTotalCost or minPayout.`,
  });

/** Figures of a trade in the examples: one ticket of an agent with 3 tickets in circulation. */
const exampleOf = (type: Side) =>
  quotedOf({ type, agent: SCOUT, amount: 1 }, { supply: 3, split: { protocolBps: 500n, agentBps: 500n } });

/** Calldata in the examples: buyTickets(agent, 1, maxCost) or sellTickets(agent, 1, minPayout). */
const callData = (selector: string, bound: bigint): string =>
  selector + [SCOUT, '0x1', `0x${bound.toString(16)}`].map((word) => word.slice(2).padStart(64, '0')).join('');

const quoteExample = (side: Side) => {
  const figures = exampleOf(side);
  const { bound } = figures;
  const data = callData(side === 'buy' ? '0xb91ccd38' : '0xe989e9b9', bound);
  const value = side === 'buy' ? bound : 0n;
  return {
    ...figures,
    refusal: undefined,
    transaction: { to: CONTRACT, from: PLANNER, data, value, gasLimit: GAS_LIMIT },
  };
};

export const priceEndpoint = operation({
  rest: 'GET /api/price',
  tag: 'Trading',
  summary: 'Price of tickets now, read from the chain',
  description:
    'Works for every agent that is registered on the chain, with or without a profile at this service. With `slippage`, ' +
    'the answer also contains the bound to send with the trade.',
  auth: 'none',
  limit: priceLimit,
  input: z.object({
    agent,
    amount: tickets.default(1),
    type: buyOrSell.default('buy'),
    slippage: slippage.optional(),
  }),
  tool: {
    name: 'get_price',
    title: 'Get the price of tickets',
    description:
      'Price of buying or selling tickets now, read from the chain, with and without fees. It needs no key and reserves nothing.',
    names: { type: 'action', slippage: 'slippagePercent' },
  },
  output: price.schema,
  errors: ['INVALID_ADDRESS', 'INVALID_AMOUNT', 'LAST_TICKET', 'AGENT_NOT_FOUND', 'CHAIN_UNAVAILABLE'],
  samples: {
    client: `curvet.market.price({ agent: '${SCOUT}', amount: 1, type: 'buy', slippage: 5 })`,
    graphql: `{ price(agent: "${SCOUT}", amount: 1, type: BUY, slippage: 5) { priceAfterFeeEth maxTotalCostEth } }`,
  },
  example: {
    request: { agent: SCOUT, amount: 1, type: 'buy', slippage: 5 },
    response: price.format({ ...exampleOf('buy'), supply: 3, ethUsd: 2500, slippage: QUOTE_SLIPPAGE_BPS }),
  },
  handle: ({ deps }, trade) => livePrice(deps, trade),
});

/** Fields of the trade to quote, from which REST, MCP and GraphQL derive their inputs. */
export const quoteInput = z.object({
  action: buyOrSell,
  agent,
  amount: tickets,
  walletAddress: walletAddress().describe('Wallet address of the agent of the key, which will send the transaction.'),
  deadlineSeconds: integer(MIN_DEADLINE_SECONDS, MAX_DEADLINE_SECONDS)
    .optional()
    .describe(
      `Seconds until the transaction expires, ${MIN_DEADLINE_SECONDS} to ${MAX_DEADLINE_SECONDS}. If omitted, the transaction does not expire.`,
    ),
  thesis: plannedThesis,
});

const { action, ...otherFields } = quoteInput.shape;

export const quoteEndpoint = (config: Config) =>
  operation({
    rest: 'GET /api/tickets/quote',
    tag: 'Trading',
    summary: 'Quote for a trade, with the transaction to sign and send',
    description:
      `The transaction accepts ${QUOTE_SLIPPAGE} slippage. It is tried on the present state of the chain: \`refusal\` says why ` +
      'it would fail. Purchases are quoted only for agents of this service. Sales are quoted for every agent on the chain, ' +
      'including deleted agents. `GET /api/price` with `slippage=5` has the same figures without a key.',
    auth: 'required',
    limit: 'global',
    input: z.object({
      action: action.optional().describe(`${action.description} Required.`),
      type: aliasOf('action', action.optional()),
      ...otherFields,
    }),
    output: quote.schema,
    errors: [
      'INVALID_ADDRESS',
      'INVALID_AMOUNT',
      'INSUFFICIENT_TICKETS',
      'LAST_TICKET',
      'NOT_AUTHORIZED',
      'AGENT_NOT_FOUND',
      'NO_DEADLINES',
      'FIELD_TOO_LONG',
      'THESIS_HAS_URL',
      'CONTENT_HIDDEN',
      ...(config.TICKET_CALLBACKS === 'retired' ? (['DEPRECATED'] as const) : []),
      'CHAIN_UNAVAILABLE',
    ],
    samples: {
      client: `curvet.market.quote({ action: 'buy', agent: '${SCOUT}', amount: 1, walletAddress: '${PLANNER}' })`,
      graphql: `{ quote(action: BUY, agent: "${SCOUT}", amount: 1, walletAddress: "${PLANNER}") { maxCost transaction { to value data } } }`,
    },
    example: {
      request: { action: 'buy', agent: SCOUT, amount: 1, walletAddress: PLANNER },
      response: quote.format({ ...quoteExample('buy'), note: quoteNote(config) }),
      summary: 'A purchase',
    },
    moreExamples: [
      {
        summary: 'A sale',
        request: { action: 'sell', agent: SCOUT, amount: 1, walletAddress: PLANNER },
        response: quote.format({ ...quoteExample('sell'), balance: { tickets: 1, at: new Date(NOON) }, note: '' }),
      },
    ],
    async handle({ deps, actor, ip }, { agent, amount, walletAddress: wallet, deadlineSeconds, thesis, ...sides }) {
      const action = oneValue({ action: sides.action, type: sides.type });
      if (action === undefined) throw new AppError('MISSING_FIELD', { field: 'action' });
      await checkPlannedThesis({ deps, actor, ip }, thesis);
      const quoted = await tradeQuote(deps, actor, { type: action, agent, amount, wallet, deadlineSeconds });
      return { ...quoted, note: quoteNote(deps.config) };
    },
  });

const { refusal: _, ...quoteFields } = quote.fields;
const noted = fieldsOf<{
  readonly transaction?: UnsignedTransaction | undefined;
  readonly note?: string | undefined;
}>();
/** A quote in MCP. Without a key it has no transaction. It never has the field `refusal`, because the tool call fails instead. */
const toolQuote = view({
  ...quoteFields,
  transaction: noted.column('transaction', optional(object(transaction)), 'Unsigned transaction of the trade.'),
  note: noted.column('note', optional(text), 'How to use the transaction of a purchase, or how to get a transaction.'),
});

const withKey = <T extends z.ZodType>(field: T): T => field.describe(`${field.description} Needs a key.`);

export const quoteTrade = unrouted({
  tool: {
    name: 'quote_trade',
    title: 'Quote a trade',
    description:
      'Price of a trade and an unsigned transaction for it, for the wallet of the key. The call trades nothing: the wallet signs and ' +
      `sends the transaction itself, unchanged. The transaction accepts ${QUOTE_SLIPPAGE} slippage. It was tried on the present ` +
      'state of the chain; if the contract would refuse it, the call fails and says why. Compare maxCost or minPayout with the ' +
      'limits of your owner before you sign. Without a key, the result has the price but no transaction.',
  },
  auth: 'optional',
  limit: (actor) => (actor ? [] : priceLimit),
  input: quoteInput.omit({ walletAddress: true }).extend({
    deadlineSeconds: withKey(otherFields.deadlineSeconds),
    thesis: withKey(otherFields.thesis),
  }),
  output: toolQuote.schema,
  async handle({ deps, actor, ip }, { action, agent, amount, deadlineSeconds, thesis }) {
    const trade = { type: action, agent, amount };
    if (actor === null && (deadlineSeconds ?? thesis) !== undefined) throw new AppError('MISSING_KEY');
    if (actor === null) return { ...(await quotedFigures(deps, trade)), note: NOTE_WITHOUT_KEY };
    await checkPlannedThesis({ deps, actor, ip }, thesis);
    const quoted = await tradeQuote(deps, actor, { ...trade, wallet: actor.wallet, deadlineSeconds });
    // The tool call fails if the transaction would fail.
    if (quoted.refusal) throw quoted.refusal;
    return { ...quoted, note: action === 'buy' ? NOTE : undefined };
  },
});

const NOTE_WITHOUT_KEY =
  'For the transaction, call this tool with your API key in the header X-Api-Key. An agent gets its key when it registers.';
