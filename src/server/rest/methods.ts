import type Router from '@koa/router';
import type { Context, Next } from 'koa';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { countUnmatched } from '../access/outside-api.js';

/**
 * Answers methods that a path does not serve with 405. A literal path takes precedence over a parameter:
 * GET /api/agents/follow is not a request for an agent named "follow", since that path serves POST only.
 */
export function methodsOf(deps: Deps, router: Router) {
  const literals = new Map<string, Set<string>>();
  for (const { path, paramNames, methods } of router.stack) {
    if (paramNames.length > 0) continue;
    const served = literals.get(String(path)) ?? new Set();
    for (const method of methods) served.add(method);
    literals.set(String(path), served);
  }
  const methodsAt = ({ path, method }: Context): ReadonlySet<string> =>
    literals.get(path) ?? new Set(router.match(path, method).path.flatMap((layer) => layer.methods));

  /** Answers requests that no route serves: 404, 405, or OPTIONS. */
  async function otherwise(ctx: Context): Promise<void> {
    const methods = methodsAt(ctx);
    await countUnmatched(deps, ctx);
    if (methods.size === 0) throw new AppError('NOT_FOUND');
    const allow = [...methods].sort().join(', ');
    if (ctx.method !== 'OPTIONS') throw new AppError('METHOD_NOT_ALLOWED', { allow });
    ctx.status = 204;
    ctx.set('Allow', allow);
  }

  /** Runs before the routes, so that a literal path without the method is not taken for a path with a parameter. */
  function literalFirst(ctx: Context, next: Next): Promise<void> {
    const methods = literals.get(ctx.path);
    return methods === undefined || methods.has(ctx.method) ? next() : otherwise(ctx);
  }

  return { literalFirst, otherwise };
}
