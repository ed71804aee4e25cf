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
 * Made anew for each request: what one caller may see is never another's. Each kind of relation is read in one
 * statement for all the parents that ask for it with the same arguments.
 */
export function loadersOf(deps: Deps, actor: Actor | null) {
  const viewer = actor?.wallet ?? null;
  const summaries = new DataLoader<string, Awaited<ReturnType<typeof pnlSummariesOf>>[number]>((wallets) =>
    pnlSummariesOf(deps, wallets),
  );
  const agents = new Map<string, DataLoader<string, AgentRow | null>>();
  const trades = new Map<TradeChoice, Rows<{ side: TradeSide }, ChosenTrade & Keyed>>();
  return {
    /** With these columns; those that are asked for with the same ones are read together. */
    agent: (parts: readonly AgentPart[] = ALL_AGENT_PARTS): DataLoader<string, AgentRow | null> => {
      const key = parts.join();
      const known = agents.get(key);
      if (known) return known;
      const loader = one((wallets: readonly string[]) => agentsByWallets(deps, wallets, parts), null);
      agents.set(key, loader);
      return loader;
    },
    day: one((wallets: readonly string[]) => dayFiguresByWallets(deps, wallets), null),
    referralCount: one((wallets: readonly string[]) => referralCounts(deps, wallets), 0),
    holdingCount: one((wallets: readonly string[]) => holdingCounts(deps, wallets), 0),
    standingCount: one((seasons: readonly number[]) => standingCounts(deps, seasons), 0),
    ticketBalance: many<{ holder: string }, number>((wallets, { holder }) => ticketBalances(deps, wallets, holder), 0),
    tradeCount: many<TradeSide, number>((wallets, side) => tradeCounts(deps, side, wallets), 0),
    feedCount: many<{ type?: FeedType }, number>((wallets, { type }) => feedCounts(deps, wallets, type), 0),
    followers: rows((wallets, page) => followersByAgent(deps, wallets, page)),
    following: rows((wallets, page) => followedByAgent(deps, wallets, page)),
    referrals: rows((wallets, page) => referralsByAgent(deps, wallets, page)),
    holders: rows((wallets, page) => holdersByAgent(deps, wallets, page)),
    holdings: rows((wallets, page) => holdingsByHolder(deps, wallets, page)),
    standings: rows((seasons, page) => standingsBySeason(deps, seasons.map(Number), page)),
    /** With these columns. A choice is the same object for all the parents of a place in a document. */
    trades: (choice: TradeChoice): Rows<{ side: TradeSide }, ChosenTrade & Keyed> => {
      const known = trades.get(choice);
      if (known) return known;
      const loader = rows<{ side: TradeSide }, ChosenTrade & Keyed>((wallets, page) =>
        tradesByWallet(deps, page.side, wallets, page, choice),
      );
      trades.set(choice, loader);
      return loader;
    },
    feed: rows<{ type?: FeedType; parts: readonly EventPart[] }, Row<typeof feedByAgent>>((wallets, page) =>
      feedByAgent(deps, wallets, page.type, page, viewer, page.parts),
    ),
    candles: rows<CandleRequest, Row<typeof candlesByAgent>>((wallets, { interval, before, first }) =>
      candlesByAgent(deps, wallets, { interval, before: new Date(before), limit: first }),
    ),
    points: many<{ season?: number }, Value<typeof pointsByAgent> | null>(
      (wallets, { season }) => pointsByAgent(deps, season, wallets),
      null,
    ),
    /** From the cache that REST has; those that are not in it are read together. */
    pnl: { load: (wallet: string) => pnlCaches.public(deps, wallet, () => summaries.load(wallet)) },
  };
}

type CandleRequest = { readonly interval: CandleInterval; readonly before: string };
type Value<F extends (...args: never[]) => Promise<Map<string, unknown>>> =
  Awaited<ReturnType<F>> extends Map<string, infer V> ? V : never;
type Row<F extends (...args: never[]) => Promise<Map<string, readonly unknown[]>>> =
  Value<F> extends readonly (infer R)[] ? R : never;

/** One value for each key. */
function one<K extends string | number, V, Missing>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<string, V>>,
  missing: Missing,
): DataLoader<K, V | Missing> {
  return new DataLoader(async (keys) => {
    const found = await read(keys);
    return keys.map((key) => found.get(String(key)) ?? missing);
  });
}

type Asked<Args> = { readonly of: string; readonly args: Args };

/** One value for each key and arguments: those who ask with the same arguments are read together. */
function many<Args, V>(
  read: (keys: readonly string[], args: Args) => Promise<ReadonlyMap<string, V>>,
  missing: V,
): { load(asked: Asked<Args>): Promise<V> } {
  const loaders = new Map<string, DataLoader<string, V>>();
  return {
    load({ of, args }) {
      const name = JSON.stringify(args);
      let loader = loaders.get(name);
      if (loader === undefined) {
        loader = one((keys: readonly string[]) => read(keys, args), missing);
        loaders.set(name, loader);
      }
      return loader.load(of);
    },
  };
}

type Rows<More, R> = { load(asked: Asked<PageRequest & More>): Promise<readonly R[]> };

/** A page of rows for each key. */
const rows = <More extends object, R>(
  read: (keys: readonly string[], page: PageRequest & More) => Promise<ReadonlyMap<string, readonly R[]>>,
) => many<PageRequest & More, readonly R[]>(read, []);
