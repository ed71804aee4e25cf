import { once } from 'node:events';
import { request } from 'node:http';
import { createClient } from 'graphql-ws';
import WebSocket, { type ClientOptions } from 'ws';
import { freshIp } from '../market/agents.js';
import type { World } from '../world.js';
import type { Json } from './graphql.js';
import { eventually } from './process.js';

// Subscribers over both transports: a client of graphql-ws for WebSocket, and a parser of event streams for Server-Sent Events.

export type Subscriber = {
  /** The payloads received so far: the values of the subscribed field. */
  readonly got: Json[];
  /** The event ids of a stream: first its position when it opened, then the ids of its events. Over WebSocket, there are none. */
  readonly ids: string[];
  readonly errors: Json[];
  /** Whether the server has completed the subscription. */
  complete: boolean;
  /** Whether the connection is closed. */
  closed: boolean;
  /** The reason of the close, if the transport gives one. */
  reason?: string;
  /** Cuts the connection. */
  cut(): void;
  /** Waits for this number of payloads, an error or the end of the connection. Returns the payloads so far, which may be fewer. */
  until(count: number): Promise<Json[]>;
};

export type Subscribe = {
  readonly key?: string;
  readonly variables?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly lastEventId?: string;
};

/**
 * A WebSocket on which a test writes the messages of the protocol itself. `closed` resolves to the code and the reason of the
 * close.
 */
export type Talk = { readonly socket: WebSocket; readonly got: Json[]; readonly closed: Promise<string> };

/** Opens a WebSocket, and waits until the service acknowledges the connection. */
export async function talk(url: string, options: ClientOptions = {}): Promise<Talk> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', options);
  const got: Json[] = [];
  socket.on('message', (data) => got.push(JSON.parse(String(data))));
  socket.on('error', () => {});
  const closed = once(socket, 'close').then(([code, reason]) => `${code} ${reason}`);
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await eventually(() => got.length === 1, 'the connection was not acknowledged');
  return { socket, got, closed };
}

const subscriber = (cut: () => void): Subscriber => {
  const made: Subscriber = {
    got: [],
    ids: [],
    errors: [],
    complete: false,
    closed: false,
    cut,
    async until(count) {
      await eventually(
        () => made.got.length >= count || made.errors.length > 0 || made.closed,
        `${made.got.length} of ${count} arrived`,
      );
      return made.got;
    },
  };
  return made;
};

const take = (into: Subscriber, { data, errors }: Json): void => {
  if (errors) into.errors.push(...errors);
  if (data) into.got.push(...Object.values(data));
};

/** Resolves when the latest call of `overSocket` has started its subscription, or has failed. */
let starts: Promise<unknown> = Promise.resolve();

/**
 * Subscribes over WebSocket. Resolves when the subscription has started or was refused. The protocol does not confirm a start, so
 * this waits until the count in the metrics rises. Subscriptions start one after another, so each causes the next rise.
 */
export function overSocket(url: string, query: string, options: Subscribe = {}): Promise<Subscriber> {
  const started = starts.then(async () => {
    const before = await startedAt(url);
    const { made } = connect(url, query, options);
    const isRefused = () => made.errors.length > 0 || made.complete || made.closed;
    await eventually(
      async () => isRefused() || (await startedAt(url)) > before,
      'the subscription was neither started nor refused',
    );
    return made;
  });
  starts = started.catch(() => {});
  return started;
}

/**
 * Like `overSocket`, but resolves when the connection is open: for many concurrent subscriptions, or a service that may be down.
 */
export async function overOpenSocket(url: string, query: string, options: Subscribe = {}): Promise<Subscriber> {
  const { made, connected } = connect(url, query, options);
  await connected;
  return made;
}

/** The number of subscriptions that the service has started. */
async function startedAt(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: freshIp() })).text();
  const [, count] = /^curvet_subscriptions_started_total (\d+)$/m.exec(text) ?? [];
  if (count === undefined) throw new Error(`no count of subscriptions at ${url}/metrics: ${text.slice(0, 200)}`);
  return Number(count);
}

/** Subscribes with a client of graphql-ws. `connected` resolves when the connection is acknowledged, or closed. */
function connect(url: string, query: string, { key, variables, headers = freshIp() }: Subscribe) {
  let socket: WebSocket | undefined;
  // graphql-ws passes no headers to its WebSocket.
  class Own extends WebSocket {
    constructor(address: string, protocols: string) {
      super(address, protocols, { headers });
      socket = this;
    }
  }
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: Own,
    retryAttempts: 0,
    connectionParams: key === undefined ? {} : { 'x-api-key': key },
  });
  const made = subscriber(() => socket?.terminate());
  const connected = new Promise<void>((resolve) => {
    client.on('connected', () => resolve());
    client.on('closed', (event) => {
      made.closed = true;
      made.reason = `${(event as CloseEvent).code} ${(event as CloseEvent).reason}`;
      resolve();
    });
  });
  const sink = {
    next: (result: Json) => take(made, result),
    error: (error: Json) => {
      made.errors.push(...(Array.isArray(error) ? error : [error]));
    },
    complete: () => {
      made.complete = true;
    },
  };
  client.subscribe({ query, ...(variables ? { variables } : {}) }, sink);
  return { made, connected };
}

/** Subscribes over Server-Sent Events. Resolves when the response headers have arrived. */
export function overStream(url: string, query: string, options: Subscribe = {}): Promise<Subscriber> {
  const { key, variables, headers = freshIp(), lastEventId } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/graphql`,
      {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          ...(key === undefined ? {} : { 'x-api-key': key }),
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
          ...headers,
        },
      },
      (answer) => {
        const made = subscriber(() => answer.destroy());
        const type = answer.headers['content-type'] ?? '';
        made.reason = `${answer.statusCode} ${type}`;
        let text = '';
        answer.setEncoding('utf8');
        answer.on('error', () => {});
        answer.on('data', (chunk: string) => {
          text += chunk;
          if (!type.startsWith('text/event-stream')) return;
          const frames = text.split('\n\n');
          text = frames.pop() ?? '';
          for (const frame of frames) readFrame(made, frame);
        });
        answer.on('close', () => {
          if (type.startsWith('application/json')) take(made, JSON.parse(text));
          made.closed = true;
        });
        resolve(made);
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify({ query, ...(variables ? { variables } : {}) }));
  });
}

function readFrame(made: Subscriber, frame: string): void {
  const lines = new Map(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  if (lines.has('id')) made.ids.push(lines.get('id') ?? '');
  if (lines.get('event') === 'next') take(made, JSON.parse(lines.get('data') ?? ''));
  if (lines.get('event') === 'complete') made.complete = true;
}

/** Returns a function that subscribes at a world. After each test of the calling suite, the subscriptions are cut. */
export function useSubscriptions(
  world: Pick<World, 'url'>,
  subscribe: typeof overSocket,
): (query: string, options?: Subscribe) => Promise<Subscriber> {
  const open: Subscriber[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.cut();
  });
  return async (query, options) => {
    const made = await subscribe(world.url, query, options);
    open.push(made);
    return made;
  };
}

export const transports = { WebSocket: overSocket, 'Server-Sent Events': overStream } as const;
