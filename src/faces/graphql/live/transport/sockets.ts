import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ExecutionArgs, ExecutionResult, FormattedExecutionResult, GraphQLError } from 'graphql';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, handleProtocols, makeServer } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { AppError, errorTable } from '../../../../errors.js';
import { inRequest } from '../../../../outage.js';
import { authenticate } from '../../../access/authenticate.js';
import { depthOf } from '../../../http/body.js';
import { clientAddress } from '../../../http/client-address.js';
import { refuseUpgrade } from '../../../http/client-errors.js';
import { withinDeadline } from '../../../http/deadline.js';
import { problemOf } from '../../../http/problem.js';
import { logUnexpected } from '../../../http/unexpected-errors.js';
import type { Subscription } from '../../engine/engine.js';
import { formatError, graphError } from '../../engine/format.js';
import { MAX_BYTES, MAX_DEPTH } from '../../engine/parse.js';
import { RefusedRequest } from '../../engine/refused-request.js';
import { RETRY_SECONDS } from '../address-quota.js';
import type { LiveFace } from '../face.js';
import { drained, MOST_WAITING } from './drained.js';
import { meterMessages } from './metered-messages.js';
import { SubscriptionIterator } from './subscription-iterator.js';

/** Keeps proxies awake; who does not answer before the next is gone. */
const PING_MS = 12_000;
/** So long a new connection may take to say who it is. */
const INIT_MS = 10_000;
/** A client that is cut off has so long to hear why, and one that is told to go, to go. */
const LAST_WORDS_MS = 1000;
const MOST_OPERATIONS = 100;

/** What is known of a connection. */
type Client = { readonly socket: WebSocket; readonly ip: string; key: string | undefined };
/** What graphql-ws sends for an operation: the result, or the events of a subscription. */
type Prepared = ExecutionArgs & { readonly answer: FormattedExecutionResult | SubscriptionIterator };

