import { Cache, type CachePolicy, type WriteCount } from './cache.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const MEGABYTE = 1024 * 1024;

const publicAnswers = {
  ttlMs: SECOND,
  untilWrite: true,
  maxEntries: 1000,
  maxSize: 32 * MEGABYTE,
  maxKeyLength: 500,
};
const pnl = { untilTrade: true, singleFlight: true, maxEntries: 10_000 };
const single = { singleFlight: true, maxEntries: 1 };

/** Maximum age of content, such as posts and profiles, in the caches of a process. Figures, such as totals, can be older. */
export const CONTENT_MAX_AGE_MS = publicAnswers.ttlMs;

/** Policy of a cache, and its description in `/docs`. */
export type Declared = CachePolicy & {
  readonly description: string;
  /** Unit of `minSize` in `/docs`, such as rows. */
  readonly unit?: string;
  /**
   * Whether the values of the trader and of the traded agent are dropped when this process records a trade (POST /api/tickets/buy
   * or sell).
   */
  readonly untilTrade?: boolean;
};

/** The caches in `Deps.caches`. `/docs` lists them together with `remoteCaches`. */
export const serviceCaches = {
  restAnswers: { description: 'Public answers of REST and MCP, figures of pictures', ...publicAnswers },
  graphqlAnswers: { description: 'Public answers of GraphQL', ...publicAnswers },
  totals: {
    description: 'Totals of lists, names similar to a searched text',
    unit: 'rows',
    ttlMs: 2 * SECOND,
    untilWrite: true,
    maxEntries: 1000,
    // Without `untilWrite`: to count so many rows again after each write would take too long.
    large: [
      { minSize: 100_000, ttlMs: 2 * SECOND },
      { minSize: 1_000_000, ttlMs: 30 * SECOND },
    ],
  },
  dailyActivity: {
    description: 'Figures of agents for the last 24 hours: volume, trades and price change, their orders, trending agents',
    unit: 'trades',
    ttlMs: 2 * SECOND,
    untilWrite: true,
    maxEntries: 1,
    // Without `untilWrite`, like `totals`. After a second, callers get the old figures while new figures are computed.
    large: [{ minSize: 2000, ttlMs: SECOND, staleMs: 2 * SECOND }],
  },
  ownerPnl: { description: 'PnL, for its owner', ttlMs: 10 * SECOND, ...pnl },
  publicPnl: { description: 'PnL summary, for everyone', ttlMs: 30 * SECOND, ...pnl },
  pnlLeaderboards: {
    description: 'Leaderboards by PnL, by period',
    ttlMs: 10 * SECOND,
    staleMs: MINUTE,
    singleFlight: true,
    maxEntries: 100,
  },
  sitemap: { description: '`/sitemap.xml`', ttlMs: 10 * MINUTE, ...single },
  pictures: {
    description: 'Pictures under `/share/`, by what they show',
    ttlMs: Number.POSITIVE_INFINITY,
    singleFlight: true,
    maxEntries: 500,
    maxSize: 16 * MEGABYTE,
  },
  pages: {
    description: 'Documents of the dashboard, by the answers in them',
    ttlMs: Number.POSITIVE_INFINITY,
    singleFlight: true,
    maxEntries: 500,
    maxSize: 32 * MEGABYTE,
  },
  blockSeconds: { description: 'Usual time between two blocks of the chain', ttlMs: 10 * MINUTE, ...single },
  readiness: { description: 'State of the service: `/ready`, `/metrics`', ttlMs: SECOND, ...single },
} as const satisfies Record<string, Declared>;

/** Caches of values of the chain or of other services. `Deps.caches` lacks them: the modules that read the values create them. */
export const remoteCaches = {
  feeSplit: { description: 'Fees that the contract charges', ttlMs: 10 * MINUTE, ...single },
  deployBlock: { description: 'Block in which the contract was created', ttlMs: Number.POSITIVE_INFINITY, ...single },
  missingFunctions: { description: 'Functions of the deployed contract', ttlMs: Number.POSITIVE_INFINITY, ...single },
  ethUsd: { description: 'Price of 1 ETH in US dollars', ttlMs: 5 * MINUTE, ...single },
} as const satisfies Record<string, Declared>;

export type Caches = Readonly<Record<keyof typeof serviceCaches, Cache>>;

export const openCaches = (now: () => number, writes: WriteCount): Caches =>
  Object.fromEntries(Object.entries(serviceCaches).map(([name, policy]) => [name, new Cache(policy, now, writes)])) as Caches;
