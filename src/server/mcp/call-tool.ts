import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import type { Actor } from '../access/authenticate.js';
import { globalRow, windowsOf } from '../access/limit-rows.js';
import { callerOf, performWrite } from '../access/perform-write.js';
import { requireRoom, type Spend, spendOnce, type Window } from '../access/rate-limit.js';
import { identityOf, KEY_FORMAT, parseIdempotencyKey } from '../idempotency/rules.js';
import { parseFields } from '../parse-fields.js';
import { argumentsOf } from './schemas.js';
import { isWrite, type Output, type ReadTool, type Tool, type ToolCall, type WriteTool } from './tool.js';

/** The caller of a tool, as the HTTP request identifies it. */
export type Caller = {
  readonly actor: Actor | null;
  readonly ip: string;
  /** Whether the client asks for a result that is not cached, because another replica may have invalidated it. */
  readonly bypassesCache: boolean;
  /** Counts the request in windows, or throws RateLimited. */
  readonly take: (windows: readonly Window[]) => Promise<void>;
};

export type Arguments = Readonly<Record<string, unknown>>;

/** A result, and whether it is the stored one of an earlier call with the same idempotency key. */
export type Called = { readonly output: Output; readonly replayed: boolean };

/** Calls a tool within its limits. The steps and the errors are those of the REST pipeline: key, limits, input, use case. */
export async function callTool(deps: Deps, declared: Tool, caller: Caller, args: Arguments): Promise<Called> {
  const { ip, take } = caller;
  // Without `auth`, a key only selects the limits: the result is the same for every caller.
  const actor = declared.auth === 'none' ? null : caller.actor;
  if (declared.auth === 'required' && actor === null) {
    await take(windowsOf([globalRow(null)], null, ip));
    throw new AppError('MISSING_KEY');
  }
  const { limits } = declared;
  const windows = {
    caller: callerOf(caller.actor?.keyHash, ip),
    globalWindows: windowsOf([globalRow(caller.actor)], caller.actor, ip),
    ownWindows: windowsOf(typeof limits === 'function' ? limits(actor, args) : limits, caller.actor, ip),
    take,
  };
  const callOf = (spend: Spend): ToolCall => ({ actor, spend, args: parseArguments(declared, args) });
  if (isWrite(declared)) return write(deps, declared, windows, identityReader(deps, declared, caller, args), callOf);
  const isCached = declared.cache === 'public' && actor === null && !caller.bypassesCache;
  // The tools share the cache with REST. No URL of REST begins with `tool`, so their keys never collide.
  const key = isCached ? `tool ${declared.name} ${canonical(args)}` : null;
  return { output: await read(deps, declared, windows, key, callOf), replayed: false };
}

type Windows = Omit<Parameters<typeof performWrite>[1], 'identify'>;

/** The arguments as text. A model may write the same arguments in another order. */
const canonical = (args: Arguments): string =>
  JSON.stringify(Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1)));

const sizeOf = (output: Output): number => JSON.stringify(output).length;

/** A read counts in its own limits only after it succeeded, so an invalid read does not count. */
async function read(
  deps: Deps,
  declared: ReadTool,
  { globalWindows, ownWindows, take }: Windows,
  key: string | null,
  callOf: (spend: Spend) => ToolCall,
): Promise<Output> {
  if (ownWindows.length > 0) await requireRoom(deps, [...globalWindows, ...ownWindows]);
  await take(globalWindows);
  const spend = spendOnce(() => take(ownWindows));
  const load = async () => declared.read(deps, callOf(spend));
  const output = await (key === null ? load() : deps.caches.restAnswers.get(key, load, sizeOf));
  await spend();
  return output;
}

async function write(
  deps: Deps,
  declared: WriteTool,
  windows: Windows,
  identify: Parameters<typeof performWrite>[1]['identify'],
  callOf: (spend: Spend) => ToolCall,
): Promise<Called> {
  const { answer, replayed } = await performWrite(deps, { ...windows, identify }, async (spend) => {
    const call = callOf(spend);
    return {
      run: (storing) => declared.write(storing, call),
      format: (result) => Buffer.from(JSON.stringify(declared.answer(result, call))),
    };
  });
  return { output: JSON.parse(answer.toString()), replayed };
}

/**
 * Refuses undeclared arguments. A client that sent a secret by mistake learns of it, and does not send the secret
 * again.
 */
function parseArguments(declared: Tool, args: Arguments): Record<string, unknown> {
  const names = argumentsOf(declared);
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const expected = names.length === 0 ? 'no arguments' : names.join(', ');
    throw new AppError('UNKNOWN_ARGUMENT', { field: unknown.slice(0, 50), expected });
  }
  return parseFields('body', declared.input, args);
}

/** A function that identifies a write by the argument `idempotencyKey`. undefined without the argument. */
function identityReader({ secretKey }: Deps, declared: Tool, { actor, ip }: Caller, args: Arguments) {
  const { idempotencyKey, ...rest } = args;
  if (idempotencyKey === undefined) return undefined;
  return async () => {
    if (typeof idempotencyKey !== 'string') {
      throw new AppError('INVALID_FIELD', { field: 'idempotencyKey', expected: KEY_FORMAT });
    }
    const key = parseIdempotencyKey(idempotencyKey, 'idempotencyKey');
    const content = canonical(rest);
    return identityOf(secretKey, {
      key,
      caller: callerOf(actor?.keyHash, ip),
      operation: `tool ${declared.name}`,
      content,
    });
  };
}
