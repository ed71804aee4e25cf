import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { ethUsd } from './chain/eth-usd.js';
import { chainAnswer, ethersMarket, type Market } from './chain/market.js';
import type { Call, RpcProvider, RpcReply } from './chain/rpc.js';
import type { Config } from './config.js';
import { type Caches, openCaches } from './freshness.js';
import type { Limits } from './limits/limits.js';
import type { Live } from './live/live.js';
import { embeddedPostHost } from './posthost/embedded.js';
import type { PostHost } from './posthost/post-host.js';
import { textProxy } from './posthost/text-proxy.js';
import { type CoalescingQueue, coalescingQueue, type SerialQueue, serialQueue } from './queues.js';
import type { WriteCount } from './store/cache.js';
import type { Database } from './store/database.js';
import { openSql, type Sql, sqlIn } from './store/sql.js';
import { openWrite, type Write } from './store/write.js';

/** The time, given from outside: tests and the demo move it. */
export type Clock = { now(): Date };

/** What the embedded parts offer to those who try the service out; absent where a real chain is configured. */
export type DevTools = {
  /** Sends 1 ETH and gives the transaction's hash. */
  faucet(address: string): Promise<string>;
  /** Publishes a post on the embedded post host and gives its URL. */
  publish(handle: string, text: string): Promise<string>;
  /** Has the chain answer a JSON-RPC call, whatever its method. */
  rpc(call: Call): Promise<RpcReply>;
};

export type Queues = {
  /** Hints that something happened on the chain. */
  readonly hints: CoalescingQueue;
  /** Recoveries of trades that the index lacks. */
  readonly recalls: SerialQueue;
};

/** What a use case works with. Passed as its first argument; there are no singletons. */
export type Deps = {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  /** Reads, outside transactions. */
  readonly sql: Sql;
  /** Runs a transaction. Nothing else writes. */
  readonly write: Write;
  /** The committed transactions of `write`. Caches compare it. */
  readonly writes: WriteCount;
  readonly caches: Caches;
  readonly queues: Queues;
  readonly market: Market;
  readonly limits: Limits;
  readonly live: Live;
  readonly posts: PostHost;
  /** US dollars for 1 ETH. */
  readonly ethUsd: () => Promise<number>;
  readonly dev?: DevTools;
  /** The base of the addresses that the service gives out. */
  readonly publicUrl: string;
  /** The key of keyed hashes. */
  readonly secretKey: string;
};

export const systemClock: Clock = { now: () => new Date() };

/** A connected chain. `faucet` exists on the embedded one. */
export type Chain = {
  readonly provider: RpcProvider;
  readonly contract: string;
  readonly rpcUrl: string;
  readonly faucet?: DevTools['faucet'];
};

/** The database, the chain, and replacements for what the configuration describes. */
export type Parts = Partial<Deps> & { readonly orm: Database; readonly chain?: Chain };

type Assembled<P extends Parts> = P extends { chain: Chain } | { market: Market } ? Deps : Omit<Deps, 'market'>;

/** Makes the dependencies of one process. Without a chain or a market they have no `market`. */
export async function assembleDeps<P extends Parts>(config: Config, log: Logger, parts: P): Promise<Assembled<P>> {
  const { orm, chain, ...given } = parts;
  const clock = given.clock ?? systemClock;
  const now = () => clock.now().getTime();
  const writes = given.writes ?? { count: 0 };
  const write = given.write ?? openWrite(orm, writes);
  const sql = given.sql ?? (await openSql(orm));
  const host = embeddedPostHost({ sql, write, clock });
  const proxy = config.SOCIAL_TEXT_PROXY;
  const deps: Omit<Deps, 'market'> = {
    ...{ config, log, clock, sql, write, writes },
    caches: openCaches(now, writes),
    queues: openQueues(),
    ...(chain && {
      market: ethersMarket(chain.provider, placeOf(config, chain), now),
      dev: chain.faucet && devTools(chain, chain.faucet, host.publish),
    }),
    limits: given.limits ?? (await openLimits(config, log)),
    live: given.live ?? (await openLive(config, log)),
    posts: proxy ? textProxy({ template: proxy, plain: config.SOCIAL_PROXY_PLAIN === 'on' }) : host,
    ethUsd: ethUsd({ url: config.ETH_USD_URL, log, now }),
    publicUrl: config.PUBLIC_URL ?? '',
    secretKey: given.secretKey ?? config.SECRET_KEY ?? (await storedSecretKey({ sql, write })),
    ...given,
  };
  return deps as Assembled<P>;
}

const placeOf = ({ CHAIN_ID }: Config, { contract, rpcUrl }: Chain) => ({ chainId: CHAIN_ID, contract, rpcUrl });

export const openQueues = (): Queues => ({ hints: coalescingQueue(), recalls: serialQueue() });

const devTools = ({ provider }: Chain, faucet: DevTools['faucet'], publish: DevTools['publish']): DevTools => ({
  faucet: (to) => chainAnswer(faucet(to)),
  publish,
  rpc: (call) => chainAnswer(provider.reply(call)),
});

export async function openLimits({ REDIS_URL }: Config, log: Logger): Promise<Limits> {
  if (REDIS_URL === undefined) return (await import('./limits/process.js')).processLimits();
  return (await import('./limits/redis.js')).redisLimits({ url: REDIS_URL, prefix: 'curvet:', log });
}

export async function openLive({ REDIS_URL }: Config, log: Logger): Promise<Live> {
  if (REDIS_URL === undefined) return (await import('./live/process.js')).processLive();
  return (await import('./live/redis.js')).redisLive({ url: REDIS_URL, prefix: 'curvet:', log });
}

/** The first replica that starts stores the key; the others read it. */
async function storedSecretKey({ sql, write }: Pick<Deps, 'sql' | 'write'>): Promise<string> {
  const key = randomBytes(32).toString('base64url');
  const insert = 'insert into setting (name, value) values ($1, $2) on conflict do nothing';
  await write((tx) => sqlIn(tx)(insert, ['secret_key', key]));
  const [row] = await sql<{ value: string }>('select value from setting where name = $1', ['secret_key']);
  return row?.value ?? key;
}
