import { z } from 'zod';
import { fieldsOf, globalIdOf, graphqlOnly, object, pick, sharedResource, view } from '../../server/resources/field.js';
import { address, ethFloat, float, hash, int, list, nullable, time, wei } from '../../server/resources/types.js';
import { usdNumber, type Wei } from '../../values/money.js';
import { SCOUT } from '../examples.js';
import { NEWEST_SALES, type OpenHolding, type Pnl, type PnlSummary } from './pnl.js';
import { averageCost } from './resource.js';
import type { TradeRow } from './trades.js';
import { walletTickets } from './wallet-resource.js';

/** `usd` is the price of 1 ETH in US dollars. */
type Priced = { readonly usd: number };
/** `wallet` is the wallet that made the profit or loss. */
type Owned = { readonly wallet: string };

/** The row of the resource `Pnl`, made by `pnlRow`. */
export type PnlRow = {
  readonly realized: Owned & Priced & { readonly total: Wei; readonly count: number; readonly trades: readonly SaleRow[] };
  readonly unrealized: Owned & Priced & { readonly total: Wei; readonly holdings: readonly (OpenHolding & Owned & Priced)[] };
  /** `pending` are the fees that are not yet withdrawn. Null if the chain cannot be read. */
  readonly fees: Owned & Priced & { readonly earned: Wei; readonly pending: Wei | null };
  readonly summary: PnlSummary & Priced;
};

const totals = fieldsOf<PnlSummary & Priced>();
export const pnlSummary = sharedResource(
  'PnlSummary',
  'Profit and loss of an agent as totals: realized, unrealized, fees and their sum.',
  {
    id: totals.globalId('PnlSummary', 'wallet'),
    totalPnlEth: totals.column('total', ethFloat, 'realizedEth + unrealizedEth + feesEarnedEth, in ETH. Negative for a loss.'),
    totalPnlWei: totals.column('total', wei, 'totalPnlEth in wei, as a decimal string. Negative for a loss.'),
    totalPnlUsd: totals.computed(['total', 'usd'], float, 'totalPnlEth in US dollars.', (row) => usdNumber(row.total, row.usd)),
    totalPnlPercent: totals.column(
      'percent',
      float,
      'Total profit and loss relative to the sum paid in all purchases, in percent. 0 without a purchase.',
    ),
    realizedEth: totals.column('realized', ethFloat, 'Proceeds of all sales less the FIFO cost of the tickets sold, in ETH.'),
    realizedWei: totals.column('realized', wei, 'realizedEth in wei, as a decimal string. Negative for a loss.'),
    unrealizedEth: totals.column(
      'unrealized',
      ethFloat,
      'Payout of selling all sellable tickets now, less the cost of all tickets held, in ETH.',
    ),
    unrealizedWei: totals.column('unrealized', wei, 'unrealizedEth in wei, as a decimal string. Negative for a loss.'),
    feesEarnedEth: totals.column('feesEarned', ethFloat, 'Agent fees from trades in the tickets of the agent, in ETH.'),
    feesEarnedWei: totals.column('feesEarned', wei, 'feesEarnedEth in wei, as a decimal string.'),
  },
);

const gains = fieldsOf<Priced & { readonly pnl: Wei }>();
const gain = {
  pnlWei: gains.column('pnl', wei, 'pnlEth in wei, as a decimal string. Negative for a loss.'),
  pnlUsd: gains.computed(['pnl', 'usd'], float, 'pnlEth in US dollars.', ({ pnl, usd }) => usdNumber(pnl, usd)),
};

const { agentName } = walletTickets.fields;

type SaleRow = TradeRow & Priced & { readonly pnl: Wei };
const sales = fieldsOf<SaleRow>();
export const realizedTrade = sharedResource('RealizedTrade', 'Profit and loss of one sale.', {
  id: sales.globalId('RealizedTrade', 'id'),
  agentName,
  agentAddress: sales.column('agent', address, 'Wallet address of the agent whose tickets were sold.'),
  amount: sales.column('amount', int, 'Number of tickets sold.'),
  buyPrice: sales.computed(['costBasis'], ethFloat, 'FIFO cost of the tickets sold, fees included, in ETH.', costOf),
  buyPriceWei: sales.computed(['costBasis'], wei, 'buyPrice in wei, as a decimal string.', costOf),
  sellPrice: sales.computed(['costBasis', 'pnl'], ethFloat, 'Amount received, fees deducted, in ETH.', proceedsOf),
  sellPriceWei: sales.computed(['costBasis', 'pnl'], wei, 'sellPrice in wei, as a decimal string.', proceedsOf),
  pnlEth: sales.column('pnl', ethFloat, 'sellPrice - buyPrice, in ETH. Negative for a loss.'),
  ...gain,
  date: sales.column('time', time, 'Time of the block.'),
  txHash: sales.column('txHash', hash, 'Hash of the transaction.'),
});

