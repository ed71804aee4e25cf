/** All timeouts of the service in milliseconds, but those of SQL statements (src/store/connections/timeouts.ts). */
export const TIMEOUTS = {
  /** A rate limit in Redis. After the timeout, the request passes without limits. */
  redisLimit: 200,
  /** Connecting to Redis for live events. */
  redisConnect: 1000,

  /** Time by which a read replica of the database may be behind. Content in a cache may be as old. */
  replicaLag: 1000,

  /** A call to the RPCs. */
  rpcCall: 3000,
  /** Wait before the next URL is asked in parallel. */
  rpcHedge: 1000,
  /** Wait before a URL that gave no answer in time is asked again. Calls leave it out meanwhile. */
  rpcRetry: 1000,
  /**
   * `eth_getLogs`: ranges of logs are large, and only the indexer asks for them. The indexer splits a range that times out. A
   * longer timeout would delay the switch to a recovered RPC.
   */
  rpcLogs: 5000,
  rpcLogsHedge: 1900,
  /** Cooldown of a failed URL. During the cooldown, the URL is asked after all others. */
  rpcCooldown: 10_000,
  /** From connecting to a confirmed subscription to new blocks. */
  headsOpen: 5000,
  /** Silence of this subscription after which a ping is sent. A second silence of this length ends the connection. */
  headsSilence: 15_000,

  /** The start of the embedded chain. */
  chainStart: 10_000,
  /** The stop of the embedded chain. Then it is killed. */
  chainStop: 2500,
  /** The block of a transfer of the faucet. */
  faucet: 20_000,

  /** Reading the price of ether, with the body of the answer. */
  etherPrice: 3000,
  /** Rendering a picture, which takes a fifth of a second. */
  picture: 5000,
  /** Reading a post: connection, redirects, headers and body together. */
  textProxy: 5000,
  /** The check of one part: the database, the chain or the index. */
  healthCheck: 2000,

  /** Every request is answered within 15 s. The timeout is shorter because a process under load fires timers seconds late. */
  request: 12_000,
  /** Receiving the headers of a request. A connection that has sent nothing counts as waiting for headers. */
  requestHeaders: 10_000,
  /** Receiving a whole request. */
  requestBody: 30_000,
  /** Time that a client has to close its side of the connection after the answer. */
  clientClose: 1000,
  /** `connection_init` after the handshake of a WebSocket. */
  socketInit: 10_000,
  /** Interval of pings, which keep proxies from closing the connection. A client that misses a ping is disconnected. */
  socketPing: 12_000,
  /** Interval of comments that keep proxies from closing a stream of events. */
  streamPing: 15_000,
  /** Between the close frame and the end of the connection, in which the client can read the reason. */
  socketClose: 1000,
  /** A client of live events that reads too slowly. */
  slowReader: 30_000,

  /** Waiting for a connection of the pool, connecting to the database, and setting up the session: each. */
  databaseConnect: 3000,
  /** A statement in the leader's session. After the timeout, the session counts as lost. */
  leaderAnswer: 3000,
  /** Idle time after which the server ends the leader's session and releases the lock. */
  leaderSilence: 8000,

  /**
   * The lease of a write with an idempotency key. The execution renews it three times as often. When its process dies, retries
   * are refused until the lease ends.
   */
  writeLease: 6000,

  /** The last export of traces at a stop. */
  tracesFlush: 2000,
  /** Requests in flight during a stop. Then their connections are closed. */
  stopRequests: 6000,
  /** The whole stop. Then the process exits with code 1. */
  stop: 9500,
} as const;

export type Timeouts = Readonly<Record<keyof typeof TIMEOUTS, number>>;

/** The timeouts, and the timer that they run on. Tests take longer timeouts, or a timer that they turn themselves. */
export type Times = Timeouts & {
  /** TIMEOUT_FACTOR, which the timeouts contain. Those of SQL statements are multiplied when a session gets them. */
  readonly factor: number;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
  /** Calls `act` after the time, unless the returned function is called before. */
  after(milliseconds: number, act: () => void): () => void;
};

/** The timeouts of the configuration on the timer of Node.js. */
export function timesOf({ TIMEOUT_FACTOR: factor }: { readonly TIMEOUT_FACTOR: number }): Times {
  const timeouts = Object.fromEntries(Object.entries(TIMEOUTS).map(([name, value]) => [name, value * factor]));
  return Object.freeze({
    ...(timeouts as Timeouts),
    factor,
    now: () => performance.now(),
    after(milliseconds: number, act: () => void) {
      const timer = setTimeout(act, milliseconds);
      return () => clearTimeout(timer);
    },
  });
}

/** The times of a fast machine, for programs without a configuration. */
export const TIMES = timesOf({ TIMEOUT_FACTOR: 1 });
