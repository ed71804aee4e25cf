import type { Times } from '../config/timeouts.js';
import { endpointOf } from './endpoint.js';

/** Subscription to new block headers over WebSocket. Headers may get lost, so the listener must also poll. */
export type Heads = {
  /** True while the subscription is confirmed and the connection is open. */
  live(): boolean;
  close(): void;
};

/** Delay before the first reconnect. It doubles with each failure in a row, up to MAX_RETRY_MS. */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;

const isSocket = (url: string): boolean => /^wss?:/i.test(url);

/** The HTTP URLs among `urls`. Only they take JSON-RPC calls. */
export const callUrls = (urls: readonly string[]): string[] => urls.filter((url) => !isSocket(url));

/** The WebSocket URLs to subscribe at. Without any, the HTTP URLs with the scheme `ws`: most providers serve both. */
export function headUrls(urls: readonly string[]): string[] {
  const sockets = urls.filter(isSocket);
  return sockets.length > 0 ? sockets : urls.map((url) => url.replace(/^http/i, 'ws'));
}

const SUBSCRIBE = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] };
const PING = { jsonrpc: '2.0', id: 2, method: 'eth_blockNumber', params: [] };

/** Keeps one subscription open and calls `onHead` for each block. After a failure it connects to the next URL. */
export const watchHeads = (urls: readonly string[], onHead: () => void, times: Times): Heads =>
  new HeadSubscription(urls, onHead, times);

class HeadSubscription implements Heads {
  #live = false;
  #failures = 0;
  #socket: WebSocket | undefined;
  #cancelTimer = () => {};

  constructor(
    private readonly urls: readonly string[],
    private readonly onHead: () => void,
    private readonly times: Times,
  ) {
    this.#connect();
  }

  live(): boolean {
    return this.#live;
  }

  close(): void {
    this.#cancelTimer();
    this.#live = false;
    this.#socket?.close();
    this.#socket = undefined;
  }

  #connect(): void {
    const { url: address, headers } = endpointOf(this.urls[this.#failures % this.urls.length] ?? '');
    // WebSocket of Node.js accepts `{ headers }` as its second argument. The DOM type allows protocols only.
    const socket = new WebSocket(address, { headers } as unknown as string[]);
    this.#socket = socket;
    const lost = () => this.#reconnect(socket);
    socket.addEventListener('open', () => socket.send(JSON.stringify(SUBSCRIBE)));
    socket.addEventListener('error', lost);
    socket.addEventListener('close', lost);
    socket.addEventListener('message', ({ data }) => this.#receive(socket, data));
    this.#setTimer(this.times.headsOpen, lost);
  }

  #receive(socket: WebSocket, data: unknown): void {
    if (this.#socket !== socket) return;
    const message = parseMessage(data);
    if (message.id === SUBSCRIBE.id) {
      if (typeof message.result !== 'string') {
        this.#reconnect(socket);
        return;
      }
      this.#live = true;
      this.#failures = 0;
    }
    this.#restartPing(socket);
    // The answer to the subscription counts as a head, too: blocks mined before it were not announced.
    if (message.id === SUBSCRIBE.id || message.method === 'eth_subscription') this.onHead();
  }

  /** Any message proves that the connection is alive. After a silence, a ping is sent. After a second silence, it reconnects. */
  #restartPing(socket: WebSocket): void {
    this.#setTimer(this.times.headsSilence, () => {
      socket.send(JSON.stringify(PING));
      this.#setTimer(this.times.headsSilence, () => this.#reconnect(socket));
    });
  }

  #reconnect(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#live = false;
    socket.close();
    this.#setTimer(Math.min(RETRY_MS * 2 ** this.#failures, MAX_RETRY_MS), () => this.#connect());
    this.#failures++;
  }

  #setTimer(milliseconds: number, act: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.times.after(milliseconds, act);
  }
}

function parseMessage(data: unknown): { readonly id?: unknown; readonly result?: unknown; readonly method?: unknown } {
  try {
    return JSON.parse(String(data)) ?? {};
  } catch {
    return {};
  }
}
