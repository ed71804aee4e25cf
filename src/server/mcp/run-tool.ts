import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { takeLimits } from '../access/rate-limit.js';
import { problemOf } from '../http/problem.js';
import { bypassesCache } from '../http/public-answer.js';
import { described, logUnexpected } from '../http/unexpected-errors.js';
import { type Arguments, type Caller, callTool } from './call-tool.js';
import { failureOf, resultOf, type ToolResult } from './results.js';
import type { describeTool } from './schemas.js';
import type { Tool } from './tool.js';

export type KnownTool = { readonly declared: Tool } & ReturnType<typeof describeTool>;

/** Answers `tools/call` in an HTTP request. Logs one line, without the arguments. */
export async function runTool(
  deps: Deps,
  tools: ReadonlyMap<string, KnownTool>,
  ctx: Context,
  { name, arguments: args = {} }: { readonly name: string; readonly arguments?: Arguments | undefined },
): Promise<ToolResult> {
  const known = tools.get(name);
  if (known === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`);
  const started = performance.now();
  const id = String(ctx.response.get('X-Request-Id'));
  const log = (status: number) =>
    deps.log.info({ id, tool: name, status, time: Math.round(performance.now() - started) }, 'tool call');
  const caller: Caller = {
    actor: ctx.state.actor,
    ip: ctx.state.ip,
    bypassesCache: bypassesCache(ctx),
    take: (windows) => takeLimits(deps, ctx, windows),
  };
  try {
    const called = await callTool(deps, known.declared, caller, args);
    if (called.replayed) ctx.set('Idempotent-Replayed', 'true');
    log(200);
    return resultOf(called, known.untrusted);
  } catch (thrown) {
    const { error, unexpected } = problemOf(thrown);
    if (unexpected) logUnexpected(deps.log, thrown, { id });
    else if (error.status >= 500 && error.cause) deps.log.debug({ id, error: described(error.cause) }, error.message);
    log(error.status);
    deps.metrics.countError('mcp', error.code);
    return failureOf(error);
  }
}
