import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { ConfigError } from '../../config.js';
import { AppError } from '../../errors.js';
import { every, type Times } from '../../times.js';
import { readBytes } from '../http/body.js';
import { answerClientError, refuseUpgrade } from '../http/client-errors.js';
import { problemBody, problemHeaders, problemOf } from '../http/problem.js';
import { SECURITY_HEADERS } from '../http/security-headers.js';
import { judgeCalls } from './rpc-methods.js';

// The relay listens at the announced RPC address of the embedded chain. anvil accepts calls of any web page, so anvil itself
// listens at another address.

export type ChainRelay = {
  readonly url: string;
  close(): Promise<void>;
};

export type ChainRelayOptions = {
  /** URL at which the chain listens. */
  readonly target: string;
  /** The first port to try. If it is in use, the relay tries the next 99. */
  readonly port: number;
  /** Whether web pages of this origin may call. Browser extensions are always allowed. */
  readonly isAllowed: (origin: string) => boolean;
  readonly times: Times;
};

/** Maximum size of a body or message in bytes, the same as anvil's. */
const MAX_BYTES = 2 * 1024 * 1024;
const EXTENSION = /^(chrome|moz|safari-web)-extension:\/\/[\w.-]+$/;
const PORTS = 100;
/** Interval at which a stop closes idle connections. */
const SWEEP_MS = 50;

export async function startChainRelay(options: ChainRelayOptions): Promise<ChainRelay> {
  const { target, port: first, isAllowed, times } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BYTES, perMessageDeflate: false });
  const server = createServer({
    headersTimeout: times.requestHeaders,
    requestTimeout: times.requestBody,
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
  });
  server.maxConnections = 200;
  const connections = new Set<Socket>();
  let port = 0;
  const admitted = (req: IncomingMessage) => admit(req.headers, port, isAllowed);
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (req, res) => {
    answer(req, res, admitted, (body) => forward(target, body, res, times)).catch((error) => fail(req, res, error));
  });
  server.on('upgrade', (req, socket, head) => {
    // Node.js leaves an upgraded connection and its errors to this handler.
    socket.on('error', () => socket.destroy());
    try {
      join(sockets, target, { req, socket, head, times, isPage: admitted(req) === 'page' });
    } catch (error) {
      refuseUpgrade(socket, problemOf(error).error, times);
    }
  });
  server.on('clientError', answerClientError(times));
  port = await listenFrom(server, first);
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        for (const client of sockets.clients) client.close(1001, 'The service stops');
        const cancel = times.after(times.relayStop, () => {
          for (const socket of connections) socket.destroy();
        });
        // A connection that becomes idle now would stay open until its keep-alive timeout.
        const endSweep = every(times, SWEEP_MS, () => server.closeIdleConnections());
        server.close(() => {
          cancel();
          endSweep();
          resolve();
        });
      }),
  };
}

/** Classifies the caller: a program may call anything, a page or browser extension only allowed methods. Throws if the caller is refused. */
function admit(headers: IncomingHttpHeaders, port: number, isAllowed: (origin: string) => boolean): 'program' | 'page' {
  // A foreign name in Host indicates DNS rebinding: the browser would treat the page as same-origin.
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => new URL(`http://${name}:${port}`).host);
  if (!hosts.includes((headers.host ?? '').toLowerCase()))
    throw new AppError('HOST_REFUSED', { hosts: hosts.join(', ') });
  const { origin } = headers;
  if (origin === undefined) {
    // Browsers omit Origin in some requests of pages, but never Sec-Fetch-Site.
    const site = headers['sec-fetch-site'];
    if (site === 'cross-site' || site === 'same-site') throw new AppError('ORIGIN_REFUSED');
    return 'program';
  }
  if (!EXTENSION.test(origin) && !isAllowed(origin)) throw new AppError('ORIGIN_REFUSED');
  return 'page';
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  admitted: (req: IncomingMessage) => 'program' | 'page',
  pass: (body: Buffer | string) => Promise<void>,
): Promise<void> {
  res.setHeader('Vary', 'Origin');
  const isPage = admitted(req) === 'page';
  if (isPage) res.setHeader('Access-Control-Allow-Origin', req.headers.origin as string);
  if (req.method === 'OPTIONS' && isPage) return answerPreflight(req, res);
  if (req.method !== 'POST') throw new AppError('METHOD_NOT_ALLOWED', { allow: 'POST' });
  const body = await readBytes(req, MAX_BYTES);
  if (!isPage) return pass(body);
  const judged = judgeCalls(body.toString('utf8'));
  if ('forward' in judged) return pass(judged.forward);
  res.setHeader('Content-Type', 'application/json');
  res.end(judged.answer);
}

