import type { z } from 'zod';
import { NEWEST_SALES, type OpenHolding, type Pnl, type PnlSummary } from '../../core/trading/queries/pnl.js';
import type { Sale } from '../../core/trading/queries/trades.js';
import { ethNumber, usdNumber, type Wei } from '../../money.js';
import { fieldsOf, graphqlOnly, named, object, pick, resource, restOnly, view } from './field.js';
import { address, ethFloat, type FieldType, float, hash, int, list, nullable, signedWei, text, time } from './types.js';

/** US dollars for 1 ETH. */
type Priced = { readonly usd: number };

const summaryFields = fieldsOf<PnlSummary & Priced>();
const summaryTable = {
  totalPnlEth: summaryFields.column('total', ethFloat, 'Realized + unrealized + fees, in ETH.'),
  totalPnlWei: summaryFields.column('total', signedWei, 'totalPnlEth in wei, as a decimal string. May be negative.'),
  totalPnlUsd: summaryFields.computed(['total', 'usd'], float, 'totalPnlEth in US dollars.', (row) =>
    usdNumber(row.total, row.usd),
  ),
  totalPnlPercent: summaryFields.column(
    'percent',
    float,
    'totalPnlEth in percent of the sum of all purchases. 0 if there was no purchase.',
  ),
  realizedEth: summaryFields.column(
    'realized',
    ethFloat,
    'Proceeds of sales less the FIFO cost of the tickets, in ETH.',
  ),
  unrealizedEth: summaryFields.column(
    'unrealized',
    ethFloat,
    'Payout of selling all sellable tickets now less the cost of all tickets held, in ETH.',
  ),
  feesEarnedEth: summaryFields.column('feesEarned', ethFloat, 'Fees from trades in its tickets, in ETH.'),
};
export const pnlSummary = resource(
  'PnlSummary',
  'Profit and loss: realized, unrealized, fees and their sum.',
  summaryTable,
);
export const pnlSummaryView = view(summaryTable);

const gains = fieldsOf<Priced & { readonly pnl: Wei }>();
const gain = {
  pnlWei: gains.column('pnl', signedWei, 'pnlEth in wei, as a decimal string. May be negative.'),
  pnlUsd: gains.computed(['pnl', 'usd'], float, 'pnlEth in US dollars.', ({ pnl, usd }) => usdNumber(pnl, usd)),
};

type SaleRow = Sale & Priced & { readonly pnl: Wei };
const sales = fieldsOf<SaleRow>();
const saleTable = {
  agentName: sales.column('agentName', nullable(text), 'Name of the agent. Null if it is not registered here.'),
  agentAddress: sales.column('agent', address, 'Wallet address of the agent whose tickets were sold.'),
  amount: sales.column('amount', int, 'Number of tickets sold.'),
  buyPrice: sales.computed(
    ['costBasis'],
    ethFloat,
    'FIFO cost of the tickets sold, fees included, in ETH.',
    ({ costBasis }) => costBasis ?? 0n,
  ),
  sellPrice: sales.computed(
    ['costBasis', 'pnl'],
    ethFloat,
    'Amount received, fees deducted, in ETH.',
    ({ costBasis, pnl }) => (costBasis ?? 0n) + pnl,
  ),
  pnlEth: sales.column('pnl', ethFloat, 'sellPrice - buyPrice, in ETH.'),
  ...gain,
  date: sales.column('time', time, 'Time of the block.'),
  txHash: sales.column('txHash', hash, 'Hash of the transaction.'),
};
export const realizedTrade = resource('RealizedTrade', 'Result of one sale.', saleTable);

const positions = fieldsOf<OpenHolding & Priced>();
const positionTable = {
  agentName: positions.column('agentName', nullable(text), 'Name of the agent. Null if it is not registered here.'),
  agentAddress: positions.column('agent', address, 'Wallet address of the agent whose tickets are held.'),
  amount: positions.column('amount', int, 'Number of tickets held.'),
  sellableAmount: positions.column('sellable', int, 'Tickets that can be sold: all but the last one of the market.'),
  avgCostBasis: positions.computed(['cost', 'amount'], float, 'Cost of one ticket, in ETH.', averageCost),
  currentPrice: positions.computed(
    ['payout', 'sellable'],
    ethFloat,
    'Payout of selling all sellable tickets in one trade, per ticket, in ETH. 0 if none is sellable.',
    ({ payout, sellable }) => (sellable === 0 ? 0n : payout / BigInt(sellable)),
  ),
  pnlEth: positions.column(
    'pnl',
    ethFloat,
    'Payout of selling all sellable tickets now less the cost of all tickets held, in ETH.',
  ),
  ...gain,
};
export const openHolding = resource('OpenHolding', 'Open position.', positionTable);

