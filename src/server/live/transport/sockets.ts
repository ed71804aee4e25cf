import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
} from 'graphql';
import {
  CloseCode,
  GRAPHQL_TRANSPORT_WS_PROTOCOL,
  handleProtocols,
  makeServer,
  type Server,
  type SubscribePayload,
} from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Times } from '../../../config/timeouts.js';
import { AppError, errorTable } from '../../../errors/errors.js';
import { inRequest } from '../../../observe/request-scope.js';
import { every, withinDeadline } from '../../../tasks.js';
import { authenticate } from '../../authenticate.js';
import { clientAddress } from '../../client-address.js';
import { MAX_REQUEST_BYTES } from '../../document-limits.js';
import { MAX_GRAPHQL_DEPTH } from '../../graphql/admit.js';
import { RefusedRequest, type Subscription } from '../../graphql/engine.js';
import { formatError, graphError } from '../../graphql/format.js';
import { depthOf } from '../../http/body.js';
import { endWith } from '../../http/client-errors.js';
import { logUnexpected, problemOf } from '../../http/problem.js';
import { type LiveApi, RETRY_SECONDS } from '../live-api.js';
import { drained, FULL_BYTES, MAX_BUFFERED_BYTES } from './drained.js';
import { MessageBudget, meterMessages } from './metered-messages.js';

/** Maximum number of open operations per connection. */
const MAX_OPERATIONS = 100;

/** A WebSocket connection. `key` is the API key of the upgrade request or of `connection_init`. */
type Client = {
  readonly socket: WebSocket;
  readonly ip: string;
  key: string | undefined;
  /** Resolves when the client has read what was sent. All subscriptions of the connection share this promise. */
  drained?: Promise<void> | undefined;
};
type ConnectionParams = Record<string, unknown> | undefined;
/** The arguments of graphql-ws for an operation, with its result: an answer, or a silent iterator for a subscription. */
type Prepared = ExecutionArgs & { readonly answer: FormattedExecutionResult | Silent };
type Silent = AsyncIterableIterator<never>;
const DONE = { done: true, value: undefined } as const;

