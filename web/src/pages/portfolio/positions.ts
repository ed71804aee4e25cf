import type { FeeSplit } from '../../../../src/values/curve.js';
import type { Wei } from '../../../../src/values/money.js';
import { payoutOf } from '../../contract/fees.js';
import { type Holding, ledgerOf, type WalletTrade } from '../../ui/wallet/trades.js';
import type { LiveTrade, MarketAgent } from './queries.js';

export type Position = Holding & {
  /**
   * The agent whose tickets are held. undefined if it is not an agent of this service: its price is then unknown here.
   */
  readonly agent: MarketAgent | undefined;
  /** Payout of selling all sellable tickets now, fees deducted. undefined if the price is unknown. */
  readonly value: Wei | undefined;
};

/** A trade of the wallet. `agent` is the agent whose tickets were traded; undefined if it is not an agent of this service. */
export type ListedTrade = WalletTrade & { readonly agent: MarketAgent | undefined };

export type Portfolio = {
  /** The agent of the wallet. undefined if it is no agent of this service. */
  readonly owner: MarketAgent | undefined;
  /** All trades of the wallet, newest first. */
  readonly trades: readonly ListedTrade[];
  /** The positions, most valuable first. A position stays at the place at which it was first shown. */
  readonly positions: readonly Position[];
  readonly cost: Wei;
  readonly value: Wei;
  /** Proceeds of all sales less the cost of the tickets sold. */
  readonly realized: Wei;
  /** Value less cost of all positions whose price is known. */
  readonly unrealized: Wei;
};

/** The data from which the positions of a wallet are computed. */
export type Book = {
  readonly wallet: string;
  /** All trades of the wallet, by id, newest first. */
  readonly trades: ReadonlyMap<string, WalletTrade>;
  /** The agents whose tickets the wallet has traded, and the agent of the wallet itself, by address. */
  readonly agents: ReadonlyMap<string, MarketAgent>;
  readonly split: FeeSplit;
};

/**
 * Returns the book with one more trade of the market. A trade of the wallet changes its positions; a trade of another wallet
 * changes the price of an agent. Returns the same book if the trade changes nothing.
 */
export function withTrade(book: Book, trade: LiveTrade): Book {
  const { wallet, trades, agents } = book;
  const address = trade.agentAddress.toLowerCase();
  const isOwn = trade.traderAddress.toLowerCase() === wallet;
  if (!isOwn && !agents.has(address)) return book;
  return {
    ...book,
    trades: !isOwn || trades.has(trade.id) ? trades : new Map([[trade.id, trade], ...trades]),
    agents: trade.agent ? new Map([...agents, [address, trade.agent]]) : agents,
  };
}

/**
 * Computes the portfolio from a book at the present prices. Positions that the page shows already keep their place, even if the
 * wallet has sold all their tickets since.
 */
export function portfolioOf({ wallet, trades, agents, split }: Book, shown: readonly Position[] = []): Portfolio {
  const { holdings, realized } = ledgerOf(trades.values(), agents.has(wallet) ? wallet : undefined);
  const held = new Map(holdings.map((holding) => [holding.address, holding]));
  const kept = shown.map(({ address }) => held.get(address) ?? { address, tickets: 0, cost: 0n });
  const added = holdings.filter(({ address }) => shown.every((position) => position.address !== address));
  const valued = (holding: Holding): Position => {
    const agent = agents.get(holding.address);
    return { ...holding, agent, value: agent && payoutOf(agent.totalSupply, holding.tickets, split) };
  };
  const positions = [...kept.map(valued), ...added.map(valued).sort((a, b) => ((b.value ?? -1n) > (a.value ?? -1n) ? 1 : -1))];
  const priced = positions.filter(({ value }) => value !== undefined);
  const value = sum(priced.map((position) => position.value ?? 0n));
  return {
    owner: agents.get(wallet),
    trades: [...trades.values()].map((trade) => ({ ...trade, agent: agents.get(trade.agentAddress) })),
    positions,
    value,
    realized,
    cost: sum(positions.map(({ cost }) => cost)),
    unrealized: value - sum(priced.map(({ cost }) => cost)),
  };
}

const sum = (amounts: readonly Wei[]): Wei => amounts.reduce((total, amount) => total + amount, 0n);
