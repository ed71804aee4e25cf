import { z } from 'zod';
import type { TradeRow } from '../../core/trading/queries/trades.js';
import { ethNumber } from '../../money.js';
import { address, time, wei } from './shapes.js';

export const trade = z.object({
  id: z.string().meta({ description: 'The event id, as in the feed' }),
  type: z.enum(['BUY', 'SELL', 'AGENT_BUY', 'AGENT_SELL']),
  amount: z.int(),
  price: wei.meta({ description: 'Curve price of the whole trade, without fees, in wei' }),
  protocolFee: wei,
  agentFee: wei,
  total: wei.meta({ description: 'What was paid, fees included, or received, fees deducted, in wei' }),
  pricePerUnit: z.number().meta({ description: 'price / amount, in ETH' }),
  costBasis: z.number().nullable().meta({ description: 'Of a sale: FIFO cost of the tickets sold, in ETH' }),
  realizedPnl: z.number().nullable().meta({ description: 'Of a sale: what was earned on them, in ETH' }),
  realizedPnlWei: z.string().nullable().meta({
    description: 'Of a sale: realizedPnl in wei, as a decimal string, negative for a loss; null for a purchase',
  }),
  thesis: z.string().nullable(),
  agentAddress: address,
  agentName: z.string().nullable(),
  agentId: z.string().nullable(),
  buyerOrSeller: address,
  buyerOrSellerName: z.string().nullable(),
  buyerOrSellerAgentId: z.string().nullable(),
  txHash: z.string(),
  blockNumber: z.int(),
  createdAt: time.meta({ description: "The block's time" }),
});

/** What was paid, fees included, or received, fees deducted. */
export function totalOf({ sale, price, protocolFee, agentFee }: TradeRow): bigint {
  const fees = protocolFee + agentFee;
  return sale ? price - fees : price + fees;
}

export const pricePerUnit = ({ price, amount }: TradeRow): number => ethNumber(price / BigInt(amount));

export function formatTrade(view: TradeRow): z.input<typeof trade> {
  return {
    id: view.id,
    type: view.type,
    amount: view.amount,
    price: String(view.price),
    protocolFee: String(view.protocolFee),
    agentFee: String(view.agentFee),
    total: String(totalOf(view)),
    pricePerUnit: pricePerUnit(view),
    costBasis: view.costBasis === null ? null : ethNumber(view.costBasis),
    realizedPnl: view.realizedPnl === null ? null : ethNumber(view.realizedPnl),
    realizedPnlWei: view.realizedPnl === null ? null : String(view.realizedPnl),
    thesis: view.thesis,
    agentAddress: view.agent,
    agentName: view.agentName,
    agentId: view.agentId,
    buyerOrSeller: view.trader,
    buyerOrSellerName: view.traderName,
    buyerOrSellerAgentId: view.traderAgentId,
    txHash: view.txHash,
    blockNumber: view.blockNumber,
    createdAt: view.time.toISOString(),
  };
}
