/** All timeouts of the service in milliseconds, except those of SQL statements (src/store/connections/timeouts.ts). */
export const TIMEOUTS = {
  /** One command to Redis for rate limits. After the timeout, the request passes without limits. */
  redisLimit: 200,
  /** Connecting to Redis: for live events, and for the check of the login at the start. */
  redisConnect: 1000,

  /**
   * Maximum lag of a read replica of the database: a replica that is further behind gets no reads. Cached answers may be as old, so
   * readers must expect this age anyway.
   */
  replicaLag: 1000,

  /** A whole call to the chain, over all RPC URLs together. */
  rpcCall: 3000,
  /** Wait for the answer of one RPC URL before the next URL is asked in parallel. */
  rpcHedge: 1000,
  /** Wait before an RPC URL that gave no answer in time is tried again. Until it answers, calls do not use it. */
  rpcRetry: 1000,
  /**
   * `rpcLogs` and `rpcLogsHedge` replace `rpcCall` and `rpcHedge` for `eth_getLogs`, because ranges of logs are large. The indexer
   * splits a range that times out. A longer timeout would delay the switch to a recovered RPC.
   */
  rpcLogs: 5000,
  rpcLogsHedge: 1900,
  /** Cooldown of an RPC URL that failed. During the cooldown, the URL is asked after all others. */
  rpcCooldown: 10_000,
  /** Time from connecting to an RPC over WebSocket until it confirms the subscription to new blocks. */
  headsOpen: 5000,
  /** Silence of the subscription to new blocks after which a ping is sent. A second silence of this length ends the connection. */
  headsSilence: 15_000,

  /** The start of the embedded chain. */
  chainStart: 10_000,
  /** The stop of the embedded chain. After the timeout, its process is killed. */
  chainStop: 2500,
  /** Waiting for the block that contains a transfer of the faucet. */
  faucet: 20_000,

  /** Reading the price of ether, with the body of the answer. */
  etherPrice: 3000,
  /** Rendering a picture, which takes a fifth of a second. */
  picture: 5000,
  /** Reading a post: connection, redirects, headers and body together. */
  textProxy: 5000,
  /** One check of the database or of the chain, for /ready, the metrics and the log of outages. */
  healthCheck: 2000,

  /**
   * Deadline of a request, so that every request is answered within 15 s. It is shorter than 15 s because a process under load
   * fires timers seconds late.
   */
  request: 12_000,
  /** Receiving the headers of a request. A connection that has sent nothing counts as waiting for headers. */
  requestHeaders: 10_000,
  /** Receiving a whole request: headers and body. */
  requestBody: 30_000,
  /** Time that a client has to close its side of the connection after the answer. */
  clientClose: 1000,
  /** Time from the handshake of a WebSocket until the client must have sent `connection_init`. */
  socketInit: 10_000,
  /** Interval of WebSocket pings, which keep proxies from closing the connection. A client that misses a ping is disconnected. */
  socketPing: 12_000,
  /** Interval of comments that keep proxies from closing a stream of events. */
  streamPing: 15_000,
  /** Time between the close frame of a WebSocket and the end of the connection, so that the client can read the reason. */
  socketClose: 1000,
  /** Time in which a client of live events must read what was sent to it. A slower client is disconnected. */
  slowReader: 30_000,

  /**
   * Timeout of each of three steps: waiting for a connection of the pool, connecting to the database, and setting up the session.
   */
  databaseConnect: 3000,
  /** A statement in the leader's session. After the timeout, the session counts as lost. */
  leaderAnswer: 3000,
  /**
   * Idle time after which the database server ends the leader's session and releases its lock, so that another replica can lead.
   */
  leaderSilence: 8000,

  /**
   * The lease of a write with an idempotency key. Every third of this time, the running write renews its lease. If its process
   * dies, retries are refused until the lease ends.
   */
  writeLease: 6000,

  /** The last export of traces when the service stops. */
  tracesFlush: 2000,
  /** Time that requests in flight get when the service stops. After it, their connections are closed. */
  stopRequests: 6000,
  /** The whole stop of the service. After the timeout, the process exits with code 1. */
  stop: 9500,
} as const;

export type Timeouts = Readonly<Record<keyof typeof TIMEOUTS, number>>;

/**
 * The timeouts, with the timer and the clock that they run on. Tests use longer timeouts, or a timer that they advance themselves.
 */
export type Times = Timeouts & {
  /**
   * TIMEOUT_FACTOR. The timeouts here are already multiplied by it. Timeouts of SQL statements are multiplied when a session gets
   * them.
   */
  readonly factor: number;
  /** Milliseconds of a monotonic clock, which never goes back. */
  now(): number;
  /** Calls `act` after the time, unless the returned function is called before. */
  after(milliseconds: number, act: () => void): () => void;
};

/** The timeouts of the configuration, on the timer of Node.js. */
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

/** The timeouts with the factor 1, for programs without a configuration. */
export const TIMES = timesOf({ TIMEOUT_FACTOR: 1 });
