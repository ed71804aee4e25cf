import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ConfigError } from '../../config/config.js';
import type { Times } from '../../config/timeouts.js';
import { AppError } from '../../errors/errors.js';
import { readBytes } from '../http/body.js';
import { answerClientError } from '../http/client-errors.js';
import { SECURITY_HEADERS } from '../http/origins.js';
import { problemBody, problemHeaders, problemOf } from '../http/problem.js';
import { judgeCalls } from './rpc-methods.js';

// A relay between clients and anvil, the embedded chain. anvil accepts calls of any web page, so it listens at another address. The
// relay listens at the announced RPC address and checks origins. It speaks HTTP only, because browsers let any page open a
// WebSocket.

export type ChainRelay = {
  readonly url: string;
  close(): Promise<void>;
};

export type ChainRelayOptions = {
  readonly target: string;
  /** The first port to try. If it is in use, the relay tries the next 99. */
  readonly port: number;
  /** Whether web pages of this origin may call. Browser extensions are always allowed. */
  readonly isAllowed: (origin: string) => boolean;
  readonly times: Times;
};

/** Maximum size of a body in bytes, the same as anvil's. */
const MAX_BYTES = 2 * 1024 * 1024;
const EXTENSION = /^(chrome|moz|safari-web)-extension:\/\/[\w.-]+$/;
const PORTS = 100;

export async function startChainRelay(options: ChainRelayOptions): Promise<ChainRelay> {
  const { times } = options;
  const timeouts = { headersTimeout: times.requestHeaders, requestTimeout: times.requestBody };
  const server = createServer(timeouts, (req, res) => {
    answer(req, res, options).catch((error) => fail(req, res, error));
  });
  server.maxConnections = 200;
  server.on('clientError', answerClientError(times));
  const port = await listenFrom(server, options.port);
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers a request. Programs may call every method, but pages and browser extensions only those that `judgeCalls` forwards. */
async function answer(req: IncomingMessage, res: ServerResponse, options: ChainRelayOptions): Promise<void> {
  const { origin } = req.headers;
  res.setHeader('Vary', 'Origin');
  admit(req, options.isAllowed);
  if (origin !== undefined) res.setHeader('Access-Control-Allow-Origin', origin);
  if (req.method === 'OPTIONS' && origin !== undefined) return answerPreflight(req, res);
  if (req.method !== 'POST') throw new AppError('METHOD_NOT_ALLOWED', { allow: 'POST' });
  const body = (await readBytes(req, MAX_BYTES)).toString('utf8');
  const judged = origin === undefined ? { forward: body } : judgeCalls(body);
  const reply = 'answer' in judged ? { status: 200, text: judged.answer } : await call(options.target, judged.forward, res);
  res.writeHead(reply.status, { 'Content-Type': 'application/json' });
  res.end(reply.text);
}

function admit({ headers, socket }: IncomingMessage, isAllowed: (origin: string) => boolean): void {
  // A foreign name in Host indicates DNS rebinding: the browser would treat the page as same-origin.
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => new URL(`http://${name}:${socket.localPort}`).host);
  if (!hosts.includes((headers.host ?? '').toLowerCase())) throw new AppError('HOST_REFUSED', { hosts: hosts.join(', ') });
  const { origin, 'sec-fetch-site': site } = headers;
  // Browsers omit Origin in some requests of pages, but never Sec-Fetch-Site, which shows whether another site sent the request.
  const isForeign =
    origin === undefined ? site === 'cross-site' || site === 'same-site' : !EXTENSION.test(origin) && !isAllowed(origin);
  if (isForeign) throw new AppError('ORIGIN_REFUSED');
}

function answerPreflight(req: IncomingMessage, res: ServerResponse): void {
  // Chromium adds this header to a preflight request when a page of a public address wants to call a loopback address.
  const isPrivate = req.headers['access-control-request-private-network'] === 'true';
  res.writeHead(204, {
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type',
    'Access-Control-Max-Age': '600',
    ...(isPrivate ? { 'Access-Control-Allow-Private-Network': 'true' } : {}),
  });
  res.end();
}

/** Calls the chain. Returns only status and body of its answer, because the relay sets the CORS headers itself. */
async function call(target: string, body: string, res: ServerResponse): Promise<{ status: number; text: string }> {
  const left = new AbortController();
  res.once('close', () => left.abort());
  try {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(target, { method: 'POST', headers, body, signal: left.signal });
    return { status: reply.status, text: await reply.text() };
  } catch (cause) {
    throw new AppError('CHAIN_UNAVAILABLE', {}, { cause });
  }
}

function fail(req: IncomingMessage, res: ServerResponse, thrown: unknown): void {
  const { error } = problemOf(thrown);
  // The rest of a refused body is not read, so the connection closes after the answer.
  if (!req.complete) res.setHeader('Connection', 'close');
  res.writeHead(error.status, { ...SECURITY_HEADERS, ...problemHeaders(error), 'Content-Type': 'application/json' });
  res.end(JSON.stringify(problemBody(error)));
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
