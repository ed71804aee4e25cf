import DataLoader from 'dataloader';
import {
  followedByAgent,
  followersByAgent,
  referralCounts,
  referralsByAgent,
} from '../../../core/agents/queries/relations.js';
import { feedByAgent, feedCounts } from '../../../core/feed/queries/pages.js';
import type { EventPart, FeedType } from '../../../core/feed/queries.js';
import { pointsByAgent, standingCounts, standingsBySeason } from '../../../core/seasons/queries/pages.js';
import {
  agentsByWallets,
  candlesByAgent,
  dayFiguresByWallets,
  holdersByAgent,
  holdingCounts,
  holdingsByHolder,
  ticketBalances,
  tradeCounts,
  tradesByWallet,
} from '../../../core/trading/queries/by-wallets.js';
import type { CandleInterval } from '../../../core/trading/queries/candles.js';
import {
  type AgentPart,
  type AgentRow,
  ALL_AGENT_PARTS,
  type ChosenTrade,
  type TradeChoice,
} from '../../../core/trading/queries/columns.js';
import { pnlSummariesOf } from '../../../core/trading/queries/pnl.js';
import type { TradeSide } from '../../../core/trading/queries/trades.js';
import type { Deps } from '../../../deps.js';
import type { Actor } from '../../access/authenticate.js';
import { pnlCaches } from '../../pnl-caches.js';
import type { Keyed, PageRequest } from '../types/connection.js';

export type Loaders = ReturnType<typeof loadersOf>;

/**
 * The loaders of one request. Callers may see different data, so requests share none. Each relation is read in one statement
 * for all parents that need it with the same arguments.
 */
export function loadersOf(deps: Deps, actor: Actor | null) {
  const viewer = actor?.wallet ?? null;
  const summaries = new DataLoader<string, Awaited<ReturnType<typeof pnlSummariesOf>>[number]>((wallets) =>
    pnlSummariesOf(deps, wallets),
  );
  const agents = new Map<string, DataLoader<string, AgentRow | null>>();
  const trades = new Map<TradeChoice, Rows<{ side: TradeSide }, ChosenTrade & Keyed>>();
  return {
    /** Agents with these columns. Agents with the same columns are read together. */
    agent: (parts: readonly AgentPart[] = ALL_AGENT_PARTS): DataLoader<string, AgentRow | null> => {
      const key = parts.join();
      const existing = agents.get(key);
      if (existing) return existing;
      const loader = valueByKey((wallets: readonly string[]) => agentsByWallets(deps, wallets, parts), null);
      agents.set(key, loader);
      return loader;
    },
    day: valueByKey((wallets: readonly string[]) => dayFiguresByWallets(deps, wallets), null),
    referralCount: valueByKey((wallets: readonly string[]) => referralCounts(deps, wallets), 0),
    holdingCount: valueByKey((wallets: readonly string[]) => holdingCounts(deps, wallets), 0),
    standingCount: valueByKey((seasons: readonly number[]) => standingCounts(deps, seasons), 0),
    ticketBalance: valueByArguments<{ holder: string }, number>(
      (wallets, { holder }) => ticketBalances(deps, wallets, holder),
      0,
    ),
    tradeCount: valueByArguments<TradeSide, number>((wallets, side) => tradeCounts(deps, side, wallets), 0),
    feedCount: valueByArguments<{ type?: FeedType }, number>((wallets, { type }) => feedCounts(deps, wallets, type), 0),
    followers: rowsByArguments((wallets, page) => followersByAgent(deps, wallets, page)),
    following: rowsByArguments((wallets, page) => followedByAgent(deps, wallets, page)),
    referrals: rowsByArguments((wallets, page) => referralsByAgent(deps, wallets, page)),
    holders: rowsByArguments((wallets, page) => holdersByAgent(deps, wallets, page)),
    holdings: rowsByArguments((wallets, page) => holdingsByHolder(deps, wallets, page)),
    standings: rowsByArguments((seasons, page) => standingsBySeason(deps, seasons.map(Number), page)),
    /** Trades with these columns. The choice is the same object for all parents of a field in a document. */
    trades: (choice: TradeChoice): Rows<{ side: TradeSide }, ChosenTrade & Keyed> => {
      const existing = trades.get(choice);
      if (existing) return existing;
      const loader = rowsByArguments<{ side: TradeSide }, ChosenTrade & Keyed>((wallets, page) =>
        tradesByWallet(deps, page.side, wallets, page, choice),
      );
      trades.set(choice, loader);
      return loader;
    },
    feed: rowsByArguments<{ type?: FeedType; parts: readonly EventPart[] }, Row<typeof feedByAgent>>((wallets, page) =>
      feedByAgent(deps, wallets, page.type, page, viewer, page.parts),
    ),
    candles: rowsByArguments<CandleRequest, Row<typeof candlesByAgent>>((wallets, { interval, before, first }) =>
      candlesByAgent(deps, wallets, { interval, before: new Date(before), limit: first }),
    ),
    points: valueByArguments<{ season?: number }, Value<typeof pointsByAgent> | null>(
      (wallets, { season }) => pointsByAgent(deps, season, wallets),
      null,
    ),
    /** From the cache that REST uses too. Misses are read together. */
    pnl: { load: (wallet: string) => pnlCaches.public(deps, wallet, () => summaries.load(wallet)) },
  };
}

type CandleRequest = { readonly interval: CandleInterval; readonly before: string };
type Value<F extends (...args: never[]) => Promise<Map<string, unknown>>> =
  Awaited<ReturnType<F>> extends Map<string, infer V> ? V : never;
type Row<F extends (...args: never[]) => Promise<Map<string, readonly unknown[]>>> =
  Value<F> extends readonly (infer R)[] ? R : never;

/** One value per key. */
function valueByKey<K extends string | number, V, Missing>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<string, V>>,
  missing: Missing,
): DataLoader<K, V | Missing> {
  return new DataLoader(async (keys) => {
    const found = await read(keys);
    return keys.map((key) => found.get(String(key)) ?? missing);
  });
}

type Asked<Args> = { readonly of: string; readonly args: Args };

/** One value per key and arguments. Keys with the same arguments are read together. */
function valueByArguments<Args, V>(
  read: (keys: readonly string[], args: Args) => Promise<ReadonlyMap<string, V>>,
  missing: V,
): { load(asked: Asked<Args>): Promise<V> } {
  const loaders = new Map<string, DataLoader<string, V>>();
  return {
    load({ of, args }) {
      const name = JSON.stringify(args);
      let loader = loaders.get(name);
      if (loader === undefined) {
        loader = valueByKey((keys: readonly string[]) => read(keys, args), missing);
        loaders.set(name, loader);
      }
      return loader.load(of);
    },
  };
}

type Rows<More, R> = { load(asked: Asked<PageRequest & More>): Promise<readonly R[]> };

/** A page of rows per key. */
const rowsByArguments = <More extends object, R>(
  read: (keys: readonly string[], page: PageRequest & More) => Promise<ReadonlyMap<string, readonly R[]>>,
) => valueByArguments<PageRequest & More, readonly R[]>(read, []);