function costOf({ costBasis }: Pick<SaleRow, 'costBasis'>): Wei {
  return costBasis ?? 0n;
}
function proceedsOf(sale: Pick<SaleRow, 'costBasis' | 'pnl'>): Wei {
  return costOf(sale) + sale.pnl;
}

const positions = fieldsOf<OpenHolding & Owned & Priced>();
export const openHolding = sharedResource(
  'OpenHolding',
  'Open position: tickets of one agent that the wallet holds, with their profit and loss.',
  {
    id: positions.globalId('OpenHolding', 'wallet', 'agent'),
    agentName,
    agentAddress: positions.column('agent', address, 'Wallet address of the agent whose tickets are held.'),
    amount: positions.column('amount', int, 'Number of tickets held.'),
    sellableAmount: positions.column(
      'sellable',
      int,
      'Number of tickets that can be sold. The last ticket in circulation cannot be sold.',
    ),
    avgCostBasis: positions.computed(
      ['cost', 'amount'],
      ethFloat,
      'Average cost of one ticket held, fees included, in ETH. A quotient, rounded down to a wei: costWei is exact.',
      averageCost,
    ),
    avgCostBasisWei: graphqlOnly(positions.computed(['cost', 'amount'], wei, 'avgCostBasis in wei, rounded down.', averageCost)),
    costWei: positions.column('cost', wei, 'FIFO cost of all tickets held, fees included, in wei.'),
    currentPrice: positions.computed(
      ['payout', 'sellable'],
      ethFloat,
      'Payout of selling all sellable tickets in one trade, per ticket, in ETH. 0 if none is sellable. A quotient, rounded down to a wei: payoutWei is exact.',
      payoutPerTicket,
    ),
    currentPriceWei: graphqlOnly(
      positions.computed(['payout', 'sellable'], wei, 'currentPrice in wei, rounded down.', payoutPerTicket),
    ),
    payoutWei: positions.column(
      'payout',
      wei,
      'Payout of selling all sellable tickets in one trade, fees deducted, in wei. 0 if none is sellable.',
    ),
    pnlEth: positions.column(
      'pnl',
      ethFloat,
      'Payout of selling all sellable tickets now, less the cost of all tickets held, in ETH. Negative for a loss.',
    ),
    ...gain,
  },
);

function payoutPerTicket({ payout, sellable }: Pick<OpenHolding, 'payout' | 'sellable'>): Wei {
  return sellable === 0 ? 0n : payout / BigInt(sellable);
}

const sums = fieldsOf<Priced & { readonly total: Wei }>();
const sum = {
  totalEth: sums.column('total', ethFloat, 'Total profit and loss, in ETH. Negative for a loss.'),
  totalWei: sums.column('total', wei, 'totalEth in wei, as a decimal string. Negative for a loss.'),
  totalUsd: sums.computed(['total', 'usd'], float, 'totalEth in US dollars.', ({ total, usd }) => usdNumber(total, usd)),
};

const realizedFields = fieldsOf<PnlRow['realized']>();
const REALIZED = 'Profit and loss of all sales.';
const SALES = `Sales, newest first, at most ${NEWEST_SALES}.`;
export const realized = sharedResource('RealizedPnl', REALIZED, {
  id: realizedFields.globalId('RealizedPnl', 'wallet'),
  ...sum,
  count: realizedFields.column('count', int, 'Number of sales.'),
  trades: realizedFields.column('trades', list(object(realizedTrade)), SALES),
});

