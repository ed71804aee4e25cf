import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { countUnmatched } from '../authenticate.js';

/**
 * Creates a router in which a path has only one spelling (letter case, trailing slash), so that a proxy can deny it with one rule.
 */
export const newRouter = (): Router => new Router({ sensitive: true, strict: true });

/**
 * Serves the routes of a router, each with one function. Literal paths come from a map, and only other paths are compared with the
 * patterns. So GET /api/agents/follow is not a request for an agent named "follow": that path serves POST only. A request without a
 * route is counted and refused. Exceptions are OPTIONS, which lists the methods of a path, and paths for which `sendPage` sends a
 * page.
 */
export function serveRoutes(
  deps: Deps,
  router: Router,
  sendPage: (ctx: Context) => Promise<boolean> = async () => false,
): Middleware {
  const patterns = newRouter();
  const literals = new Map<string, Map<string, Middleware>>();
  for (const layer of router.stack) {
    if (layer.paramNames.length > 0) patterns.stack.push(layer);
    else addLiteral(literals, layer);
  }
  const servePatterns = patterns.routes() as unknown as Middleware;

  async function refuse(ctx: Context, methods: Iterable<string>): Promise<void> {
    await countUnmatched(deps, ctx);
    const allow = [...new Set(methods)].sort().join(', ');
    if (allow === '') {
      if (await sendPage(ctx)) return;
      throw new AppError('NOT_FOUND');
    }
    if (ctx.method !== 'OPTIONS') throw new AppError('METHOD_NOT_ALLOWED', { allow });
    ctx.status = 204;
    ctx.set('Allow', allow);
  }

  return (ctx, next) => {
    const { path, method } = ctx;
    const handlers = literals.get(path);
    if (handlers === undefined) {
      return servePatterns(ctx, () =>
        refuse(
          ctx,
          patterns.match(path, method).path.flatMap(({ methods }) => methods),
        ),
      );
    }
    const handle = handlers.get(method);
    if (handle === undefined) return refuse(ctx, handlers.keys());
    ctx.state.route = path;
    ctx.params = {};
    return handle(ctx, next);
  };
}

function addLiteral(literals: Map<string, Map<string, Middleware>>, { path, methods, stack }: Router['stack'][number]): void {
  const handlers = literals.get(String(path)) ?? new Map<string, Middleware>();
  for (const method of methods) handlers.set(method, stack[0] as Middleware);
  literals.set(String(path), handlers);
}
