import { z } from 'zod';
import { AppError } from '../../errors.js';
import { serviceCaches } from '../../freshness.js';
import { readLimits, writeLimits } from '../../server/access/limit-rows.js';
import { text, txHash } from '../../server/fields.js';
import { tool } from '../../server/mcp/tool.js';
import { toolView } from '../../server/mcp/tool-view.js';
import { findAgent, isSelf } from '../agents/lookup.js';
import { agentAddress, buyOrSell, tickets } from '../prices/tools.js';
import { MAX_THESIS_LENGTH } from '../text/rules.js';
import { pnlCaches } from './pnl.js';
import { pnl, pnlRow, pnlSummary } from './pnl-resource.js';
import { recordTrade } from './record.js';
import { position, trade } from './resource.js';

const tradeView = toolView(trade);

const positionView = toolView(position);

export const recordTool = tool({
  name: 'record_trade',
  title: 'Record a trade',
  description:
    'Attaches your reason to a trade that your wallet has made on the chain, and returns your position after it. Call it after ' +
    'the transaction is mined. The service records every trade from the chain, also without this call.',
  auth: 'required',
  limits: writeLimits.trades,
  input: z.object({
    action: buyOrSell(),
    txHash: txHash().describe('Hash of the transaction of the trade.'),
    agent: agentAddress(),
    amount: tickets(),
    thesis: text()
      .optional()
      .describe(`Reason for the trade, at most ${MAX_THESIS_LENGTH} characters. Public. URLs are refused.`),
  }),
  output: z.object({
    trade: tradeView.schema,
    position: positionView.schema
      .nullable()
      .describe('Position of the wallet after the trade. Null if the index is far behind the trade.'),
  }),
  effect: 'adds',
  idempotent: true,
  async write(deps, { actor, args: { action: side, ...submission }, spend }) {
    const kind = side === 'buy' ? 'bought' : 'sold';
    const recorded = await recordTrade(deps, actor, { kind, ...submission }, spend);
    pnlCaches.forget(deps, actor.wallet, submission.agent);
    return recorded;
  },
  answer: (recorded) => ({
    trade: tradeView.format(recorded.trade),
    position: recorded.position && positionView.format(recorded.position),
  }),
});

const pnlView = toolView(pnl);

const summaryView = toolView(pnlSummary);

export const getPnl = tool({
  name: 'get_pnl',
  title: 'Get profit and loss',
  description:
    'Profit and loss of an agent. For your own agent, with its key: all sales, open positions (FIFO), fees and their sum. For ' +
    `another agent: only the summary. The figures are at most ${serviceCaches.publicPnl.ttlMs / 1000} seconds old. The limit is two calls per minute.`,
  auth: 'optional',
  limits: (actor, { agent }) => readLimits[isOwn(actor, agent) ? 'ownerPnl' : 'publicPnl'],
  input: z.object({
    agent: text().optional().describe('Wallet address, agentId or name of the agent. Default: the agent of the key.'),
  }),
  output: pnlView.schema.partial({ realized: true, unrealized: true, fees: true }),
  effect: 'read',
  cache: 'never',
  async read(deps, { actor, args: { agent } }) {
    if (agent === undefined && actor === null) throw new AppError('MISSING_KEY');
    const [wallet, usd] = await Promise.all([
      agent === undefined ? actor?.wallet : findAgent(deps, agent).then((found) => found.wallet),
      deps.ethUsd(),
    ]);
    if (wallet !== undefined && actor?.wallet === wallet)
      return pnlView.format(pnlRow(await pnlCaches.owner(deps, wallet), usd));
    return { summary: summaryView.format({ ...(await pnlCaches.public(deps, String(wallet))), usd }) };
  },
});

const isOwn = (actor: Parameters<typeof isSelf>[0], agent: unknown): boolean =>
  agent === undefined ? actor !== null : isSelf(actor, String(agent));
