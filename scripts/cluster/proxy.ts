import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** A service behind the proxy. `isAlive` is false after its process has ended. */
export type Upstream = { readonly url: string; readonly isAlive: boolean };

/** Headers that belong to one connection, so the proxy does not forward them. */
const OWN_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection'];

/**
 * A reverse proxy for development. It passes requests and WebSockets to the services in turn, and appends the address of the client
 * to X-Forwarded-For, which a service with TRUST_PROXY=1 reads.
 */
export function createProxy(upstreams: () => readonly Upstream[]): Server {
  let turn = 0;
  const next = (): URL | undefined => {
    const alive = upstreams().filter(({ isAlive }) => isAlive);
    const upstream = alive[turn++ % Math.max(1, alive.length)];
    return upstream && new URL(upstream.url);
  };
  const server = createServer((req, res) => forward(req, res, next()));
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => tunnel(req, socket, head, next()));
  return server;
}

function forward(req: IncomingMessage, res: ServerResponse, upstream: URL | undefined): void {
  if (upstream === undefined) {
    refuse(res);
    return;
  }
  const { hostname, port } = upstream;
  const headers = { ...req.headers, 'x-forwarded-for': forwardedFor(req) };
  const sent = request({ hostname, port, method: req.method, path: req.url, headers }, (answer) => {
    for (const name of OWN_HEADERS) delete answer.headers[name];
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
    // If the answer of the service breaks off, the connection to the client is cut, so that the answer does not look
    // complete.
    answer.on('aborted', () => res.destroy());
  });
  sent.on('error', () => (res.headersSent ? res.destroy() : refuse(res)));
  res.on('close', () => sent.destroy());
  req.pipe(sent);
}

/** Opens a socket to the service, repeats the upgrade request on it, and connects it with the socket of the client. */
function tunnel(req: IncomingMessage, socket: Duplex, head: Buffer, upstream: URL | undefined): void {
  if (upstream === undefined) {
    socket.destroy();
    return;
  }
  const service = connect(Number(upstream.port), upstream.hostname, () => {
    const { rawHeaders } = req;
    const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []));
    const others = lines.filter((line) => !/^x-forwarded-for:/i.test(line));
    const text = [`${req.method} ${req.url} HTTP/1.1`, ...others, `X-Forwarded-For: ${forwardedFor(req)}`, '', ''];
    service.write(text.join('\r\n'));
    service.write(head);
    service.pipe(socket).pipe(service);
  });
  const end = () => {
    service.destroy();
    socket.destroy();
  };
  for (const side of [service, socket]) side.on('error', end).on('close', end);
}

const forwardedFor = ({ headers, socket }: IncomingMessage): string =>
  [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ');

function refuse(res: ServerResponse): void {
  res.writeHead(502, { 'content-type': 'application/json' });
  const hint = 'No replica of the cluster answers.';
  res.end(JSON.stringify({ success: false, error: 'Bad gateway', hint, code: 'BAD_GATEWAY' }));
}
