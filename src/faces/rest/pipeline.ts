import Router from '@koa/router';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { type Actor, authenticate } from '../access/authenticate.js';
import { globalRow, type LimitRow, windowsOf } from '../access/limit-rows.js';
import { countRefused } from '../access/outside-api.js';
import { requireRoom, spendOnce, takeLimits } from '../access/rate-limit.js';
import { publicBytes, sendPublic } from '../http/public-answer.js';
import type { Call, Endpoint } from './endpoint.js';
import { parseFields, readBody, readQuery } from './input.js';

/** Creates the router of a list of endpoints. A trailing slash is another path, so that a proxy rule has one spelling to deny. */
export function mount(deps: Deps, endpoints: readonly Endpoint[]): Router {
  const router = new Router({ sensitive: true, strict: true });
  for (const declared of [...endpoints].sort(literalFirst)) {
    const path = declared.path.replace(/\{(\w+)\}/g, ':$1');
    router.register(path, [declared.method], (ctx) => serve(deps, declared, ctx));
  }
  return router;
}

/** Sorts `/api/agents/me` before `/api/agents/{address}`, independent of the order of declaration. */
function literalFirst(a: Endpoint, b: Endpoint): number {
  const rank = ({ path }: Endpoint) => path.replace(/\{\w+\}/g, '~');
  return rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0;
}

/** The steps of every request in order: key, limits, input, handler, output. */
async function serve(deps: Deps, declared: Endpoint, ctx: Context): Promise<void> {
  const ip: string = ctx.state.ip;
  const actor = await admit(deps, declared, ctx).catch((error: unknown) => countRefused(deps, ctx, error));
  ctx.state.agent = actor?.agentId;
  // Without `auth`, a key only selects the limits: the answer is the same for every caller.
  const reader = declared.auth === 'none' ? null : actor;
  const params: Record<string, string> = ctx.params;
  const endpointWindows = windowsOf(endpointRows(declared, params, reader), actor, ip);
  // Requests outside /api/ were counted before.
  const globalWindows = declared.path.startsWith('/api/') ? windowsOf([globalRow(actor)], actor, ip) : [];
  if (endpointWindows.length > 0) await requireRoom(deps, [...globalWindows, ...endpointWindows]);
  await takeLimits(deps, ctx, globalWindows);
  const spend = spendOnce(() => takeLimits(deps, ctx, endpointWindows));
  const answer = async (): Promise<string> => {
    const call: Call<'optional', undefined, undefined, undefined> = {
      actor: reader,
      ip,
      spend,
      params: declared.params ? parseFields('path', declared.params, params) : {},
      query: declared.query
        ? parseFields('query', declared.query, readQuery(new URLSearchParams(ctx.querystring)))
        : {},
      body: declared.body ? parseFields('body', declared.body, await readBody(ctx.req, declared.jsonRpc)) : {},
    };
    const output = await (declared as unknown as { handle(deps: Deps, call: unknown): Promise<object> }).handle(
      deps,
      call,
    );
    return JSON.stringify({ success: true, ...output });
  };
  const isPublic = declared.cache === 'public' && reader === null;
  if (declared.auth === 'optional') ctx.vary('X-Api-Key');
  // A write called `spend` before its effect. A read counts here, after it succeeded: an invalid read does not count.
  if (isPublic) {
    const bytes = await publicBytes(deps.caches.restAnswers, ctx, ctx.url, answer);
    await spend();
    sendPublic(ctx, 'application/json', bytes);
  } else {
    const text = await answer();
    await spend();
    send(ctx, declared, text);
  }
}

function send(ctx: Context, declared: Endpoint, text: string): void {
  ctx.status = declared.status ?? 200;
  ctx.type = 'application/json';
  ctx.set('Cache-Control', 'no-store');
  ctx.body = text;
}

/** Identifies the caller. Refuses retired endpoints, wrong keys, and a missing key where one is required. */
async function admit(deps: Deps, declared: Endpoint, ctx: Context): Promise<Actor | null> {
  // Outside /api/ the key was checked before.
  if (!declared.path.startsWith('/api/')) return null;
  const actor = await authenticate(deps, ctx.get('x-api-key') || undefined, ctx.state.ip);
  if (declared.retired?.(deps.config)) throw new AppError('DEPRECATED');
  if (declared.auth === 'required' && actor === null) throw new AppError('MISSING_KEY');
  return actor;
}

/** The limits of the endpoint, without the global one. */
function endpointRows({ limit }: Endpoint, params: Record<string, string>, actor: Actor | null): readonly LimitRow[] {
  if (limit === 'global') return [];
  return typeof limit === 'function' ? limit({ actor, params }) : limit;
}
