import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Logger } from 'pino';
import type { Market } from './chain/market.js';
import type { Call, RpcReply } from './chain/rpc.js';
import type { Config } from './config.js';
import type { Limits } from './limits/limits.js';
import type { Live } from './live/live.js';
import type { PostHost } from './posthost/post-host.js';
import type { Changes } from './store/changes.js';
import type { Sql } from './store/sql.js';

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

/** What a use case works with. Passed as its first argument; there are no singletons. */
export type Deps = {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  /** Writes: fork it for each use case. */
  readonly em: SqlEntityManager;
  /** Hot reads, outside transactions. */
  readonly sql: Sql;
  /** What has been written through `em` and `sql`. */
  readonly changes: Changes;
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
