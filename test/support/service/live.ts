import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { freshIp } from '../market/agents.js';
import type { Json } from './graphql.js';
import { eventually } from './process.js';

// Subscribers over both transports: a client of graphql-ws, and a parser of event streams.

export type Subscriber = {
  /** The payloads received so far: the values of the subscribed field. */
  readonly got: Json[];
  /** The ids of the stream: its position when it opened, then those of its events. */
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
  until(count: number): Promise<Json[]>;
};

export type Subscribe = {
  readonly key?: string;
  readonly variables?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly lastEventId?: string;
  /** Address of the loopback network from which a stream connects. */
  readonly localAddress?: string;
};

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

/** Resolves when the server has accepted the subscription and has answered a query that was sent after it. */
export async function overSocket(url: string, query: string, options: Subscribe = {}): Promise<Subscriber> {
  const { key, variables, headers = freshIp() } = options;
  let socket: WebSocket | undefined;
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
  client.on('closed', (event) => {
    made.closed = true;
    made.reason = `${(event as CloseEvent).code} ${(event as CloseEvent).reason}`;
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
  // The protocol does not confirm subscriptions. Two queries in a row, which are not cached and read the database, take longer
  // in most cases.
  for (let i = 0; i < 2; i++) await settled(client, `{ agent(address: "${randomBytes(8).toString('hex')}") { id } }`);
  // On a busy machine, a subscription to new events may need a moment more. A replay misses nothing.
  if (variables?.after === undefined) await sleep(200);
  return made;
}

/** Sends a query and resolves when it is answered, whatever the answer is. */
const settled = (client: Client, query: string): Promise<void> =>
  new Promise((resolve) => {
    client.subscribe({ query }, { next: () => {}, error: () => resolve(), complete: resolve });
  });

/** Resolves when the response headers have arrived. */
export function overStream(url: string, query: string, options: Subscribe = {}): Promise<Subscriber> {
  const { key, variables, headers = freshIp(), lastEventId, localAddress } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/graphql`,
      {
        method: 'POST',
        ...(localAddress === undefined ? {} : { localAddress }),
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

export const transports = { WebSocket: overSocket, 'Server-Sent Events': overStream } as const;
