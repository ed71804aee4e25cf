import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Wei } from '../../../money.js';
import { type FeeSplit, sellQuote } from '../../pricing/rules.js';
import { salesOf, type TradeView } from './trades.js';

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
  readonly sales: { readonly count: number; readonly newest: readonly TradeView[] };
  readonly holdings: readonly OpenHolding[];
  /** Fees that wait in the contract; null while the chain is out of reach. */
  readonly pendingFees: Wei | null;
};

const NEWEST_SALES = 100;

/** Everything, for the owner. No figure is made from the history: each is kept up to date as trades come. */
export async function pnlOf(deps: Deps, wallet: string): Promise<Pnl> {
  const [figures, newest, pendingFees] = await Promise.all([
    figuresOf(deps, wallet),
    salesOf(deps, wallet, NEWEST_SALES),
    pendingFeesOf(deps, wallet),
  ]);
  return {
    summary: figures.summary,
    sales: { count: figures.sellCount, newest },
    holdings: figures.holdings,
    pendingFees,
  };
}

/** For anybody. */
export async function pnlSummaryOf(deps: Deps, wallet: string): Promise<PnlSummary> {
  return (await figuresOf(deps, wallet)).summary;
}

async function figuresOf(deps: Deps, wallet: string) {
  type Ledger = { sellCount: number; bought: Wei; realized: Wei };
  type Held = { agent: string; agentName: string | null; amount: number; cost: Wei; supply: number };
  const [[ledger], [market], held, split] = await Promise.all([
    deps.sql<Ledger>('select sell_count as "sellCount", bought, realized from wallet_ledger where wallet = $1', [
      wallet,
    ]),
    deps.sql<{ feesEarned: Wei }>('select fees_earned as "feesEarned" from market where wallet = $1', [wallet]),
    deps.sql<Held>(
      `select h.agent, a.name as "agentName", h.amount, h.cost, m.supply from ticket_holding h
       join market m on m.wallet = h.agent left join agent a on a.wallet = h.agent
       where h.holder = $1 order by h.amount desc, h.agent desc`,
      [wallet],
    ),
    deps.market.feeSplit(),
  ]);
  const holdings = held.map((row) => openHolding(row, split));
  const realized = ledger?.realized ?? 0n;
  const unrealized = holdings.reduce((sum, { pnl }) => sum + pnl, 0n);
  const feesEarned = market?.feesEarned ?? 0n;
  const total = realized + unrealized + feesEarned;
  const summary: PnlSummary = {
    realized,
    unrealized,
    feesEarned,
    total,
    percent: percentOf(total, ledger?.bought ?? 0n),
  };
  return { summary, holdings, sellCount: ledger?.sellCount ?? 0 };
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
