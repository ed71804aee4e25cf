import { endpointOf } from './rpc.js';

/** New blocks as they come, where an RPC announces them. A hint only: who listens polls besides. */
export type Heads = {
  /** Whether they are announced now. */
  live(): boolean;
  close(): void;
};

export type HeadTimes = {
  /** How long a connection may take until it announces. */
  readonly openMs: number;
  /** How often a silent connection is asked whether it is still there. */
  readonly pingMs: number;
  /** After a failure, doubled with each in a row. */
  readonly retryMs: number;
  readonly longestRetryMs: number;
};
const TIMES: HeadTimes = { openMs: 5000, pingMs: 15_000, retryMs: 1000, longestRetryMs: 60_000 };

const isSocket = (url: string): boolean => /^wss?:/i.test(url);

/** Those of the configured URLs that take calls. */
export const callUrls = (urls: readonly string[]): string[] => urls.filter((url) => !isSocket(url));

/** Where new blocks may be announced: the WebSocket URLs; without one, the others, most of which are both. */
export function headUrls(urls: readonly string[]): string[] {
  const sockets = urls.filter(isSocket);
  return sockets.length > 0 ? sockets : urls.map((url) => url.replace(/^http/i, 'ws'));
}

const SUBSCRIBE = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] };
const PING = { jsonrpc: '2.0', id: 2, method: 'eth_blockNumber', params: [] };

/** Keeps one connection, to one URL after the other until one announces; `onHead` is called for each block. */
export function watchHeads(urls: readonly string[], onHead: () => void, times: HeadTimes = TIMES): Heads {
  let closed = false;
  let live = false;
  let failures = 0;
  let socket: WebSocket | undefined;
  let timer: NodeJS.Timeout | undefined;
  const after = (milliseconds: number, act: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds).unref();
  };

  const connect = () => {
    const url = urls[failures % urls.length];
    if (closed || url === undefined) return;
    const opened = open(url);
    const lost = () => {
      if (socket !== opened) return;
      socket = undefined;
      live = false;
      opened.close();
      if (closed) return;
      after(Math.min(times.retryMs * 2 ** failures, times.longestRetryMs), connect);
      failures++;
    };
    /** Whatever it says shows that it is there; when it says nothing, it is asked. */
    const heard = () =>
      after(times.pingMs, () => {
        opened.send(JSON.stringify(PING));
        after(times.pingMs, lost);
      });
    socket = opened;
    opened.addEventListener('open', () => opened.send(JSON.stringify(SUBSCRIBE)));
    opened.addEventListener('error', lost);
    opened.addEventListener('close', lost);
    opened.addEventListener('message', ({ data }) => {
      if (socket !== opened) return;
      const message = parsed(data);
      if (message.id === SUBSCRIBE.id) {
        if (typeof message.result !== 'string') return lost();
        live = true;
        failures = 0;
      }
      heard();
      // What came before it announced is found now.
      if (message.id === SUBSCRIBE.id || message.method === 'eth_subscription') onHead();
    });
    after(times.openMs, lost);
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

function open(url: string): WebSocket {
  const { url: address, headers } = endpointOf(url);
  // Node's WebSocket takes headers there; the type is the browser's.
  return new WebSocket(address, { headers } as unknown as string[]);
}

function parsed(data: unknown): { readonly id?: unknown; readonly result?: unknown; readonly method?: unknown } {
  try {
    return JSON.parse(String(data)) ?? {};
  } catch {
    return {};
  }
}
