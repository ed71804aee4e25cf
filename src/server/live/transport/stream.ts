import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { AppError } from '../../../errors/errors.js';
import { every } from '../../../tasks.js';
import type { GraphqlCall } from '../../graphql/admit.js';
import type { Subscription } from '../../graphql/engine.js';
import { formatError, graphError } from '../../graphql/format.js';
import type { Sender } from '../groups.js';
import type { LiveApi } from '../live-api.js';
import { drained, FULL_BYTES, MAX_BUFFERED_BYTES } from './drained.js';

export const STREAM_TYPE = 'text/event-stream';

const PING = ':\n\n';
const COMPLETE = 'event: complete\ndata:\n\n';

/**
 * Answers as Server-Sent Events, one connection per operation: `next` for each result, `complete` at the end. The id of an
 * event is its sequence. Browsers send it back as Last-Event-ID when they reconnect.
 */
export async function serveStream(ctx: Context, api: LiveApi, call: GraphqlCall): Promise<void> {
  const lastSeen = ctx.get('last-event-id') || undefined;
  // A page of another site can make a browser send a GET, so only a POST may execute a mutation.
  const outcome = await api.engine.live(call, { mayWrite: ctx.method === 'POST', lastSeen });
  if (outcome.kind === 'subscription') return sendEvents(ctx, api, outcome);
  setHead(ctx);
  ctx.body = `event: next\ndata: ${JSON.stringify(outcome.result)}\n\n${COMPLETE}`;
}

function setHead(ctx: Context): void {
  ctx.status = 200;
  ctx.type = `${STREAM_TYPE}; charset=utf-8`;
  ctx.set('Cache-Control', 'no-store, no-transform');
  // Tells nginx and other proxies not to buffer events.
  ctx.set('X-Accel-Buffering', 'no');
}

/** Sends the events of a subscription until either side closes the connection. */
async function sendEvents(ctx: Context, api: LiveApi, subscription: Subscription): Promise<void> {
  const { res } = ctx;
  const { ip } = subscription.context;
  const { times } = api.deps;
  if (api.closed) throw new AppError('NOT_READY');
  const releases = [api.connections.take(ip)];
  const releaseAll = () => {
    for (const release of releases.splice(0)) release();
  };
  const subscribe = async () => {
    releases.push(api.subscriptions.take(ip));
    return api.hub.subscribe(subscription, eventSink(api, res));
  };
  const { at, end } = await subscribe().catch((error: unknown) => {
    releaseAll();
    throw error;
  });
  releases.push(end);
  setHead(ctx);
  ctx.respond = false;
  // Ends the response without `complete`, so that the client reconnects.
  const stop = () => res.end();
  api.open.add(stop);
  const stopPings = every(times, times.streamPing, () => write(res, PING));
  res.once('close', () => {
    stopPings();
    api.open.delete(stop);
    releaseAll();
  });
  if (res.destroyed) releaseAll();
  res.flushHeaders();
  // An id without data is no event, but the client stores it. If the connection breaks before the first event, it resumes there.
  write(res, `id: ${at}\n${PING}`);
}

/** Writes the events of a subscription to the response. A client that reads too slowly is disconnected. */
function eventSink({ deps }: LiveApi, res: ServerResponse): Sender {
  const buffered = () => (res.destroyed ? 0 : res.writableLength);
  return {
    send: (json, sequence) => write(res, `id: ${sequence}\nevent: next\ndata: ${json}\n\n`),
    isFull: () => buffered() > FULL_BYTES,
    async drained() {
      if (!(await drained(deps.times, buffered))) res.destroy();
    },
    end(error) {
      const body = formatError(deps, graphError(error));
      write(res, `event: next\ndata: ${JSON.stringify({ errors: [body] })}\n\n${COMPLETE}`);
      res.end();
    },
  };
}

function write(res: ServerResponse, text: string): void {
  if (res.destroyed || res.writableEnded) return;
  res.write(text);
  if (res.writableLength > MAX_BUFFERED_BYTES) res.destroy();
}
