import { createServer, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import { AppError } from '../../errors.js';
import { type Times, timesOf } from '../../times.js';
import { networkKeys } from './client-address.js';
import { answerClientError, endWith } from './client-errors.js';

/** Interval at which Node.js checks the timeouts of requests. */
const CHECKING_MS = 1000;

/** Creates an HTTP server with the limits that every listener of the service has. It does not listen yet. */
export function limitedServer(config: Config, log: Logger, options: ServerOptions = {}): Server {
  const times = timesOf(config);
  const server = createServer({
    headersTimeout: times.requestHeaders,
    requestTimeout: times.requestBody,
    connectionsCheckingInterval: CHECKING_MS,
    requireHostHeader: false,
    ...options,
  });
  server.on('clientError', answerClientError(times));
  limitConnections(server, maxConnections(config), { log, times });
  return server;
}

const DEFAULT_MAX = 200;
const RETRY_SECONDS = 5;
/**
 * A refused connection stays open for a moment so that the client can read the answer. Beyond this number per address,
 * connections are cut without an answer.
 */
const MAX_LINGERING = 50;

/**
 * Maximum number of open connections per address. An IPv6 /48 network may have ten times as many. Behind a proxy the
 * default is no limit: all connections come from the proxy, and the proxy must limit its clients.
 */
export const maxConnections = (config: Config): number => {
  const { MAX_CONNECTIONS_PER_ADDRESS: set, TRUST_PROXY, RATE_LIMITS } = config;
  const fallback = TRUST_PROXY > 0 || RATE_LIMITS === 'off' ? 0 : DEFAULT_MAX;
  return (set ?? fallback) || Number.POSITIVE_INFINITY;
};

type Refusing = { readonly log: Logger; readonly times: Times };

/**
 * Refuses further connections of an address that has `max` open. The refusal is an HTTP answer, sent as soon as the
 * connection opens: waiting for the request would keep the connection open. The server parses no request on a refused
 * connection.
 */
export function limitConnections(server: Server, max: number, { log, times }: Refusing): void {
  if (max === Number.POSITIVE_INFINITY) return;
  const open = new Map<string, number>();
  const accept = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const keys = networkKeys(socket.remoteAddress ?? '');
    // The key (address or /48 network) that exceeds its limit most.
    const counts = keys.map(({ key, times }) => ({ excess: (open.get(key) ?? 0) + 1 - max * times, max: max * times }));
    const worst = counts.reduce((a, b) => (b.excess > a.excess ? b : a));
    for (const { key } of keys) open.set(key, (open.get(key) ?? 0) + 1);
    socket.once('close', () => {
      for (const { key } of keys) {
        const left = (open.get(key) ?? 1) - 1;
        if (left === 0) open.delete(key);
        else open.set(key, left);
      }
    });
    if (worst.excess <= 0) for (const listener of accept) listener.call(server, socket);
    else refuse(socket, worst.max, worst.excess > MAX_LINGERING, { log, times });
  });
}

function refuse(socket: Socket, max: number, cut: boolean, { log, times }: Refusing): void {
  log.info({ status: 429, max }, 'connection refused: too many connections of one address');
  socket.on('error', () => {});
  if (cut) {
    socket.destroy();
    return;
  }
  // The request is read and dropped: closing a socket with unread data resets it, and the client would lose the answer.
  socket.resume();
  endWith(socket, new AppError('TOO_MANY_OPEN', { what: 'connections', max, seconds: RETRY_SECONDS }), times);
}