/** GraphQL over WebSocket, by the protocol graphql-transport-ws. */
export class SocketTransport {
  readonly #handshake = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_REQUEST_BYTES,
    perMessageDeflate: false,
    // `meterMessages` answers pings, within the message budget of the socket.
    autoPong: false,
    handleProtocols: (offered) => handleProtocols(offered),
  });
  readonly #protocol: Server<Client>;

  constructor(private readonly api: LiveApi) {
    this.#handshake.on('wsClientError', (_error, socket) => this.#refuse(socket, new AppError('BAD_REQUEST')));
    this.#protocol = makeServer<ConnectionParams, Client>({
      connectionInitWaitTimeout: api.deps.times.socketInit,
      onConnect: ({ connectionParams, extra }) => this.#connect(extra, connectionParams),
      onSubscribe: ({ subscriptions, extra }, id, request) => this.#prepare(extra, id, request, Object.keys(subscriptions).length),
      subscribe: (args) => (args as Prepared).answer as Silent,
      execute: (args) => (args as Prepared).answer as ExecutionResult,
      // Apollo Server has already formatted the errors of results and refusals.
      onNext: (_ctx, _id, _payload, _args, result) => result as never,
      onError: (_ctx, _id, _payload, errors) =>
        errors.map((error) => (error instanceof Refusal ? error.formatted : formatError(this.api.deps, error))),
    });
  }

  /** Upgrades an HTTP connection to a WebSocket, or refuses to. */
  async upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const forwarded = String(req.headers['x-forwarded-for'] ?? '') || undefined;
    const ip = clientAddress(req.socket.remoteAddress ?? '', forwarded, this.api.deps.config.TRUST_PROXY);
    try {
      if (this.api.closed) throw new AppError('NOT_READY');
      const offered = (req.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
      if (!offered.includes(GRAPHQL_TRANSPORT_WS_PROTOCOL)) throw new AppError('BAD_REQUEST');
      const key = String(req.headers['x-api-key'] ?? '') || undefined;
      await authenticate(this.api.deps, key, ip);
      socket.once('close', this.api.connections.take(ip));
      this.#handshake.handleUpgrade(req, socket, head, (ws) => this.#open({ socket: ws, ip, key }, socket));
    } catch (thrown) {
      const { error, unexpected } = problemOf(thrown);
      if (unexpected) logUnexpected(this.api.deps.log, thrown);
      this.#refuse(socket, error);
    }
  }

  #refuse(socket: Duplex, error: AppError): void {
    this.api.deps.metrics.countError('graphql', error.code);
    endWith(socket, error, this.api.deps.times);
  }

  #open(client: Client, stream: Duplex): void {
    const { socket } = client;
    const { times, metrics } = this.api.deps;
    metrics.webSockets.inc();
    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        send: async (text) => send(socket, text, times),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (read) => this.#readMessages(socket, stream, read),
      },
      client,
    );
    const stopPings = startPings(socket, times);
    const endConnection = () => closeWithGrace(socket, times, 1001, 'The service stops: reconnect and go on after the last event');
    this.api.open.add(endConnection);
    // ws tells the client of a protocol error in the close frame. Without a handler, the error would end the process.
    socket.on('error', () => {});
    socket.once('close', (code, reason) => {
      stopPings();
      metrics.webSockets.dec();
      this.api.open.delete(endConnection);
      closed(code, String(reason)).catch((error: unknown) => logUnexpected(this.api.deps.log, error));
    });
  }

  #readMessages(socket: WebSocket, stream: Duplex, read: (text: string) => Promise<void>): void {
    const { config, metrics, times } = this.api.deps;
    const budget = config.RATE_LIMITS === 'on' ? new MessageBudget(times.now) : undefined;
    meterMessages(socket, stream, budget, {
      read: (text) => {
        // The protocol wraps the request in a message, which adds one level of nesting.
        if (depthOf(text) > MAX_GRAPHQL_DEPTH + 1) {
          metrics.countError('graphql', 'BODY_TOO_DEEP');
          socket.close(CloseCode.BadRequest, new AppError('BODY_TOO_DEEP', { max: MAX_GRAPHQL_DEPTH }).message);
          return;
        }
        read(text).catch((error: unknown) => {
          logUnexpected(this.api.deps.log, error);
          metrics.countError('graphql', 'INTERNAL');
          socket.close(CloseCode.InternalServerError, new AppError('INTERNAL').message);
        });
      },
      refuse: (id, error) => {
        const payload = [formatError(this.api.deps, graphError(error))];
        send(socket, JSON.stringify({ id, type: 'error', payload }), times);
      },
      pong(data) {
        socket.pong(data);
        if (socket.bufferedAmount > MAX_BUFFERED_BYTES) cutOff(socket, times);
      },
      exceeded: () => {
        metrics.countError('graphql', 'RATE_LIMITED');
        // The name of the code does not fit, but its number does: 4429, like the HTTP status 429.
        closeWithGrace(socket, times, CloseCode.TooManyInitialisationRequests, errorTable.RATE_LIMITED[1]);
        socket.pause();
      },
    });
  }

  /** Checks the API key in `connection_init`. Without a key there, the key of the upgrade request stays valid. */
  async #connect(client: Client, connectionParams: ConnectionParams = {}): Promise<boolean> {
    const [, key] = Object.entries(connectionParams).find(([name]) => name.toLowerCase() === 'x-api-key') ?? [];
    if (key === undefined || key === null) return true;
    try {
      await authenticate(this.api.deps, String(key), client.ip);
      client.key = String(key);
      return true;
    } catch (error) {
      const { status, code, message } = problemOf(error).error;
      this.api.deps.metrics.countError('graphql', code);
      client.socket.close(closeCodes[status] ?? CloseCode.InternalServerError, message);
      // false makes graphql-ws close the socket. It is closed already, with a better reason.
      return false;
    }
  }

  /** Executes an operation, or starts a subscription. Returns what graphql-ws sends for it, or the errors. */
  async #prepare(
    client: Client,
    id: string,
    request: SubscribePayload,
    operations: number,
  ): Promise<Prepared | readonly GraphQLError[]> {
    try {
      const { key, ip } = client;
      if (operations > MAX_OPERATIONS) {
        throw new AppError('TOO_MANY_OPEN', { what: 'operations', max: MAX_OPERATIONS, seconds: RETRY_SECONDS });
      }
      // Each operation authenticates again, because the agent may have been deleted since the socket opened.
      const actor = await authenticate(this.api.deps, key, ip);
      const outcome = await inRequest(
        () => withinDeadline(this.api.deps.times, this.api.engine.live({ actor, ip, request }, { mayWrite: true })),
        randomUUID(),
      );
      const { document, operationName } = outcome.operation;
      const answer = outcome.kind === 'subscription' ? await this.#subscribe(client, id, outcome) : outcome.result;
      return { schema: this.api.engine.schema, document, operationName, answer };
    } catch (error) {
      return error instanceof RefusedRequest
        ? error.errors.map((formatted) => new Refusal(formatted))
        : [graphError(error as Error)];
    }
  }

  /** The iterable that graphql-ws gets yields nothing, because the hub writes the events to the socket itself. */
  async #subscribe(client: Client, id: string, subscription: Subscription): Promise<Silent> {
    const { socket, ip } = client;
    const { times } = this.api.deps;
    const { promise, resolve, reject } = Promise.withResolvers<typeof DONE>();
    const onEnd = (act: () => void) => promise.then(act, act);
    onEnd(this.api.subscriptions.take(ip));
    const before = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
    try {
      const { end } = await this.api.hub.subscribe(subscription, {
        send: (json) => send(socket, `${before}${json}}`, times),
        isFull: () => socket.bufferedAmount > FULL_BYTES,
        drained: () => {
          client.drained ??= drained(times, () => socket.bufferedAmount).then((hasRead) => {
            client.drained = undefined;
            if (!hasRead) cutOff(socket, times);
          });
          return client.drained;
        },
        end: reject,
      });
      onEnd(end);
    } catch (error) {
      resolve(DONE);
      throw error;
    }
    const silent: Silent = {
      next: () => promise,
      async return() {
        resolve(DONE);
        return DONE;
      },
      [Symbol.asyncIterator]: () => silent,
    };
    return silent;
  }
}

