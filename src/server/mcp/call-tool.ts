import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import type { WindowState } from '../../limits/limits.js';
import { described, logUnexpected, problemBody, problemOf } from '../http/problem.js';
import { bypassesCache } from '../http/public-answer.js';
import { readFields, valuesOf } from '../inputs.js';
import { isRead, type Tool } from '../operation.js';
import { showWindows } from '../rate-limits.js';
import { type Request, run, type Transport } from '../run.js';
import { argumentNames, type DescribedTool, type Output, UNTRUSTED_NOTICE } from './schemas.js';

type Arguments = Readonly<Record<string, unknown>>;

/** A call of a tool. `sent` are its arguments. */
type ToolRequest = Request & {
  readonly operation: Tool;
  readonly sent: Arguments;
  readonly format: DescribedTool['format'];
};

const mcp: Transport<ToolRequest> = {
  /** Refuses undeclared arguments, so that a client that sent a secret by mistake learns of it. */
  async input({ operation, sent }, deps) {
    const known = argumentNames(operation);
    const unknown = Object.keys(sent).find((name) => !known.includes(name));
    if (unknown !== undefined) {
      const expected = known.length === 0 ? 'no arguments' : known.join(', ');
      throw new AppError('UNKNOWN_ARGUMENT', { field: unknown.slice(0, 50), expected });
    }
    const { args, names } = operation.tool;
    return valuesOf(names, await readFields(deps, args, sent));
  },

  content: ({ sent: { idempotencyKey: _, ...others } }) => canonical(others),

  answer: ({ format }, result) => ({ bytes: Buffer.from(JSON.stringify(format(result))) }),
};

function requestOf(deps: Deps, { declared, format }: DescribedTool, ctx: Context, sent: Arguments): ToolRequest {
  const name = `tool ${declared.tool.name}`;
  const request = {
    deps,
    operation: declared,
    format,
    actor: ctx.state.actor,
    ip: ctx.state.ip,
    given: valuesOf(declared.tool.names, sent),
    sent,
    announce: (windows: readonly WindowState[]) => showWindows(ctx, windows),
  };
  if (isRead(declared)) {
    // The tools share the cache with REST. No URL of REST begins with `tool`, so their keys never collide.
    return { ...request, cacheKey: bypassesCache(ctx) ? undefined : `${name} ${canonical(sent)}` };
  }
  const key = sent.idempotencyKey;
  return key === undefined ? request : { ...request, idempotency: { key, field: 'idempotencyKey', name } };
}

/** The arguments as text, sorted by name, because a model may send the same arguments in another order. */
const canonical = (args: Arguments): string => JSON.stringify(Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Answers `tools/call` in an HTTP request. Logs one line, without the arguments. */
export async function runTool(
  deps: Deps,
  tools: ReadonlyMap<string, DescribedTool>,
  ctx: Context,
  { name, arguments: args = {} }: { readonly name: string; readonly arguments?: Record<string, unknown> | undefined },
): Promise<CallToolResult> {
  const known = tools.get(name);
  if (known === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`);
  const started = performance.now();
  const id = String(ctx.response.get('X-Request-Id'));
  const log = (status: number) =>
    deps.log.info({ id, tool: name, status, time: Math.round(performance.now() - started) }, 'tool call');
  try {
    const { bytes, isReplayed = false } = await run(mcp, requestOf(deps, known, ctx, args));
    if (isReplayed) ctx.set('Idempotent-Replayed', 'true');
    log(200);
    return resultOf(JSON.parse(bytes.toString()), known.untrusted, isReplayed);
  } catch (thrown) {
    const { error, unexpected } = problemOf(thrown);
    if (unexpected) logUnexpected(deps.log, thrown, { id });
    else if (error.status >= 500 && error.cause) deps.log.debug({ id, error: described(error.cause) }, error.message);
    log(error.status);
    deps.metrics.countError('mcp', error.code);
    return failureOf(error);
  }
}

/**
 * The result of a successful call: structured content, and the same as JSON text for clients that show a model only text. If it may
 * contain texts that strangers wrote, it begins with a notice that names their fields.
 */
function resultOf(output: Output, untrusted: readonly string[], isReplayed: boolean): CallToolResult {
  const structuredContent =
    untrusted.length === 0 ? { ...output } : { untrustedContent: { notice: UNTRUSTED_NOTICE, fields: untrusted }, ...output };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    ...(isReplayed && { _meta: { 'curvet/idempotent-replayed': true } }),
  };
}

/**
 * The result of a failed call: the error body of REST, with the status and Retry-After. A model reads the hint and corrects the
 * call.
 */
function failureOf(error: AppError): CallToolResult {
  const { status, retryAfter } = error;
  const body = { ...problemBody(error), status, ...(retryAfter !== undefined && { retryAfter }) };
  return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true };
}
