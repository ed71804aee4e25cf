import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import type { Ctx } from '../../use-case.js';
import { globalRow, takeLimits, type Window, windowsOf } from '../access.js';
import { readFields } from '../fields.js';
import { described, logUnexpected, problemBody, problemOf } from '../http/problem.js';
import { bypassesCache } from '../http/public-answer.js';
import { isPublic, isRead, type Tool } from '../operation.js';
import { type Call, identityFor, perform, performRead } from '../perform.js';
import { argumentsOf, type DescribedTool, type Output, UNTRUSTED_NOTICE } from './schemas.js';

/** A call of a tool, as the HTTP request identifies it. `given` are the arguments. */
type ToolCall = Call & {
  /** Whether the client asks for a result that is not cached, because another replica may have invalidated it. */
  readonly bypassesCache: boolean;
};

type Arguments = Call['given'];

/** The structured content of a result, and whether it is the stored one of an earlier call with the same idempotency key. */
export type Called = { readonly output: Output; readonly replayed: boolean };

/** Calls a tool within its limits. The steps and the errors are those of REST: key, limits, input, use case. */
export async function callTool({ declared, format }: DescribedTool, call: ToolCall): Promise<Called> {
  const { deps, actor, ip, given } = call;
  if (declared.auth === 'required' && actor === null) {
    await call.take(windowsOf([globalRow(null)], null, ip));
    throw new AppError('MISSING_KEY');
  }
  const input = () => inputOf(deps, declared, given);
  if (isRead(declared)) {
    const load = async (ctx: Ctx) => format(await declared.handle(ctx, await input()));
    const isCached = isPublic(declared) && (declared.auth === 'none' || actor === null) && !call.bypassesCache;
    // The tools share the cache with REST. No URL of REST begins with `tool`, so their keys never collide.
    const key = `tool ${declared.tool.name} ${canonical(given)}`;
    const output = await performRead(declared, call, (ctx) =>
      isCached ? deps.caches.restAnswers.get(key, () => load(ctx), sizeOf) : load(ctx),
    );
    return { output, replayed: false };
  }
  const { idempotencyKey: key, ...rest } = given;
  const operation = `tool ${declared.tool.name}`;
  const { answer, replayed } = await perform(declared, call, {
    input,
    format: (result) => Buffer.from(JSON.stringify(format(result))),
    identify:
      key === undefined
        ? undefined
        : async () =>
            identityFor(call, actor?.keyHash, { key, field: 'idempotencyKey', operation, content: canonical(rest) }),
  });
  return { output: JSON.parse(answer.toString()), replayed };
}

/** The arguments as text. A model may write the same arguments in another order. */
const canonical = (args: Arguments): string =>
  JSON.stringify(Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1)));

const sizeOf = (output: object): number => JSON.stringify(output).length;

/** Refuses undeclared arguments, so that a client that sent a secret by mistake learns of it. */
async function inputOf(deps: Deps, declared: Tool, given: Arguments): Promise<Record<string, unknown>> {
  const { args = declared.input, inputOf: convert } = declared.tool;
  const names = argumentsOf(declared);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const expected = names.length === 0 ? 'no arguments' : names.join(', ');
    throw new AppError('UNKNOWN_ARGUMENT', { field: unknown.slice(0, 50), expected });
  }
  const parsed = await readFields(deps, args, given);
  return convert ? (convert(parsed) as Record<string, unknown>) : parsed;
}

/** Answers `tools/call` in an HTTP request. Logs one line, without the arguments. */
export async function runTool(
  deps: Deps,
  tools: ReadonlyMap<string, DescribedTool>,
  ctx: Context,
  { name, arguments: args = {} }: { readonly name: string; readonly arguments?: Record<string, unknown> | undefined },
): Promise<CallToolResult> {
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

/**
 * The result of a successful call: structured content, and the same as JSON text for clients that show a model only text. If it
 * may contain texts of strangers, it begins with a notice that names their fields.
 */
function resultOf({ output, replayed }: Called, untrusted: readonly string[]): CallToolResult {
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

/** The body that REST answers, with its status and Retry-After. A model reads the hint and corrects the call. */
function failureOf(error: AppError): CallToolResult {
  const { status, retryAfter } = error;
  const body = { ...problemBody(error), status, ...(retryAfter !== undefined && { retryAfter }) };
  return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true };
}