/** An error that Apollo Server has formatted. graphql-ws accepts only instances of GraphQLError. */
class Refusal extends GraphQLError {
  constructor(readonly formatted: GraphQLFormattedError) {
    super(formatted.message);
  }
}

/** Close codes of failed authentication, by HTTP status. */
const closeCodes: Readonly<Record<number, number>> = {
  401: CloseCode.Unauthorized,
  429: CloseCode.TooManyInitialisationRequests,
};

function send(socket: WebSocket, text: string, times: Times): void {
  if (socket.readyState !== socket.OPEN) return;
  socket.send(text);
  if (socket.bufferedAmount > MAX_BUFFERED_BYTES) cutOff(socket, times);
}

/** Disconnects a client that reads too slowly. It can reconnect and resume after its last event. */
function cutOff(socket: WebSocket, times: Times): void {
  if (socket.readyState !== socket.OPEN) return;
  closeWithGrace(socket, times, 1013, 'Too slow: reconnect and go on after the last event');
}

/** Sends a close frame, and terminates the connection if the client does not answer it in time. */
function closeWithGrace(socket: WebSocket, times: Times, code: number, reason: string): void {
  socket.close(code, reason);
  socket.once(
    'close',
    times.after(times.socketClose, () => socket.terminate()),
  );
}

/** Pings the client, and disconnects it if it has not answered by the next ping. The returned function stops the pings. */
function startPings(socket: WebSocket, times: Times): () => void {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  return every(times, times.socketPing, () => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
  });
}
