import type { Context } from 'koa';
import { AppError } from '../../../../errors.js';
import { announce } from '../../../access/rate-limit.js';
import type { GraphContext } from '../../engine/context.js';
import { errorBody, formatError } from '../../engine/errors.js';
import { preferred } from '../../engine/media-types.js';
import type { GraphRequest } from '../../engine/request.js';
import type { LiveFace } from '../face.js';
import { graphError, readOperation, watchOf } from '../operation.js';
import { drained, MOST_WAITING } from './drained.js';

/** A comment so often keeps proxies awake. */
const PING_MS = 15_000;

const COMPLETE = 'event: complete\ndata:\n\n';

const STREAM = 'text/event-stream';

/** Some clients name the media type in every request, as the last that they would take. */
export const wantsStream = (ctx: Context): boolean => preferredForm(ctx) === STREAM;

const preferredForm = preferred('application/json', 'application/graphql-response+json', STREAM);

/**
 * Answers as Server-Sent Events, a connection for each operation: `next` for each result, `complete` at the end. The id of
 * an event is its sequence, which browsers send back by themselves as Last-Event-ID.
 */
export async function serveStream(
  ctx: Context,
  face: LiveFace,
  context: GraphContext,
  request: GraphRequest,
): Promise<void> {
  const { deps, schema } = face;
  const operation = await readOperation(face, context, request, (windows) => announce(ctx, windows));
  const { operation: kind } = operation.node;
  // A page elsewhere can send a GET, if not read the answer.
  if (kind === 'mutation' && ctx.method !== 'POST') throw new AppError('METHOD_NOT_ALLOWED', { allow: 'POST' });
  if (kind === 'subscription') return follow();
  head();
  // The text may be one that the request names by its hash.
  const result = await face.execute({ ...request, query: operation.document.loc?.source.body }, context);
  ctx.body = `event: next\ndata: ${JSON.stringify(result)}\n\n${COMPLETE}`;

  function head(): void {
    ctx.status = 200;
    ctx.type = `${STREAM}; charset=utf-8`;
    ctx.set('Cache-Control', 'no-store, no-transform');
    // A proxy that knows it hands on each event as it comes.
    ctx.set('X-Accel-Buffering', 'no');
  }

  async function follow(): Promise<void> {
    const { res } = ctx;
    const watch = await watchOf(schema, operation, context, ctx.get('last-event-id') || undefined);
    if (face.closed) throw new AppError('NOT_READY');
    const gives = [face.takeConnection(context.ip)];
    const free = () => {
      for (const give of gives.splice(0)) give();
    };
    const write = (text: string): void => {
      if (res.destroyed || res.writableEnded) return;
      res.write(text);
      if (res.writableLength > MOST_WAITING) res.destroy();
    };
    try {
      gives.push(face.takeSubscription(context.ip));
      const leave = await face.hub.follow(
        { operation, watch, context },
        {
          send: (json, sequence) => write(`id: ${sequence}\nevent: next\ndata: ${json}\n\n`),
          async ready() {
            if (!(await drained(() => (res.destroyed ? 0 : res.writableLength)))) res.destroy();
          },
          end(error) {
            const known =
              error instanceof AppError ? errorBody(error) : formatError(deps, { message: '' }, graphError(error));
            write(`event: next\ndata: ${JSON.stringify({ errors: [known] })}\n\n${COMPLETE}`);
            res.end();
          },
        },
      );
      gives.push(leave);
    } catch (error) {
      free();
      throw error;
    }
    head();
    ctx.respond = false;
    // Without "complete": who still wants it comes again.
    const stop = () => res.end();
    face.open.add(stop);
    const timer = setInterval(() => write(':\n\n'), PING_MS);
    res.once('close', () => {
      clearInterval(timer);
      face.open.delete(stop);
      free();
    });
    if (res.destroyed) free();
    res.flushHeaders();
    write(':\n\n');
  }
}
