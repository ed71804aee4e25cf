import { z } from 'zod';
import type { OpenHolding, Pnl, PnlSummary } from '../../core/trading/queries/pnl.js';
import type { Sale } from '../../core/trading/queries/trades.js';
import { ethNumber, usdNumber, type Wei } from '../../money.js';
import { address, time, wei } from './shapes.js';

export const pnlSummary = z.object({
  totalPnlEth: z.number(),
  totalPnlWei: wei,
  totalPnlUsd: z.number(),
  totalPnlPercent: z.number().meta({ description: 'Of the sum of all purchases; 0 without one' }),
  realizedEth: z.number(),
  unrealizedEth: z.number(),
  feesEarnedEth: z.number(),
});

export function formatSummary(summary: PnlSummary, ethUsd: number): z.input<typeof pnlSummary> {
  return {
    totalPnlEth: ethNumber(summary.total),
    totalPnlWei: String(summary.total),
    totalPnlUsd: usdNumber(summary.total, ethUsd),
    totalPnlPercent: summary.percent,
    realizedEth: ethNumber(summary.realized),
    unrealizedEth: ethNumber(summary.unrealized),
    feesEarnedEth: ethNumber(summary.feesEarned),
  };
}

const amounts = { totalEth: z.number(), totalWei: wei, totalUsd: z.number() };
const pnlAmounts = { pnlEth: z.number(), pnlWei: wei, pnlUsd: z.number() };

const realizedTrade = z.object({
  agentName: z.string().nullable(),
  agentAddress: address,
  amount: z.int(),
  buyPrice: z.number().meta({ description: 'FIFO cost of the tickets sold, fees included, in ETH' }),
  sellPrice: z.number().meta({ description: 'What was received, fees deducted, in ETH' }),
  ...pnlAmounts,
  date: time,
  txHash: z.string(),
});

const openHolding = z.object({
  agentName: z.string().nullable(),
  agentAddress: address,
  amount: z.int(),
  sellableAmount: z.int().meta({ description: 'All but the last ticket of the market' }),
  avgCostBasis: z.number().meta({ description: 'Cost of one ticket, in ETH' }),
  currentPrice: z
    .number()
    .meta({ description: 'Payout of selling the sellable at once, per ticket, in ETH; 0 if none' }),
  ...pnlAmounts,
});

const fees = z.object({
  earnedEth: z.number(),
  earnedWei: wei,
  pendingEth: z
    .number()
    .nullable()
    .meta({ description: 'Unclaimed in the contract; null if the chain is out of reach' }),
  totalEth: z.number(),
  totalUsd: z.number(),
});

const unrealized = z.object({ ...amounts, holdings: z.array(openHolding) });

export const fullPnl = z.object({
  realized: z.object({ ...amounts, count: z.int(), trades: z.array(realizedTrade) }),
  unrealized,
  fees,
  summary: pnlSummary,
});

/** The same without the list of sales. */
export const pnlFigures = fullPnl.extend({ realized: z.object({ ...amounts, count: z.int() }) });

/** Cost of one ticket of a position, rounded down to the wei; 0 if it holds none. */
export const averageCost = (cost: Wei, amount: number): number => ethNumber(amount === 0 ? 0n : cost / BigInt(amount));

const sum = (total: Wei, usd: number) => ({
  totalEth: ethNumber(total),
  totalWei: String(total),
  totalUsd: usdNumber(total, usd),
});
const gain = (pnl: Wei, usd: number) => ({ pnlEth: ethNumber(pnl), pnlWei: String(pnl), pnlUsd: usdNumber(pnl, usd) });

function formatSale(sale: Sale, usd: number): z.input<typeof realizedTrade> {
  const cost = sale.costBasis ?? 0n;
  const pnl = sale.realizedPnl ?? 0n;
  return {
    agentName: sale.agentName,
    agentAddress: sale.agent,
    amount: sale.amount,
    buyPrice: ethNumber(cost),
    sellPrice: ethNumber(cost + pnl),
    ...gain(pnl, usd),
    date: sale.time.toISOString(),
    txHash: sale.txHash,
  };
}

function formatHolding(holding: OpenHolding, usd: number): z.input<typeof openHolding> {
  return {
    agentName: holding.agentName,
    agentAddress: holding.agent,
    amount: holding.amount,
    sellableAmount: holding.sellable,
    avgCostBasis: averageCost(holding.cost, holding.amount),
    currentPrice: ethNumber(holding.sellable === 0 ? 0n : holding.payout / BigInt(holding.sellable)),
    ...gain(holding.pnl, usd),
  };
}

export function formatFigures(pnl: Pnl, usd: number): z.input<typeof pnlFigures> {
  const { summary, sales, holdings, pendingFees } = pnl;
  return {
    realized: { ...sum(summary.realized, usd), count: sales.count },
    unrealized: {
      ...sum(summary.unrealized, usd),
      holdings: holdings.map((holding) => formatHolding(holding, usd)),
    },
    fees: {
      earnedEth: ethNumber(summary.feesEarned),
      earnedWei: String(summary.feesEarned),
      pendingEth: pendingFees === null ? null : ethNumber(pendingFees),
      totalEth: ethNumber(summary.feesEarned),
      totalUsd: usdNumber(summary.feesEarned, usd),
    },
    summary: formatSummary(summary, usd),
  };
}

export function formatPnl(pnl: Pnl, usd: number): z.input<typeof fullPnl> {
  const { realized, ...rest } = formatFigures(pnl, usd);
  return { realized: { ...realized, trades: pnl.sales.newest.map((sale) => formatSale(sale, usd)) }, ...rest };
}