const unrealizedFields = fieldsOf<PnlRow['unrealized']>();
export const unrealized = sharedResource('UnrealizedPnl', 'Profit and loss of all open positions.', {
  id: unrealizedFields.globalId('UnrealizedPnl', 'wallet'),
  ...sum,
  holdings: unrealizedFields.column('holdings', list(object(openHolding)), 'Open positions, most tickets first.'),
});

const fees = fieldsOf<PnlRow['fees']>();
export const feePnl = sharedResource('FeePnl', 'Agent fees from trades in the tickets of the agent.', {
  id: fees.globalId('FeePnl', 'wallet'),
  earnedEth: fees.column('earned', ethFloat, 'Agent fees from all trades in the tickets of the agent, in ETH.'),
  earnedWei: fees.column('earned', wei, 'earnedEth in wei, as a decimal string.'),
  pendingEth: fees.column(
    'pending',
    nullable(ethFloat),
    'Fees that are not yet withdrawn from the contract, in ETH. Null if the chain is unavailable.',
  ),
  pendingWei: fees.column('pending', nullable(wei), 'pendingEth in wei, as a decimal string. Null if the chain is unavailable.'),
  totalEth: fees.column('earned', ethFloat, 'Same as earnedEth.'),
  totalWei: fees.column('earned', wei, 'Same as earnedWei.'),
  totalUsd: fees.computed(['earned', 'usd'], float, 'earnedEth in US dollars.', ({ earned, usd }) => usdNumber(earned, usd)),
});

const full = fieldsOf<PnlRow>();
const parts = {
  unrealized: full.column('unrealized', object(unrealized), 'Profit and loss of all open positions.'),
  fees: full.column('fees', object(feePnl), 'Agent fees from trades in the tickets of the agent.'),
  summary: full.column('summary', object(pnlSummary), 'Totals of realized, unrealized and fees, and their sum.'),
};
export const pnl = sharedResource(
  'Pnl',
  'Complete profit and loss of an agent, visible only to the agent itself. At most 10 seconds old.',
  {
    id: globalIdOf<PnlRow>(['summary'], 'Pnl', ['wallet'], ({ summary }) => [summary.wallet]),
    realized: full.column('realized', object(realized), REALIZED),
    ...parts,
  },
);

/** Answer of a PnL endpoint: complete profit and loss for the agent itself, only `summary` for others. */
export const visiblePnl = z.object({
  realized: realized.schema.describe(pnl.fields.realized.description).optional(),
  unrealized: unrealized.schema.describe(parts.unrealized.description).optional(),
  fees: feePnl.schema.describe(parts.fees.description).optional(),
  summary: pnlSummary.schema.describe(parts.summary.description),
} satisfies Record<keyof PnlRow, z.ZodType>);

const realizedFigures = view(pick(realized.fields, 'totalEth', 'totalWei', 'totalUsd', 'count'), 'RealizedFigures');
/** Profit and loss as in a heartbeat: without the list of sales. */
export const pnlFiguresView = view(
  {
    realized: full.column('realized', object(realizedFigures, realized), REALIZED),
    ...parts,
  },
  'PnlFigures',
);

/** Converts profit and loss to the row of the resource `Pnl`. `usd` is the price of 1 ETH in US dollars. */
export function pnlRow({ summary, sales: { count, newest }, holdings, pendingFees }: Pnl, usd: number): PnlRow {
  const { wallet } = summary;
  return {
    realized: {
      wallet,
      total: summary.realized,
      usd,
      count,
      trades: newest.map((trade) => ({ ...trade, pnl: trade.realizedPnl ?? 0n, usd })),
    },
    unrealized: { wallet, total: summary.unrealized, usd, holdings: holdings.map((row) => ({ ...row, wallet, usd })) },
    fees: { wallet, earned: summary.feesEarned, pending: pendingFees, usd },
    summary: { ...summary, usd },
  };
}

/** Profit and loss in the examples of answers. */
export const pnlExample = pnlRow(
  {
    summary: {
      wallet: SCOUT,
      realized: 400_000_000_000_000n,
      unrealized: 500_000_000_000_000n,
      feesEarned: 200_000_000_000_000n,
      total: 1_100_000_000_000_000n,
      percent: 12.5,
    },
    sales: { count: 0, newest: [] },
    holdings: [],
    pendingFees: 200_000_000_000_000n,
  },
  2500,
);
