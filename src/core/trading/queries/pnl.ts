import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Wei } from '../../../money.js';
import { type FeeSplit, sellQuote } from '../../pricing/rules.js';
import { type Sale, salesOf } from './trades.js';

/** A position that is still open. */
export type OpenHolding = {
  readonly agent: string;
  readonly agentName: string | null;
  readonly amount: number;
  /** All but the last ticket of the market. */
  readonly sellable: number;
  readonly cost: Wei;
  /** What selling the sellable at once would bring, fees deducted. */
  readonly payout: Wei;
  readonly pnl: Wei;
};

/** total = realized + unrealized + fees, to the wei. */
export type PnlSummary = {
  readonly realized: Wei;
  readonly unrealized: Wei;
  readonly feesEarned: Wei;
  readonly total: Wei;
  /** Of everything that was ever paid for tickets. */
  readonly percent: number;
};

export type Pnl = {
  readonly summary: PnlSummary;
  readonly sales: { readonly count: number; readonly newest: readonly Sale[] };
  readonly holdings: readonly OpenHolding[];
  /** Fees that wait in the contract; null while the chain is out of reach. */
  readonly pendingFees: Wei | null;
};

/** Most sales that an answer lists. */
export const NEWEST_SALES = 100;

/** Of a trade that comes in while it is read; after so many, one of them more does not matter. */
const TRIES = 5;

/** Everything, for the owner. No figure is made from the history: each is kept up to date as trades come. */
export async function pnlOf(deps: Deps, wallet: string): Promise<Pnl> {
  const [pendingFees, { figures, newest }] = await Promise.all([
    pendingFeesOf(deps, wallet),
    figuresAndSales(deps, wallet),
  ]);
  return {
    summary: figures.summary,
    sales: { count: figures.sellCount, newest },
    holdings: figures.holdings,
    pendingFees,
  };
}

/** Both of one moment, so that the sales add up to what is realized. */
async function figuresAndSales(deps: Deps, wallet: string): Promise<{ figures: Figures; newest: Sale[] }> {
  for (let tries = 1; ; tries++) {
    const [figures, newest] = await Promise.all([figuresOf(deps, wallet), salesOf(deps, wallet, NEWEST_SALES)]);
    if (newest.length === Math.min(figures.sellCount, NEWEST_SALES) || tries === TRIES) return { figures, newest };
  }
}

/** For anybody. */
export async function pnlSummaryOf(deps: Deps, wallet: string): Promise<PnlSummary> {
  return (await figuresOf(deps, wallet)).summary;
}

/** The same of many, in the order of the wallets. */
export async function pnlSummariesOf(deps: Deps, wallets: readonly string[]): Promise<PnlSummary[]> {
  return (await figuresOfAll(deps, wallets)).map(({ summary }) => summary);
}

/** A wallet with its sums and one of its positions; nothing but the wallet where there is none of them. */
type Row = {
  wallet: string;
  sellCount: number | null;
  bought: Wei | null;
  realized: Wei | null;
  feesEarned: Wei | null;
  agent: string | null;
  agentName: string | null;
  amount: number;
  cost: Wei;
  supply: number;
};
type Figures = { readonly summary: PnlSummary; readonly holdings: OpenHolding[]; readonly sellCount: number };

async function figuresOf(deps: Deps, wallet: string): Promise<Figures> {
  const [figures] = await figuresOfAll(deps, [wallet]);
  return figures as Figures;
}

/** One statement reads the sums and the positions: a trade that comes in meanwhile is in all of them or in none. */
async function figuresOfAll(deps: Deps, wallets: readonly string[]): Promise<Figures[]> {
  const [rows, split] = await Promise.all([
    deps.sql<Row>(
      `select w.wallet, l.sell_count as "sellCount", l.bought, l.realized, own.fees_earned as "feesEarned",
         h.agent, a.name as "agentName", h.amount, h.cost, m.supply
       from (select distinct wallet from unnest($1::text[]) as wallet) w
       left join wallet_ledger l on l.wallet = w.wallet
       left join market own on own.wallet = w.wallet
       left join (ticket_holding h join market m on m.wallet = h.agent left join agent a on a.wallet = h.agent)
         on h.holder = w.wallet
       order by h.amount desc, h.agent desc`,
      [wallets],
    ),
    deps.market.feeSplit(),
  ]);
  const rowsOf = Map.groupBy(rows, ({ wallet }) => wallet);
  return wallets.map((wallet) => figuresFrom(rowsOf.get(wallet) ?? [], split));
}

function figuresFrom(rows: readonly Row[], split: FeeSplit): Figures {
  const [first] = rows;
  const holdings = rows.flatMap(({ agent, ...row }) => (agent === null ? [] : [openHolding({ agent, ...row }, split)]));
  const realized = first?.realized ?? 0n;
  const feesEarned = first?.feesEarned ?? 0n;
  const unrealized = holdings.reduce((sum, { pnl }) => sum + pnl, 0n);
  const total = realized + unrealized + feesEarned;
  const summary: PnlSummary = {
    realized,
    unrealized,
    feesEarned,
    total,
    percent: percentOf(total, first?.bought ?? 0n),
  };
  return { summary, holdings, sellCount: first?.sellCount ?? 0 };
}

function openHolding(
  { agent, agentName, amount, cost, supply }: Omit<OpenHolding, 'sellable' | 'payout' | 'pnl'> & { supply: number },
  split: FeeSplit,
): OpenHolding {
  const sellable = Math.min(amount, supply - 1);
  // Of any size: the contract's bound of 20 a trade is on trades, not on what a position is worth.
  const payout = sellable === 0 ? 0n : sellQuote(BigInt(supply), BigInt(sellable), split).total;
  return { agent, agentName, amount, sellable, cost, payout, pnl: payout - cost };
}

/** Percent with two decimals. */
const percentOf = (part: Wei, whole: Wei): number => (whole === 0n ? 0 : Number((part * 10_000n) / whole) / 100);

async function pendingFeesOf(deps: Deps, wallet: string): Promise<Wei | null> {
  try {
    const [state] = await deps.market.states([wallet]);
    return state?.pendingFees ?? 0n;
  } catch (error) {
    if (error instanceof AppError && error.code === 'CHAIN_UNAVAILABLE') return null;
    throw error;
  }
}
