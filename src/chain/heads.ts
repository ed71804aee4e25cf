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
  const watch = new HeadWatch(urls, onHead, times);
  watch.connect();
  return watch;
}

class HeadWatch implements Heads {
  #closed = false;
  #live = false;
  #failures = 0;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly urls: readonly string[],
    private readonly onHead: () => void,
    private readonly times: HeadTimes,
  ) {}

  live(): boolean {
    return this.#live;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#live = false;
    this.#socket?.close();
    this.#socket = undefined;
  }

  connect(): void {
    const url = this.urls[this.#failures % this.urls.length];
    if (this.#closed || url === undefined) return;
    const { url: address, headers } = endpointOf(url);
    // Node's WebSocket takes headers there; the type is the browser's.
    const socket = new WebSocket(address, { headers } as unknown as string[]);
    this.#socket = socket;
    const lost = () => this.#lost(socket);
    socket.addEventListener('open', () => socket.send(JSON.stringify(SUBSCRIBE)));
    socket.addEventListener('error', lost);
    socket.addEventListener('close', lost);
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket === socket) this.#receive(socket, parsed(data));
    });
    this.#after(this.times.openMs, lost);
  }

  #receive(socket: WebSocket, message: Message): void {
    if (message.id === SUBSCRIBE.id) {
      if (typeof message.result !== 'string') {
        this.#lost(socket);
        return;
      }
      this.#live = true;
      this.#failures = 0;
    }
    this.#pingWhenSilent(socket);
    // The blocks that came before the subscription are found now.
    if (message.id === SUBSCRIBE.id || message.method === 'eth_subscription') this.onHead();
  }

  /** Every message shows that the other end is there. A silent one is asked. */
  #pingWhenSilent(socket: WebSocket): void {
    this.#after(this.times.pingMs, () => {
      socket.send(JSON.stringify(PING));
      this.#after(this.times.pingMs, () => this.#lost(socket));
    });
  }

  #lost(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#live = false;
    socket.close();
    if (this.#closed) return;
    const { retryMs, longestRetryMs } = this.times;
    this.#after(Math.min(retryMs * 2 ** this.#failures, longestRetryMs), () => this.connect());
    this.#failures++;
  }

  #after(milliseconds: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, milliseconds);
    this.#timer.unref();
  }
}

type Message = { readonly id?: unknown; readonly result?: unknown; readonly method?: unknown };

function parsed(data: unknown): Message {
  try {
    return JSON.parse(String(data)) ?? {};
  } catch {
    return {};
  }
}
