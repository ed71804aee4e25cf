import Router from '@koa/router';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { type Actor, authenticate } from '../authenticate.js';
import { type ByteCache, byteCache } from '../bytecache.js';
import { globalRow, type LimitRow, windowsOf } from '../limitrows.js';
import { publicBytes, sendPublic } from '../publicanswer.js';
import { takeLimits } from '../ratelimit.js';
import type { Call, Endpoint } from './endpoint.js';
import { parseFields, readBody, readQuery } from './input.js';

/** The router of a list of endpoints, with the answers for unknown paths and methods. */
export function mount(deps: Deps, endpoints: readonly Endpoint[]): Router {
  const router = new Router({ sensitive: true, strict: false });
  const kept = byteCache(deps);
  for (const declared of [...endpoints].sort(literalFirst)) {
    const path = declared.path.replace(/\{(\w+)\}/g, ':$1');
    router.register(path, [declared.method], (ctx) => serve(deps, kept, declared, ctx));
  }
  return router;
}

/** `/api/agents/me` is tried before `/api/agents/{address}`, in whatever order they are declared. */
function literalFirst(a: Endpoint, b: Endpoint): number {
  const rank = ({ path }: Endpoint) => path.replace(/\{\w+\}/g, '~');
  return rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0;
}

/** Block check and key, limits, input, handler, output: the same order for every endpoint. */
async function serve(deps: Deps, kept: ByteCache, declared: Endpoint, ctx: Context): Promise<void> {
  const ip: string = ctx.state.ip;
  const actor = await admit(deps, declared, ctx).catch((error: unknown) => countRefused(deps, ctx, error));
  ctx.state.agent = actor?.agentId;
  const params: Record<string, string> = ctx.params;
  await takeLimits(deps, ctx, windowsOf(rowsOf(declared, actor, params), actor, ip));
  const answer = async (): Promise<string> => {
    const call: Call<'optional', undefined, undefined, undefined> = {
      actor,
      ip,
      params: declared.params ? parseFields('path', declared.params, params) : {},
      query: declared.query
        ? parseFields('query', declared.query, readQuery(new URLSearchParams(ctx.querystring)))
        : {},
      body: declared.body ? parseFields('body', declared.body, await readBody(ctx.req)) : {},
    };
    const output = await (declared as unknown as { handle(deps: Deps, call: unknown): Promise<object> }).handle(
      deps,
      call,
    );
    return JSON.stringify({ success: true, ...output });
  };
  const isPublic = declared.cache === 'public' && actor === null;
  if (declared.auth === 'optional') ctx.vary('X-Api-Key');
  if (isPublic) sendPublic(ctx, 'application/json', await publicBytes(kept, ctx, ctx.url, answer));
  else send(ctx, declared, await answer());
}

function send(ctx: Context, declared: Endpoint, text: string): void {
  ctx.status = declared.status ?? 200;
  ctx.type = 'application/json';
  ctx.set('Cache-Control', 'no-store');
  ctx.body = text;
}

/** Who calls. Refuses what is out of service, and whoever sends no key, or a wrong one, where one is needed. */
async function admit(deps: Deps, declared: Endpoint, ctx: Context): Promise<Actor | null> {
  if (declared.retired?.(deps.config)) throw new AppError('DEPRECATED');
  if (declared.auth === 'none') return null;
  const actor = await authenticate(deps, ctx.get('x-api-key') || undefined, ctx.state.ip);
  if (declared.auth === 'required' && actor === null) throw new AppError('MISSING_KEY');
  return actor;
}

/** What is refused before its own limits are known counts all the same, against its IP; then it is refused. */
export async function countRefused(deps: Deps, ctx: Context, error: unknown): Promise<never> {
  const blocked = error instanceof AppError && error.code === 'RATE_LIMITED';
  if (!blocked && ctx.path.startsWith('/api/')) {
    await takeLimits(deps, ctx, windowsOf([globalRow(null)], null, ctx.state.ip));
  }
  throw error;
}

function rowsOf(declared: Endpoint, actor: Actor | null, params: Record<string, string>): LimitRow[] {
  const rows: LimitRow[] = declared.path.startsWith('/api/') ? [globalRow(actor)] : [];
  if (typeof declared.limit === 'function') rows.push(...declared.limit({ actor, params }));
  else if (declared.limit !== 'global') rows.push(...declared.limit);
  return rows;
}