function answerPreflight(req: IncomingMessage, res: ServerResponse): void {
  // Chromium sends a preflight request with this header before a page of a public address may call a loopback address.
  const isPrivate = req.headers['access-control-request-private-network'] === 'true';
  res.writeHead(204, {
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type',
    'Access-Control-Max-Age': '600',
    ...(isPrivate ? { 'Access-Control-Allow-Private-Network': 'true' } : {}),
  });
  res.end();
}

/** Forwards only status and body of the chain's answer: the relay sets the CORS headers itself. */
function forward(target: string, body: Buffer | string, res: ServerResponse, times: Times): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request(target, { method: 'POST', agent: false, headers, timeout: times.relayCall }, (reply) => {
      res.writeHead(reply.statusCode ?? 502, { 'Content-Type': 'application/json' });
      // If the chain's answer breaks off, the relay ends the caller's connection.
      pipeline(reply, res, () => resolve());
    });
    call.on('timeout', () => call.destroy(new Error('no answer in time')));
    call.on('error', (cause) => reject(new AppError('CHAIN_UNAVAILABLE', {}, { cause })));
    res.once('close', () => call.destroy());
    call.end(body);
  });
}

function fail(req: IncomingMessage, res: ServerResponse, thrown: unknown): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const { error } = problemOf(thrown);
  // The rest of a refused body is not read, so the connection closes after the answer.
  if (!req.complete) res.setHeader('Connection', 'close');
  res.writeHead(error.status, { ...SECURITY_HEADERS, ...problemHeaders(error), 'Content-Type': 'application/json' });
  res.end(JSON.stringify(problemBody(error)));
}

type Upgrade = {
  readonly req: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly isPage: boolean;
  readonly times: Times;
};

/** Opens a WebSocket to the chain, accepts the caller's WebSocket, and forwards messages in both directions. */
function join(sockets: WebSocketServer, target: string, { req, socket, head, isPage, times }: Upgrade): void {
  const chain = new WebSocket(target, { perMessageDeflate: false, handshakeTimeout: times.relayConnect });
  socket.once('close', () => chain.terminate());
  const refuse = () => refuseUpgrade(socket, new AppError('CHAIN_UNAVAILABLE'), times);
  chain.once('error', refuse);
  chain.once('open', () =>
    sockets.handleUpgrade(req, socket, head, (client) => {
      chain.off('error', refuse);
      client.on('error', () => client.terminate());
      chain.on('error', () => client.terminate());
      client.on('close', () => chain.terminate());
      chain.on('close', () => client.close(1001));
      chain.on('message', (data) => pass(chain, client, data));
      client.on('message', (data) => {
        if (!isPage) return pass(client, chain, data);
        const judged = judgeCalls(String(data));
        if ('forward' in judged) pass(client, chain, judged.forward);
        else pass(client, client, judged.answer);
      });
    }),
  );
}

/** Pauses the source until the message is written (backpressure), so a slow reader does not fill memory. */
function pass(from: WebSocket, to: WebSocket, data: RawData | string): void {
  from.pause();
  to.send(data, { binary: false }, () => from.resume());
}

async function listenFrom(server: Server, first: number): Promise<number> {
  const end = Math.min(first + PORTS, 65_536);
  for (let port = first; port < end; port++) {
    server.listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return port;
    } catch {
      // Another process uses the port, so the next one is tried.
    }
  }
  throw new ConfigError(`CHAIN_PORT: no free port from ${first} on`);
}
