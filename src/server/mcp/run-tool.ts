import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import type { AppError } from '../../errors.js';
import { takeLimits, type Window } from '../access/rate-limit.js';
import { problemBody, problemOf } from '../http/problem.js';
import { bypassesCache } from '../http/public-answer.js';
import { described, logUnexpected } from '../http/unexpected-errors.js';
import { type Called, callTool } from './call-tool.js';
import { type DescribedTool, UNTRUSTED_NOTICE } from './schemas.js';

/** Answers `tools/call` in an HTTP request. Logs one line, without the arguments. */
export async function runTool(
  deps: Deps,
  tools: ReadonlyMap<string, DescribedTool>,
  ctx: Context,
  { name, arguments: args = {} }: { readonly name: string; readonly arguments?: Record<string, unknown> | undefined },
): Promise<ToolResult> {
  const known = tools.get(name);
  if (known === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`);
  const started = performance.now();
  const id = String(ctx.response.get('X-Request-Id'));
  const log = (status: number) =>
    deps.log.info({ id, tool: name, status, time: Math.round(performance.now() - started) }, 'tool call');
  const call = {
    deps,
    actor: ctx.state.actor,
    ip: ctx.state.ip,
    given: args,
    bypassesCache: bypassesCache(ctx),
    take: (windows: readonly Window[]) => takeLimits(deps, ctx, windows),
  };
  try {
    const called = await callTool(known, call);
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

/** Result of `tools/call`. */
type ToolResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
  readonly _meta?: Record<string, unknown>;
};

/**
 * The result of a successful call: structured content, and the same as JSON text for clients that show a model only text. If it
 * may contain texts of strangers, it begins with a notice that names their fields.
 */
function resultOf({ output, replayed }: Called, untrusted: readonly string[]): ToolResult {
  const structuredContent =
    untrusted.length === 0
      ? { ...output }
      : { untrustedContent: { notice: UNTRUSTED_NOTICE, fields: untrusted }, ...output };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    ...(replayed && { _meta: { 'curvet/idempotent-replayed': true } }),
  };
}

/**
 * The result of a failed call: the body that REST answers, with its status and the seconds of Retry-After. A model reads the hint
 * and corrects the call.
 */
function failureOf(error: AppError): ToolResult {
  const { status, retryAfter } = error;
  const body = { ...problemBody(error), status, ...(retryAfter !== undefined && { retryAfter }) };
  return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true };
}