/** GraphQL over WebSocket, by the protocol graphql-transport-ws. */
export function sockets(face: LiveFace): (req: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void> {
  const { deps, engine } = face;
  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_BYTES,
    perMessageDeflate: false,
    // Pings are answered within the budget of the socket.
    autoPong: false,
    handleProtocols: (offered) => handleProtocols(offered),
  });

  const server = makeServer<Record<string, unknown> | undefined, { client: Client }>({
    connectionInitWaitTimeout: INIT_MS,
    async onConnect({ connectionParams = {}, extra: { client } }) {
      const [, key] = Object.entries(connectionParams).find(([name]) => name.toLowerCase() === 'x-api-key') ?? [];
      if (key === undefined || key === null) return true;
      try {
        await authenticate(deps, String(key), client.ip);
        client.key = String(key);
        return true;
      } catch (error) {
        const { status, message } = problemOf(error).error;
        const codes: Record<number, number> = {
          401: CloseCode.Unauthorized,
          429: CloseCode.TooManyInitialisationRequests,
        };
        client.socket.close(codes[status] ?? CloseCode.InternalServerError, message);
        // Closed already, for a reason that says more than the library's.
        return false;
      }
    },
    async onSubscribe({ subscriptions, extra: { client } }, id, request): Promise<Prepared | readonly GraphQLError[]> {
      try {
        const { key, ip } = client;
        if (Object.keys(subscriptions).length > MOST_OPERATIONS) {
          throw new AppError('TOO_MANY_OPEN', { what: 'operations', max: MOST_OPERATIONS, seconds: RETRY_SECONDS });
        }
        // For each operation, as over HTTP: the agent may have been deleted.
        const actor = await authenticate(deps, key, ip);
        const outcome = await inRequest(() => withinDeadline(engine.run({ actor, ip, request })));
        const { document, operationName } = outcome.operation;
        const answer = outcome.kind === 'subscription' ? await subscribe(client, id, outcome) : outcome.result;
        return { schema: engine.schema, document, operationName, answer };
      } catch (error) {
        return error instanceof RefusedRequest ? error.errors : [graphError(error as Error)];
      }
    },
    subscribe: (args) => (args as Prepared).answer as SubscriptionIterator,
    execute: (args) => (args as Prepared).answer as ExecutionResult,
    // The engine has formatted the errors.
    onNext: (_ctx, _id, _payload, _args, result) => result as never,
    onError: (_ctx, _id, _payload, errors) => errors.map((error) => formatError(deps, error)),
  });

  async function subscribe(client: Client, id: string, subscription: Subscription): Promise<SubscriptionIterator> {
    const iterator = new SubscriptionIterator(face.takeSubscription(client.ip));
    const { socket } = client;
    const before = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
    try {
      const leave = await face.hub.follow(subscription, {
        send: (json) => send(socket, `${before}${json}}`),
        async ready() {
          if (!(await drained(() => socket.bufferedAmount))) cutOff(socket);
        },
        end: (error) => iterator.fail(error),
      });
      iterator.onEnd(leave);
    } catch (error) {
      await iterator.return();
      throw error;
    }
    return iterator;
  }

  function opened(socket: WebSocket, stream: Duplex, client: Client): void {
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: async (text) => send(socket, text),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (read) =>
          meterMessages(socket, stream, deps.config.RATE_LIMITS === 'on', {
            read(text) {
              // The message is a level of its own around the request.
              if (depthOf(text) > MAX_DEPTH + 1) {
                socket.close(CloseCode.BadRequest, new AppError('BODY_TOO_DEEP', { max: MAX_DEPTH }).message);
                return;
              }
              read(text).catch((error: unknown) => {
                logUnexpected(deps.log, error);
                socket.close(CloseCode.InternalServerError, new AppError('INTERNAL').message);
              });
            },
            send: (text) => send(socket, text),
            pong(data) {
              socket.pong(data);
              if (socket.bufferedAmount > MOST_WAITING) cutOff(socket);
            },
            exceeded: () => closeFlooded(socket),
          }),
      },
      { client },
    );
    const stopPings = keepAwake(socket);
    const leave = () => goAway(socket);
    face.open.add(leave);
    // What the other side did wrong, ws says to it in its close frame.
    socket.on('error', () => {});
    socket.once('close', (code, reason) => {
      stopPings();
      face.open.delete(leave);
      closed(code, String(reason)).catch((error: unknown) => logUnexpected(deps.log, error));
    });
  }

  return async (req, socket, head) => {
    socket.on('error', () => socket.destroy());
    const forwarded = req.headers['x-forwarded-for'];
    const ip = clientAddress(
      req.socket.remoteAddress ?? '',
      String(forwarded ?? '') || undefined,
      deps.config.TRUST_PROXY,
    );
    try {
      if (face.closed) throw new AppError('NOT_READY');
      const offered = (req.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
      if (!offered.includes(GRAPHQL_TRANSPORT_WS_PROTOCOL)) throw new AppError('BAD_REQUEST');
      const key = String(req.headers['x-api-key'] ?? '') || undefined;
      await authenticate(deps, key, ip);
      socket.once('close', face.takeConnection(ip));
      wss.handleUpgrade(req, socket, head, (ws) => opened(ws, socket, { socket: ws, ip, key }));
    } catch (thrown) {
      const { error, unexpected } = problemOf(thrown);
      if (unexpected) logUnexpected(deps.log, thrown);
      refuseUpgrade(socket, error);
    }
  };
}

function send(socket: WebSocket, text: string): void {
  if (socket.readyState !== socket.OPEN) return;
  socket.send(text);
  if (socket.bufferedAmount > MOST_WAITING) cutOff(socket);
}

/** It may come back and go on after the last event that it has seen. */
function cutOff(socket: WebSocket): void {
  socket.close(1013, 'Too slow: reconnect and go on after the last event');
  setTimeout(() => socket.terminate(), LAST_WORDS_MS).unref();
}

/** It kept sending after RATE_LIMITED. Nothing more is read. */
function closeFlooded(socket: WebSocket): void {
  socket.close(CloseCode.TooManyInitialisationRequests, errorTable.RATE_LIMITED[1]);
  socket.pause();
  setTimeout(() => socket.terminate(), LAST_WORDS_MS).unref();
}

function goAway(socket: WebSocket): void {
  socket.close(1001, 'The service stops: reconnect and go on after the last event');
  setTimeout(() => socket.terminate(), LAST_WORDS_MS).unref();
}

function keepAwake(socket: WebSocket): () => void {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  const timer = setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
  }, PING_MS);
  return () => clearInterval(timer);
}
