import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { WriteCount } from './cache/cache.js';
import { type Caches, openCaches } from './cache/caches.js';
import { type Chain, ethersChain } from './chain/chain.js';
import { ethUsd } from './chain/eth-usd.js';
import type { RpcCall, RpcProvider, RpcReply } from './chain/rpc.js';
import type { Config } from './config/config.js';
import { type Times, timesOf } from './config/timeouts.js';
import type { Limits } from './limits/limits.js';
import type { Live, SubscriptionCount } from './live/live.js';
import type { Refusal } from './observe/database-errors.js';
import { type Metrics, openMetrics } from './observe/metrics.js';
import { type Outages, openOutages } from './observe/outages.js';
import { embeddedPostHost } from './posthost/embedded.js';
import type { PostHost } from './posthost/post-host.js';
import { textProxy } from './posthost/text-proxy.js';
import type { ConnectionPool } from './store/connections/pool.js';
import type { Database } from './store/database.js';
import { openSql, openWrite, poolOf, type Sql, sqlIn, type Write } from './store/sql.js';
import { openQueues, type Queues } from './tasks.js';
import type { Clock } from './values/time.js';

/** Tools for developers. They exist only with the embedded chain. */
export type DevTools = {
  /** Sends 1 ETH to an address. Returns the hash of the transaction. */
  faucet(address: string): Promise<string>;
  /** Publishes a post on the embedded post host. Returns its URL. */
  publish(handle: string, text: string): Promise<string>;
  /** Forwards a JSON-RPC call to the chain. Any method is allowed. */
  rpc(call: RpcCall): Promise<RpcReply>;
};

/** State of the parts of the service, as /ready shows it. */
export type State = {
  readonly ready: boolean;
  /** `read-only` and `full`: reads are answered, and writes are refused. */
  readonly database: { readonly state: 'ok' | 'down' | Refusal; readonly detail?: string };
  readonly chain: {
    /** `still`: the chain answers, but has no new block. */
    readonly state: 'ok' | 'down' | 'still';
    readonly detail?: string;
    readonly blockNumber: number | null;
    readonly ageSeconds: number | null;
    /** Usual time between two blocks. null if blocks come at no regular times, such as those of the embedded chain. */
    readonly blockSeconds: number | null;
  };
  readonly index: {
    /** `still`: there are blocks to index, and none is indexed. */
    readonly state: 'ok' | 'down' | 'still';
    readonly detail?: string;
    readonly blockNumber: number | null;
    readonly lagBlocks: number | null;
  };
};

/**
 * Dependencies of the use cases, which get them as the first argument. There are no singletons, so tests can replace each of them.
 */
export type Deps = {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly times: Times;
  readonly sql: Sql;
  readonly write: Write;
  /** Number of transactions of `write` that may have changed what others read. Caches compare it, to find values that are stale. */
  readonly writes: WriteCount;
  readonly caches: Caches;
  readonly queues: Queues;
  readonly metrics: Metrics;
  readonly outages: Outages;
  /** The connection pool of the database. Absent for the embedded database. */
  readonly databasePool?: Pick<ConnectionPool, 'state' | 'renew'>;
  readonly chain: Chain;
  readonly limits: Limits;
  readonly live: Live;
  readonly subscriptions: SubscriptionCount;
  /** What was last observed of the database, the chain and the index. /health answers from it without waiting for them. */
  readonly seen: {
    state?: State;
    /** False while the service runs without the chain, because no RPC has answered since the start. */
    isConnected?: boolean;
    /** Usual time between two blocks. undefined until it is measured, and on the embedded chain. */
    blockSeconds?: number;
    /** The newest indexed block, and since when it is the newest. undefined while there are no further blocks to index. */
    unmoved?: { readonly blockNumber: number; readonly since: number } | undefined;
  };
  /**
   * `pick` returns a read replica that is up to date, or undefined if there is none. `caches` are for answers from replicas, which
   * may be older than the answers in `Deps.caches`. Absent without DATABASE_READ_URLS.
   */
  readonly reads?: { pick(): Sql | undefined; readonly caches: Caches };
  readonly posts: PostHost;
  readonly ethUsd: () => Promise<number>;
  readonly dev?: DevTools;
  /** Base of the URLs in answers, without a trailing slash. */
  readonly publicUrl: string;
  /** HMAC key with which `hashIp` hashes stored client addresses, and `fingerprintsOf` stored writes with an idempotency key. */
  readonly secretKey: string;
};

export const systemClock: Clock = { now: () => new Date() };

