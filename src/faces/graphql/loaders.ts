import DataLoader from 'dataloader';
import {
  followedByAgent,
  followersByAgent,
  referralCounts,
  referralsByAgent,
} from '../../core/agents/queries/relations.js';
import { feedByAgent, feedCounts } from '../../core/feed/queries/pages.js';
import type { FeedType } from '../../core/feed/queries.js';
import { pointsByAgent, standingCounts, standingsBySeason } from '../../core/seasons/queries/pages.js';
import {
  agentsByWallets,
  candlesByAgent,
  dayFiguresByWallets,
  holdersByAgent,
  holdingCounts,
  holdingsByHolder,
  tradeCounts,
  tradesByWallet,
} from '../../core/trading/queries/bywallets.js';
import type { CandleInterval } from '../../core/trading/queries/candles.js';
import { pnlSummariesOf } from '../../core/trading/queries/pnl.js';
import type { TradeSide } from '../../core/trading/queries/trades.js';
import type { Deps } from '../../deps.js';
import type { Actor } from '../authenticate.js';
import { pnlCaches } from '../pnlcaches.js';
import type { PageRequest } from './connection.js';

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
  return {
    agent: one((wallets: readonly string[]) => agentsByWallets(deps, wallets), null),
    day: one((wallets: readonly string[]) => dayFiguresByWallets(deps, wallets), null),
    referralCount: one((wallets: readonly string[]) => referralCounts(deps, wallets), 0),
    holdingCount: one((wallets: readonly string[]) => holdingCounts(deps, wallets), 0),
    standingCount: one((seasons: readonly number[]) => standingCounts(deps, seasons), 0),
    tradeCount: many<TradeSide, number>((wallets, side) => tradeCounts(deps, side, wallets), 0),
    feedCount: many<{ type?: FeedType }, number>((wallets, { type }) => feedCounts(deps, wallets, type), 0),
    followers: rows((wallets, page) => followersByAgent(deps, wallets, page)),
    following: rows((wallets, page) => followedByAgent(deps, wallets, page)),
    referrals: rows((wallets, page) => referralsByAgent(deps, wallets, page)),
    holders: rows((wallets, page) => holdersByAgent(deps, wallets, page)),
    holdings: rows((wallets, page) => holdingsByHolder(deps, wallets, page)),
    standings: rows((seasons, page) => standingsBySeason(deps, seasons.map(Number), page)),
    trades: rows<{ side: TradeSide }, Row<typeof tradesByWallet>>((wallets, page) =>
      tradesByWallet(deps, page.side, wallets, page),
    ),
    feed: rows<{ type?: FeedType }, Row<typeof feedByAgent>>((wallets, page) =>
      feedByAgent(deps, wallets, page.type, page, viewer),
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
): DataLoader<Asked<Args>, V, string> {
  return new DataLoader<Asked<Args>, V, string>(
    async (asked) => {
      const groups = Map.groupBy(asked, ({ args }) => JSON.stringify(args));
      const answers = new Map<string, ReadonlyMap<string, V>>();
      await Promise.all(
        [...groups].map(async ([name, group]) => {
          const [first] = group;
          const keys = group.map(({ of }) => of);
          if (first) answers.set(name, await read(keys, first.args));
        }),
      );
      return asked.map(({ of, args }) => answers.get(JSON.stringify(args))?.get(of) ?? missing);
    },
    { cacheKeyFn: (asked) => JSON.stringify(asked) },
  );
}

/** A page of rows for each key. */
const rows = <More extends object, R>(
  read: (keys: readonly string[], page: PageRequest & More) => Promise<ReadonlyMap<string, readonly R[]>>,
): DataLoader<Asked<PageRequest & More>, readonly R[], string> => many(read, []);
