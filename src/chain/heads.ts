import { endpointOf } from './endpoint.js';

/** Subscription to new block headers over WebSocket. Blocks are hints only: the listener must poll as well. */
export type Heads = {
  /** True while the subscription is confirmed and the connection is open. */
  live(): boolean;
  close(): void;
};

export type HeadTimes = {
  /** Timeout from connecting to the confirmed subscription. */
  readonly openMs: number;
  /** Silence after which a ping is sent. A second silence of this length ends the connection. */
  readonly pingMs: number;
  /** Delay before the first reconnect. It doubles with each failure in a row, up to `longestRetryMs`. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
};
const TIMES: HeadTimes = { openMs: 5000, pingMs: 15_000, retryMs: 1000, maxRetryMs: 60_000 };

const isSocket = (url: string): boolean => /^wss?:/i.test(url);

/** The HTTP URLs: only they take JSON-RPC calls. */
export const callUrls = (urls: readonly string[]): string[] => urls.filter((url) => !isSocket(url));

/** The WebSocket URLs to subscribe at. Without any, the HTTP URLs with the scheme `ws`: most providers serve both. */
export function headUrls(urls: readonly string[]): string[] {
  const sockets = urls.filter(isSocket);
  return sockets.length > 0 ? sockets : urls.map((url) => url.replace(/^http/i, 'ws'));
}

const SUBSCRIBE = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] };
const PING = { jsonrpc: '2.0', id: 2, method: 'eth_blockNumber', params: [] };

/** Keeps one subscription open and calls `onHead` for each block. After a failure it connects to the next URL. */
export function watchHeads(urls: readonly string[], onHead: () => void, times: HeadTimes = TIMES): Heads {
  let closed = false;
  let live = false;
  let failures = 0;
  let socket: WebSocket | undefined;
  let timer: NodeJS.Timeout | undefined;
  const setTimer = (milliseconds: number, act: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
    timer.unref();
  };

  const connect = () => {
    const url = urls[failures % urls.length];
    if (closed || url === undefined) return;
    let connection: WebSocket;
    const lost = () => {
      if (socket !== connection) return;
      socket = undefined;
      live = false;
      connection.close();
      if (closed) return;
      setTimer(Math.min(times.retryMs * 2 ** failures, times.maxRetryMs), connect);
      failures++;
    };
    /** Any message proves that the connection is alive. Silence triggers a ping. */
    const restartPing = () =>
      setTimer(times.pingMs, () => {
        connection.send(JSON.stringify(PING));
        setTimer(times.pingMs, lost);
      });
    const { url: address, headers } = endpointOf(url);
    // WebSocket of Node.js accepts `{ headers }` as its second argument. The DOM type allows protocols only.
    connection = new WebSocket(address, { headers } as unknown as string[]);
    socket = connection;
    connection.addEventListener('open', () => connection.send(JSON.stringify(SUBSCRIBE)));
    connection.addEventListener('error', lost);
    connection.addEventListener('close', lost);
    connection.addEventListener('message', ({ data }) => {
      if (socket !== connection) return;
      const message = parseMessage(data);
      if (message.id === SUBSCRIBE.id) {
        if (typeof message.result !== 'string') return lost();
        live = true;
        failures = 0;
      }
      restartPing();
      // The confirmation counts as a head: blocks mined before it were not announced.
      if (message.id === SUBSCRIBE.id || message.method === 'eth_subscription') onHead();
    });
    setTimer(times.openMs, lost);
  };
  connect();
  return {
    live: () => live,
    close() {
      closed = true;
      clearTimeout(timer);
      live = false;
      socket?.close();
      socket = undefined;
    },
  };
}

function parseMessage(data: unknown): { readonly id?: unknown; readonly result?: unknown; readonly method?: unknown } {
  try {
    return JSON.parse(String(data)) ?? {};
  } catch {
    return {};
  }
}
