import { answerOrNull } from '../../chain/chain.js';
import type { Deps } from '../../deps.js';
import { type FeeSplit, sellQuote } from '../../values/curve.js';
import type { Wei } from '../../values/money.js';
import { salesOf, type TradeRow } from './trades.js';

/** An open position, with the profit or loss of selling all sellable tickets in one trade. */
export type OpenHolding = {
  readonly agent: string;
  readonly agentName: string | null;
  readonly amount: number;
  readonly sellable: number;
  readonly cost: Wei;
  /** Amount that selling all sellable tickets would pay, fees deducted. */
  readonly payout: Wei;
  readonly pnl: Wei;
};

/** Profit and loss as totals, in wei. `total` is exactly `realized` + `unrealized` + `feesEarned`. */
export type PnlSummary = {
  readonly wallet: string;
  readonly realized: Wei;
  readonly unrealized: Wei;
  readonly feesEarned: Wei;
  readonly total: Wei;
  /** `total` in percent of the sum paid in all purchases. */
  readonly percent: number;
};

/** Complete profit and loss of an agent. */
export type Pnl = {
  readonly summary: PnlSummary;
  readonly sales: { readonly count: number; readonly newest: TradeRow[] };
  readonly holdings: OpenHolding[];
  /** Fees that are not yet withdrawn from the contract. Null if the chain cannot be read. */
  readonly pendingFees: Wei | null;
};

type Figures = { readonly summary: PnlSummary; readonly holdings: OpenHolding[]; readonly sellCount: number };

/** Maximum number of sales in an answer. */
export const NEWEST_SALES = 100;

/** Maximum number of attempts to read sums and sales that match. They differ if a trade is indexed between the two queries. */
const MAX_READS = 5;

/**
 * Complete PnL, for the agent itself. Reads running totals, which the indexer updates with each trade, instead of the whole
 * history.
 */
export async function pnlOf(deps: Deps, wallet: string): Promise<Pnl> {
  const [states, { figures, newest }] = await Promise.all([
    answerOrNull(deps.chain.states([wallet])),
    figuresAndSales(deps, wallet),
  ]);
  return {
    summary: figures.summary,
    sales: { count: figures.sellCount, newest },
    holdings: figures.holdings,
    pendingFees: states && (states[0]?.pendingFees ?? 0n),
  };
}

/**
 * Reads the sums and the newest sales. Repeats both reads until the number of sales matches, so that the sales add up to the
 * realized PnL.
 */
async function figuresAndSales(deps: Deps, wallet: string): Promise<{ figures: Figures; newest: TradeRow[] }> {
  for (let reads = 1; ; reads++) {
    const [figures, newest] = await Promise.all([figuresOf(deps, wallet), salesOf(deps, wallet, NEWEST_SALES)]);
    if (newest.length === Math.min(figures.sellCount, NEWEST_SALES) || reads === MAX_READS) return { figures, newest };
  }
}

/** PnL summaries of several wallets, in the order of `wallets`. */
export async function pnlSummariesOf(deps: Deps, wallets: readonly string[]): Promise<PnlSummary[]> {
  return (await figuresOfAll(deps, wallets)).map(({ summary }) => summary);
}

/**
 * A wallet with its sums and one of its positions. `sellCount`, `bought` and `realized` are null before the first trade,
 * `feesEarned` without an indexed market. If `agent` is null, the wallet has no position, and the columns after it are null, too.
 */
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

async function figuresOf(deps: Deps, wallet: string): Promise<Figures> {
  const [figures] = await figuresOfAll(deps, [wallet]);
  return figures as Figures;
}

/** Reads sums and positions in one SQL statement, so that both contain the same trades. */
async function figuresOfAll(deps: Deps, wallets: readonly string[]): Promise<Figures[]> {
  const [rows, split] = await Promise.all([
    deps.sql<Row>(
      `select w.wallet, l.sell_count as "sellCount", l.bought, l.realized, fees.fees_earned as "feesEarned",
         h.agent, a.name as "agentName", h.amount, h.cost, m.supply
       from (select distinct wallet from unnest($1::text[]) as wallet) w
       left join wallet_ledger l on l.wallet = w.wallet
       left join market fees on fees.wallet = w.wallet
       left join (ticket_holding h join market m on m.wallet = h.agent left join agent a on a.wallet = h.agent)
         on h.holder = w.wallet
       order by h.amount desc, h.agent desc`,
      [wallets],
    ),
    deps.chain.feeSplit(),
  ]);
  const rowsOf = Map.groupBy(rows, ({ wallet }) => wallet);
  return wallets.map((wallet) => figuresFrom(wallet, rowsOf.get(wallet) ?? [], split));
}

function figuresFrom(wallet: string, rows: readonly Row[], split: FeeSplit): Figures {
  const [first] = rows;
  const holdings = rows.flatMap(({ agent, ...row }) => (agent === null ? [] : [openHolding({ agent, ...row }, split)]));
  const realized = first?.realized ?? 0n;
  const feesEarned = first?.feesEarned ?? 0n;
  const unrealized = holdings.reduce((sum, { pnl }) => sum + pnl, 0n);
  const total = realized + unrealized + feesEarned;
  const percent = percentOf(total, first?.bought ?? 0n);
  const summary = { wallet, realized, unrealized, feesEarned, total, percent };
  return { summary, holdings, sellCount: first?.sellCount ?? 0 };
}

function openHolding(
  { agent, agentName, amount, cost, supply }: Pick<Row, 'agentName' | 'amount' | 'cost' | 'supply'> & { agent: string },
  split: FeeSplit,
): OpenHolding {
  // The contract refuses to sell the last ticket of a market.
  const sellable = Math.min(amount, supply - 1);
  // Ignores the maximum number of tickets per trade: the wallet can sell in several trades, so the position is worth the same.
  const payout = sellable === 0 ? 0n : sellQuote(BigInt(supply), BigInt(sellable), split).total;
  return { agent, agentName, amount, sellable, cost, payout, pnl: payout - cost };
}

/** `part` in percent of `whole`, with two decimals. 0 if `whole` is 0. */
const percentOf = (part: Wei, whole: Wei): number => (whole === 0n ? 0 : Number((part * 10_000n) / whole) / 100);

/** Reads PnL through the caches that REST, MCP and GraphQL share. */
export const pnlCaches = {
  owner: (deps: Deps, wallet: string): Promise<Pnl> => deps.caches.ownerPnl.get(wallet, () => pnlOf(deps, wallet)),
  /** `load` reads a summary that is not cached. A caller that reads many agents passes a function that batches these reads. */
  public: (deps: Deps, wallet: string, load = async () => (await figuresOf(deps, wallet)).summary): Promise<PnlSummary> =>
    deps.caches.publicPnl.get(wallet, load),
  /** Evicts the PnL of the wallets, so that the next read includes a trade that this process has recorded. */
  forget(deps: Deps, ...wallets: readonly string[]): void {
    for (const wallet of wallets) {
      deps.caches.ownerPnl.delete(wallet);
      deps.caches.publicPnl.delete(wallet);
    }
    // Makes cached answers stale as well: an answer that was cached after the commit may contain the old PnL.
    deps.writes.count++;
  },
};