/** A connected chain. Only the embedded chain has a `faucet`. */
export type ConnectedChain = {
  readonly provider: RpcProvider;
  readonly contract: string;
  readonly rpcUrl: string;
  readonly faucet?: DevTools['faucet'];
};

/** The database, the connected chain, and overrides of dependencies. `onCrash` is called when the embedded database has crashed. */
export type Parts = Partial<Deps> & { readonly orm: Database; readonly connected?: ConnectedChain; onCrash?(): void };

type AssembledDeps<P extends Parts> = P extends { connected: ConnectedChain } | { chain: Chain } ? Deps : Omit<Deps, 'chain'>;

/** Assembles the dependencies of one process. Without a connected chain, the result has no `chain`. */
export async function assembleDeps<P extends Parts>(config: Config, log: Logger, parts: P): Promise<AssembledDeps<P>> {
  const { orm, connected, onCrash, ...overrides } = parts;
  const clock = overrides.clock ?? systemClock;
  const now = () => clock.now().getTime();
  const times = overrides.times ?? timesOf(config);
  const writes = overrides.writes ?? { count: 0 };
  const outages = overrides.outages ?? openOutages(log, times.now);
  const write = overrides.write ?? openWrite(orm, writes, { onRefused: outages.suspect, onCrash });
  const sql = overrides.sql ?? (await openSql(orm));
  const pool = poolOf(orm);
  const host = embeddedPostHost({ sql, write, clock });
  const proxy = config.SOCIAL_TEXT_PROXY;
  const deps: Omit<Deps, 'chain'> = {
    config,
    log,
    clock,
    times,
    sql,
    write,
    writes,
    caches: openCaches(now, writes),
    queues: openQueues(),
    metrics: overrides.metrics ?? openMetrics(),
    outages,
    ...(pool && { databasePool: pool }),
    ...(connected && {
      chain: ethersChain(connected.provider, placeOf(config, connected), now),
      dev: connected.faucet && devTools(connected, connected.faucet, host.publish),
    }),
    limits: overrides.limits ?? (await openLimits(config, outages, times)),
    live: overrides.live ?? (await openLive(config, outages, times)),
    subscriptions: { started: 0, ended: 0 },
    seen: {},
    posts: proxy ? textProxy({ template: proxy, plain: config.SOCIAL_PROXY_PLAIN === 'on', times }) : host,
    ethUsd: ethUsd({ url: config.ETH_USD_URL, log, now, times }),
    publicUrl: config.PUBLIC_URL ?? '',
    secretKey: overrides.secretKey ?? config.SECRET_KEY ?? (await storedSecretKey({ sql, write })),
    ...overrides,
  };
  return deps as AssembledDeps<P>;
}

const placeOf = ({ CHAIN_ID }: Config, { contract, rpcUrl }: ConnectedChain) => ({ chainId: CHAIN_ID, contract, rpcUrl });

/** Whether the service reads posts from its embedded post host, where anyone can publish, and not from an outside one. */
export const hasEmbeddedPosts = ({ dev, config }: Pick<Deps, 'dev' | 'config'>): boolean =>
  dev !== undefined && config.SOCIAL_TEXT_PROXY === undefined;

const devTools = ({ provider }: ConnectedChain, faucet: DevTools['faucet'], publish: DevTools['publish']): DevTools => ({
  faucet: (to) => faucet(to),
  publish,
  rpc: async (call) => (await provider.batch([call]))[0] as RpcReply,
});

export async function openLimits({ REDIS_URL }: Config, outages: Outages, times: Times): Promise<Limits> {
  if (REDIS_URL === undefined) return (await import('./limits/process.js')).processLimits();
  return (await import('./limits/redis.js')).redisLimits({ url: REDIS_URL, prefix: 'curvet:', outages, times });
}

export async function openLive({ REDIS_URL }: Config, outages: Outages, times: Times): Promise<Live> {
  if (REDIS_URL === undefined) return (await import('./live/process.js')).processLive();
  return (await import('./live/redis.js')).redisLive({ url: REDIS_URL, prefix: 'curvet:', outages, times });
}

/** Returns the secret key in the database. The first replica that starts generates and stores it; the others read it. */
async function storedSecretKey({ sql, write }: Pick<Deps, 'sql' | 'write'>): Promise<string> {
  const key = randomBytes(32).toString('base64url');
  const insert = 'insert into setting (name, value) values ($1, $2) on conflict do nothing';
  await write((tx) => sqlIn(tx)(insert, ['secret_key', key]));
  const [row] = await sql<{ value: string }>('select value from setting where name = $1', ['secret_key']);
  return row?.value ?? key;
}
