import DataLoader from 'dataloader';
import type { Deps } from '../../../deps.js';
import { type AgentPart, ALL_AGENT_PARTS, type PartialAgent } from '../../../features/agents/agent-row.js';
import { type EventPart, type EventWith, type FeedType, feedEventsOf } from '../../../features/feed/feed-events.js';
import { feedTotals } from '../../../features/feed/feed-totals.js';
import { type FollowSide, follows, referrals } from '../../../features/follows/queries.js';
import { agentsByWallets } from '../../../features/market/agents.js';
import { holders, holdings, holdingTotals, ticketBalances } from '../../../features/market/holdings.js';
import { type Me, me } from '../../../features/me/me.js';
import { type CandleInterval, candles } from '../../../features/prices/candles.js';
import { points, type SeasonPoints, standings, standingTotals } from '../../../features/seasons/standings.js';
import { pnlCaches, pnlSummariesOf } from '../../../features/trading/pnl.js';
import {
  type PartialTrade,
  type TradeChoice,
  type TradeSide,
  tradesOf,
  tradeTotals,
} from '../../../features/trading/trades.js';
import type { Actor } from '../../../server/access/authenticate.js';
import type { Keyed, PageRequest } from '../types/connection.js';

export type Loaders = ReturnType<typeof loadersOf>;

/**
 * The loaders of one request. Requests do not share loaders, because callers may see different data. Each relation is read in
 * one statement for all parents that need it with the same arguments.
 */
export function loadersOf(deps: Deps, actor: Actor | null) {
  const viewer = actor?.wallet ?? null;
  const summaries = new DataLoader<string, Awaited<ReturnType<typeof pnlSummariesOf>>[number]>((wallets) =>
    pnlSummariesOf(deps, wallets),
  );
  let own: Promise<Me> | undefined;
  return {
    agent: agentLoaders(deps),
    /** The private part of the caller. It is read once, however often the caller is in the answer. */
    me: async (wallet: string): Promise<Me | null> => {
      if (wallet !== viewer || actor === null) return null;
      own ??= me(deps, actor);
      return own;
    },
    holdingCount: valueByKey((wallets: readonly string[]) => holdingTotals(deps, wallets), 0),
    standingCount: valueByKey((seasons: readonly number[]) => standingTotals(deps, seasons), 0),
    ticketBalance: valueByArguments<{ holder: string }, number>(
      (wallets, { holder }) => ticketBalances(deps, wallets, holder),
      0,
    ),
    tradeCount: valueByArguments<TradeSide, number>((wallets, side) => tradeTotals(deps, wallets, side), 0),
    feedCount: valueByArguments<{ type?: FeedType }, number>((wallets, { type }) => feedTotals(deps, wallets, type), 0),
    follows: rowsByArguments<{ side: FollowSide }, Row<typeof follows>>((wallets, { side, ...page }) =>
      follows(deps, wallets, { side, page }),
    ),
    referrals: rowsByArguments<{ parts: readonly AgentPart[] }, PartialAgent & Keyed>((wallets, { parts, ...page }) =>
      referrals(deps, wallets, { page, parts }),
    ),
    holders: rowsByArguments((wallets, page) => holders(deps, wallets, { page })),
    holdings: rowsByArguments((wallets, page) => holdings(deps, wallets, { page })),
    standings: rowsByArguments((seasons, page) => standings(deps, seasons.map(Number), { page })),
    trades: tradeLoaders(deps),
    feed: rowsByArguments<{ type?: FeedType; parts: readonly EventPart[] }, EventWith<EventPart> & Keyed>(
      (wallets, { type, parts, ...page }) => feedEventsOf(deps, wallets, { type, page, viewer, parts }),
    ),
    candles: valueByArguments<CandleRequest, Value<typeof candles>>(
      (wallets, { interval, before, limit }) => candles(deps, wallets, { interval, before: new Date(before), limit }),
      [],
    ),
    points: valueByArguments<{ season?: number }, SeasonPoints | null>(
      (wallets, { season }) => points(deps, wallets, season),
      null,
    ),
    /** PnL comes from the cache that REST uses. Cache misses are read in one batch. */
    pnl: { load: (wallet: string) => pnlCaches.public(deps, wallet, () => summaries.load(wallet)) },
  };
}

/** Agents with the given columns. Agents with the same columns are read together. */
function agentLoaders(deps: Deps) {
  const loaders = new Map<string, DataLoader<string, PartialAgent | null>>();
  return (parts: readonly AgentPart[] = ALL_AGENT_PARTS): DataLoader<string, PartialAgent | null> => {
    const key = parts.join();
    const existing = loaders.get(key);
    if (existing) return existing;
    const loader = valueByKey<string, PartialAgent, null>((wallets) => agentsByWallets(deps, { wallets, parts }), null);
    loaders.set(key, loader);
    return loader;
  };
}

type TradeLoader = Rows<{ side: TradeSide }, PartialTrade & Keyed>;

/** Trades with the given columns. All parents of a field in a document pass the same `choice` object. */
function tradeLoaders(deps: Deps) {
  const loaders = new Map<TradeChoice, TradeLoader>();
  return (choice: TradeChoice): TradeLoader => {
    const existing = loaders.get(choice);
    if (existing) return existing;
    const loader: TradeLoader = rowsByArguments((wallets, { side, ...page }) =>
      tradesOf(deps, wallets, { side, page, choice }),
    );
    loaders.set(choice, loader);
    return loader;
  };
}

type CandleRequest = { readonly interval: CandleInterval; readonly before: string; readonly limit: number };
type Value<F extends (...args: never[]) => Promise<Map<string, unknown>>> =
  Awaited<ReturnType<F>> extends Map<string, infer V> ? V : never;
type Row<F extends (...args: never[]) => Promise<Map<string, readonly unknown[]>>> =
  Value<F> extends readonly (infer R)[] ? R : never;

/** Loader of one value per key. `missing` is the value of keys that `read` does not return. */
function valueByKey<K extends string | number, V, Missing>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<string, V>>,
  missing: Missing,
): DataLoader<K, V | Missing> {
  return new DataLoader(async (keys) => {
    const found = await read(keys);
    return keys.map((key) => found.get(String(key)) ?? missing);
  });
}

type LoadRequest<Args> = { readonly of: string; readonly args: Args };
type ArgumentsLoader<Args, V> = { load(request: LoadRequest<Args>): Promise<V> };

/** Loader of one value per key and arguments. Keys with the same arguments are read together. */
function valueByArguments<Args, V>(
  read: (keys: readonly string[], args: Args) => Promise<ReadonlyMap<string, V>>,
  missing: V,
): ArgumentsLoader<Args, V> {
  const loaders = new Map<string, DataLoader<string, V>>();
  return {
    load({ of, args }) {
      const name = JSON.stringify(args);
      const loader = loaders.get(name) ?? valueByKey((keys: readonly string[]) => read(keys, args), missing);
      loaders.set(name, loader);
      return loader.load(of);
    },
  };
}

type Rows<More, R> = ArgumentsLoader<PageRequest & More, readonly R[]>;

/** Loader of a page of rows per key and arguments. */
const rowsByArguments = <More extends object, R>(
  read: (keys: readonly string[], page: PageRequest & More) => Promise<ReadonlyMap<string, readonly R[]>>,
) => valueByArguments<PageRequest & More, readonly R[]>(read, []);