/** Cost of one ticket of a position, in ETH, rounded down to the wei. 0 if it holds none. */
export function averageCost({ cost, amount }: { readonly cost: Wei; readonly amount: number }): number {
  return ethNumber(amount === 0 ? 0n : cost / BigInt(amount));
}

const sums = fieldsOf<Priced & { readonly total: Wei }>();
const sum = {
  totalEth: sums.column('total', ethFloat, 'Sum, in ETH.'),
  totalWei: sums.column('total', signedWei, 'totalEth in wei, as a decimal string. May be negative.'),
  totalUsd: sums.computed(['total', 'usd'], float, 'totalEth in US dollars.', ({ total, usd }) =>
    usdNumber(total, usd),
  ),
};

type Realized = Priced & { readonly total: Wei; readonly count: number; readonly trades: readonly SaleRow[] };
const realizedFields = fieldsOf<Realized>();
const SALES = `Newest ${NEWEST_SALES} sales.`;
const sale = list(object(view(saleTable), realizedTrade));
const realizedTable = {
  ...sum,
  count: realizedFields.column('count', int, 'Number of sales.'),
  trades: restOnly(realizedFields.column('trades', sale, SALES)),
  graphqlTrades: graphqlOnly(
    named('trades')(
      fieldsOf<{ trades: Realized['trades'] | null }>().column(
        'trades',
        nullable(sale),
        `${SALES} Null in a heartbeat.`,
      ),
    ),
  ),
};
export const realized = resource('RealizedPnl', 'All sales together.', realizedTable);

type Unrealized = Priced & { readonly total: Wei; readonly holdings: readonly (OpenHolding & Priced)[] };
const unrealizedTable = {
  ...sum,
  holdings: fieldsOf<Unrealized>().column(
    'holdings',
    list(object(view(positionTable), openHolding)),
    'Open positions, most tickets first.',
  ),
};
export const unrealized = resource('UnrealizedPnl', 'All open positions together.', unrealizedTable);

type Fees = Priced & { readonly earned: Wei; readonly pending: Wei | null };
const fees = fieldsOf<Fees>();
const feeTable = {
  earnedEth: fees.column('earned', ethFloat, 'Fees from trades in its tickets since registration, in ETH.'),
  earnedWei: fees.column('earned', signedWei, 'earnedEth in wei, as a decimal string.'),
  pendingEth: fees.column(
    'pending',
    nullable(ethFloat),
    'Part of earnedEth not yet withdrawn from the contract, in ETH. Null if the chain cannot be read.',
  ),
  totalEth: fees.column('earned', ethFloat, 'Same as earnedEth.'),
  totalUsd: fees.computed(['earned', 'usd'], float, 'earnedEth in US dollars.', ({ earned, usd }) =>
    usdNumber(earned, usd),
  ),
};
export const feePnl = resource('FeePnl', 'Fees from trades in the tickets of the agent.', feeTable);

type Full = {
  readonly realized: Realized;
  readonly unrealized: Unrealized;
  readonly fees: Fees;
  readonly summary: PnlSummary & Priced;
};
const full = fieldsOf<Full>();
const withRealized = <S extends z.ZodType>(type: FieldType<Realized, S>) =>
  full.column('realized', type, 'Profit and loss of sales.');
const parts = {
  unrealized: full.column(
    'unrealized',
    object(view(unrealizedTable), unrealized),
    'Profit and loss of open positions.',
  ),
  fees: full.column('fees', object(view(feeTable), feePnl), 'Fees earned.'),
  summary: full.column('summary', object(pnlSummaryView, pnlSummary), 'Sum of realized, unrealized and fees.'),
};
const table = { realized: withRealized(object(view(realizedTable), realized)), ...parts };

export const pnl = resource('Pnl', 'Complete profit and loss, for the agent itself. At most 10 seconds old.', table);
export const pnlView = view(table);
/** Without the list of sales. */
export const pnlFiguresView = view({
  realized: withRealized(object(view(pick(realizedTable, 'totalEth', 'totalWei', 'totalUsd', 'count')), realized)),
  ...parts,
});

/** The row of the resource. `sales`: whether it has the list of sales. */
export function pnlRow({ summary, sales: { count, newest }, holdings, pendingFees }: Pnl, usd: number): Full {
  return {
    realized: {
      total: summary.realized,
      usd,
      count,
      trades: newest.map((trade) => ({ ...trade, pnl: trade.realizedPnl ?? 0n, usd })),
    },
    unrealized: { total: summary.unrealized, usd, holdings: holdings.map((holding) => ({ ...holding, usd })) },
    fees: { earned: summary.feesEarned, pending: pendingFees, usd },
    summary: { ...summary, usd },
  };
}
