import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';
import { type App, mayUpgrade } from '../app.js';
import { type Config, ConfigError } from '../config/config.js';
import { type Times, timesOf } from '../config/timeouts.js';
import type { State } from '../deps.js';
import { AppError } from '../errors/errors.js';
import { metricsBeforeStart } from '../features/operator/metrics.js';
import type { Metrics } from '../observe/metrics.js';
import { OpenCounts } from '../server/client-address.js';
import { answerClientError, endWith } from '../server/http/client-errors.js';
import { SECURITY_HEADERS } from '../server/http/origins.js';
import { problemBody, problemHeaders } from '../server/http/problem.js';
import { type Stops, stopAll } from './stops.js';

/** Maximum number of ports after PORT that are tried if PORT is in use. */
const MAX_MOVES = 99;

export type Serving = Pick<App, 'upgrade'> & Record<'answer' | 'answerMetrics', RequestListener>;

export type Servers = {
  readonly url: string;
  /** Starts to answer requests, including those that have waited since the server began to listen. */
  serve(app: Serving): void;
};

/** Listens for requests, and for /metrics on METRICS_PORT. Requests wait until `serve` is called. */
export async function startServers(
  config: Config,
  { log, metrics }: { readonly log: Logger; readonly metrics: Metrics },
  stops: Stops,
): Promise<Servers> {
  const app = Promise.withResolvers<Serving>();
  const server = limitedServer(config, log, { shouldUpgradeCallback: mayUpgrade });
  server.on('connection', (socket) => {
    metrics.connections.inc();
    socket.once('close', () => metrics.connections.dec());
  });
  server.on('request', (req, res) => void app.promise.then(({ answer }) => answer(req, res)));
  server.on('upgrade', (req, socket, head) => {
    // Without an `error` listener, a connection that is reset before its upgrade is answered would end the process.
    socket.on('error', () => socket.destroy());
    void app.promise.then(({ upgrade }) => upgrade(req, socket, head));
  });
  // Without this listener, Node.js answers 417 itself if the header Expect is not 100-continue.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  await listen(server, config);
  stops.push(() => closeServer(server, timesOf(config)));
  if (config.METRICS_PORT !== undefined) {
    const second = limitedServer(config, log);
    second.on('request', (req, res) => void app.promise.then(({ answerMetrics }) => answerMetrics(req, res)));
    await listen(second, config, 'METRICS_PORT');
    stops.push(() => closeServer(second, timesOf(config)));
  }
  return { url: addressOf(server), serve: app.resolve };
}

/**
 * Listens while the service waits for the database, and answers that it is not ready. So a supervisor sees the reason, and a
 * rollout that waits for /health does not go on. /metrics still shows the state of the database. Returns a function that ends this.
 */
export async function refuseRequests(
  config: Config,
  { log, metrics, database }: { readonly log: Logger; readonly metrics: Metrics; database(): State['database'] },
): Promise<() => Promise<void>> {
  const unknown = { state: 'down', detail: 'the service has not started yet', blockNumber: null };
  const parts = { chain: { ...unknown, ageSeconds: null, blockSeconds: null }, index: { ...unknown, lagBlocks: null } };
  const errorNow = () => new AppError('NOT_READY', {}, { details: { ready: false, database: database(), ...parts } });
  const headers = { ...SECURITY_HEADERS, Connection: 'close', 'Cache-Control': 'no-store' };
  const refuse = (res: ServerResponse) => {
    const error = errorNow();
    res
      .writeHead(error.status, { ...headers, ...problemHeaders(error), 'Content-Type': 'application/json' })
      .end(JSON.stringify(problemBody(error)));
  };
  const scrape = async (res: ServerResponse) => {
    const text = await metricsBeforeStart(metrics, database());
    res.writeHead(200, { ...headers, 'Content-Type': metrics.registry.contentType }).end(text);
  };
  const answerMetrics: RequestListener = ({ url = '' }, res) => (url.split('?')[0] === '/metrics' ? scrape(res) : refuse(res));
  const stops: Stops = [];
  const end = () => stopAll(stops, log);
  const { serve } = await startServers(config, { log, metrics }, stops).catch(async (thrown: unknown) => {
    await end();
    throw thrown;
  });
  serve({
    answer: config.METRICS_PORT === undefined ? answerMetrics : (_req, res) => refuse(res),
    answerMetrics,
    upgrade: (_req, socket) => endWith(socket, errorNow(), timesOf(config)),
  });
  return end;
}

/** Listens on the port. If PORT is in use and `portMayMove` is set, listens on the next free port instead. */
export async function listen(server: Server, config: Config, name: 'PORT' | 'METRICS_PORT' = 'PORT'): Promise<void> {
  const { HOST, [name]: first = 0 } = config;
  const last = name === 'PORT' && config.portMayMove ? first + MAX_MOVES : first;
  for (let port = first; ; port++) {
    server.listen(port, HOST);
    try {
      await once(server, 'listening');
      return;
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && port < last) continue;
      if (code === 'EADDRINUSE') {
        const other = port < 65535 ? port + 1 : port - 1;
        throw new ConfigError(
          `${name}: ${port} on ${HOST} is in use; Curvet may run there already, and ${name}=${other} chooses another port`,
          { cause },
        );
      }
      const host = code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL';
      const what = host
        ? `HOST: "${HOST}" is not accepted; it must be a host name or address of this machine`
        : `${name}: ${port} on ${HOST} cannot be listened on`;
      throw new ConfigError(`${what}: ${code ?? message}`, { cause });
    }
  }
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Accepts no new requests and waits for those in flight. */
function closeServer(server: Server, times: Times): Promise<void> {
  return new Promise((resolve) => {
    const cancel = times.after(times.stopRequests, () => server.closeAllConnections());
    // Repeats this, because a connection that becomes idle later would stay open until its keep-alive timeout.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      cancel();
      clearInterval(sweep);
      resolve();
    });
  });
}

/** Interval at which Node.js checks the timeouts of requests. */
const CHECKING_MS = 1000;

/** Creates an HTTP server with the limits that every listener of the service has. It does not listen yet. */
export function limitedServer(config: Config, log: Logger, options: ServerOptions = {}): Server {
  const times = timesOf(config);
  const server = createServer({
    headersTimeout: times.requestHeaders,
    requestTimeout: times.requestBody,
    connectionsCheckingInterval: CHECKING_MS,
    // Node.js would refuse a request without a Host header. The service needs none.
    requireHostHeader: false,
    ...options,
  });
  server.on('clientError', answerClientError(times));
  limitConnections(server, maxConnections(config), { log, times });
  return server;
}

const DEFAULT_MAX = 200;
const RETRY_SECONDS = 5;
/** Maximum number of refused connections of an address that stay open for their answer. Further ones are cut without an answer. */
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
  const open = new OpenCounts();
  const accept = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const worst = open.excess(address, max);
    socket.once('close', open.add(address));
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
