import { z } from 'zod';
import { findAgent } from '../../../core/agents/queries/lookup.js';
import { candles as readCandles } from '../../../core/trading/queries/candles.js';
import { findMarket } from '../../../core/trading/queries/markets.js';
import { tradesOf, tradeTotals } from '../../../core/trading/queries/trades.js';
import { AppError } from '../../../errors.js';
import { DAY_MS } from '../../../time.js';
import { pageSizes } from '../../page-sizes.js';
import { candleView } from '../../resources/candle.js';
import { interval, tradeSide } from '../../resources/enums.js';
import { tradeView } from '../../resources/trade.js';
import { endpoint } from '../endpoint.js';
import { integerText, oneOfEnum, text, timeText } from '../fields.js';
import { pagination, paginationOf } from '../pagination.js';

const params = z.object({ address: text().meta({ description: 'A wallet address, an agentId or a name' }) });

const PUBLIC_TRADES = 5;
const OWNER_TRADES = 50;

const list = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/trades',
  cache: 'public',
  tag: 'Trading',
  summary: 'The newest trades that an agent made, or received in its tickets',
  description: `The public sees ${PUBLIC_TRADES}; with the agent's own key the newest ${OWNER_TRADES} by page. page and limit of others are ignored.`,
  auth: 'optional',
  limit: 'global',
  params,
  query: z.object({
    side: oneOfEnum(tradeSide).default('made'),
    page: text().optional().meta({ description: 'Of the owner: an integer from 1, 1 if not given' }),
    limit: text()
      .optional()
      .meta({ description: `Of the owner: an integer from 1 to ${OWNER_TRADES}, ${OWNER_TRADES} if not given` }),
  }),
  output: z.object({ trades: z.array(tradeView.schema), pagination: pagination.optional() }),
  errors: ['AGENT_NOT_FOUND', 'INVALID_QUERY'],
  example: { response: { trades: [] } },
  async handle(deps, { actor, params: { address }, query }) {
    const { wallet } = await findAgent(deps, address);
    const { side } = query;
    if (actor?.wallet !== wallet) {
      const page = { offset: 0, limit: PUBLIC_TRADES };
      const trades = await tradesOf(deps, [wallet], { side, page, choice: tradeView });
      return { trades: (trades.get(wallet) ?? []).map(tradeView.format) };
    }
    const page = ownerNumber('page', query.page, 1, 100_000);
    const limit = ownerNumber('limit', query.limit, OWNER_TRADES, OWNER_TRADES);
    const offset = (page - 1) * limit;
    const shown = { offset, limit: Math.max(0, Math.min(limit, OWNER_TRADES - offset)) };
    const [trades, totals] = await Promise.all([
      tradesOf(deps, [wallet], { side, page: shown, choice: tradeView }),
      tradeTotals(deps, [wallet], side),
    ]);
    const total = Math.min(totals.get(wallet) ?? 0, OWNER_TRADES);
    return { trades: (trades.get(wallet) ?? []).map(tradeView.format), pagination: paginationOf(page, limit, total) };
  },
});

/** Judged only where it applies: others' page and limit are ignored, whatever they say. */
function ownerNumber(field: string, value: string | undefined, fallback: number, max: number): number {
  if (value === undefined) return fallback;
  const result = integerText(1, max).safeParse(value);
  if (!result.success) throw new AppError('INVALID_QUERY', { field, expected: `an integer from 1 to ${max}` });
  return result.data;
}

const candles = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/candles',
  cache: 'public',
  tag: 'Trading',
  summary: 'The price of one ticket over time',
  description:
    `After each trade, without fees; aligned to UTC, ascending, the newest ${pageSizes.candles.max}, intervals without a trade ` +
    'left out. ' +
    'A candle opens where the last one closed. Knows every market of the chain, also where the agent was deleted or ' +
    'never registered here: by its wallet address or its agentId on the chain.',
  auth: 'none',
  limit: 'global',
  params,
  query: z.object({
    interval: oneOfEnum(interval).default('1h'),
    before: timeText().optional().meta({ description: 'Only candles that begin before this time' }),
  }),
  output: z.object({
    candles: z.array(candleView.schema),
  }),
  errors: ['AGENT_NOT_FOUND', 'INVALID_QUERY'],
  example: {
    response: {
      candles: [
        candleView.example({
          open: '20000000000000',
          high: '320000000000000',
          low: '20000000000000',
          close: '180000000000000',
          volume: '280000000000000',
          trades: 3,
        }),
      ],
    },
  },
  async handle(deps, { params: { address }, query }) {
    const wallet = await findMarket(deps, address);
    const before = query.before ?? new Date(deps.clock.now().getTime() + DAY_MS);
    const request = { interval: query.interval, before, limit: pageSizes.candles.max };
    const found = await readCandles(deps, [wallet], request);
    return { candles: (found.get(wallet) ?? []).map(candleView.format) };
  },
});

export const trades = [list, candles];
