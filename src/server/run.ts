import type { Deps } from '../deps.js';
import { AppError } from '../errors/errors.js';
import { type Actor, KeyEnded } from '../keys.js';
import { RateLimited, type Window, type WindowState } from '../limits/limits.js';
import type { Ctx } from '../use-case.js';
import { limitKey } from './client-address.js';
import {
  type Fingerprints,
  fingerprintsOf,
  KEY_FORMAT,
  parseIdempotencyKey,
  storedAnswer,
  WriteLease,
} from './idempotency/keys.js';
import { isPublic, isRead, type Operation } from './operation.js';
import { globalRow, isUnderApi, requireRoom, takeWindows, windowsOf } from './rate-limits.js';

/** A call of an operation, as a transport received it. Only its API key is checked already, not its limits or its input. */
export type Request = {
  readonly deps: Deps;
  readonly operation: Operation;
  /** The agent of the API key, even if the operation ignores it. null without a key, and for a key that is no longer valid. */
  readonly actor: Actor | null;
  /** SHA-256 of a key that is no longer valid. Such a request is answered only if it repeats an earlier write. */
  readonly endedKey?: string | undefined;
  readonly ip: string;
  /** Values of the input as they were sent, for functions that choose limits. A REST request has only the values in its path. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Idempotency key of a write. `field` is its name in error messages. `name` is the operation, which a retry must call again. */
  readonly idempotency?: { readonly key: unknown; readonly field: string; readonly name: string } | undefined;
  /** Key of the answer in the cache. It contains everything that a public answer depends on. undefined: the cache is bypassed. */
  readonly cacheKey?: string | undefined;
  /** Is called with the state of the rate limit windows in which the request counts, for the headers of the answer. */
  readonly announce?: (windows: readonly WindowState[]) => void;
};

/** The steps of `run` that REST, MCP and GraphQL carry out differently. */
export type Transport<R extends Request> = {
  /** Reads and parses the input of the operation. */
  input(request: R, deps: Deps): Promise<Record<string, unknown>>;
  /** Returns as text everything that the client sent to the operation. A retry must send the same. */
  content(request: R): string | Promise<string>;
  /** Makes the answer from the rows of the operation. It is synchronous, because a write calls it while its transaction is open. */
  answer(request: R, result: unknown): Outcome;
};

/** The answer to a request. `isReplayed`: an earlier request with the same idempotency key has stored this answer. */
export type Outcome = { readonly bytes: Buffer; readonly etag?: string; readonly isReplayed?: true };

/**
 * Carries out an operation for all APIs. A write executes once per idempotency key, because its effect and its stored answer are
 * committed in one transaction. A read counts in the limits of the operation only after it succeeded, so an invalid read does not.
 */
export async function run<R extends Request>(transport: Transport<R>, request: R): Promise<Outcome> {
  const { deps, operation, cacheKey } = request;
  const { global, own } = windowsFor(request);
  const { fingerprints, stored } = await recall(transport, request, global);
  if (stored) return { bytes: stored, isReplayed: true };

  if (own.length > 0) await requireRoom(deps, [...global, ...own]);
  await countIn(global, request);
  const ctx = contextOf(request, own);

  if (isRead(operation)) {
    const { caches } = ctx.deps;
    const load = async () => transport.answer(request, await operation.handle(ctx, await transport.input(request, ctx.deps)));
    const isCached = cacheKey !== undefined && isShared(request);
    const answer = await (isCached ? caches.restAnswers.get(cacheKey, load, sizeOf) : load());
    await ctx.count();
    return answer;
  }

  const input = await transport.input(request, deps);
  await using lease = fingerprints && (await WriteLease.take(deps, fingerprints));
  if (lease?.stored) return { bytes: lease.stored, isReplayed: true };
  const prepared = await operation.prepare(ctx, input);
  await ctx.count();
  const { invalidates = true } = operation;
  const { result, answer } = await deps.write(
    async (tx) => {
      const result = await operation.effect(tx, prepared, ctx);
      const answer = transport.answer(request, result);
      await lease?.store(tx, answer.bytes);
      return { result, answer };
    },
    { invalidates },
  );
  lease?.committed();
  await operation.after?.(ctx, result);
  return answer;
}

/** Whether the request gets the answer that all callers without a key share, and that is cached for one second. */
export const isShared = ({ operation, actor }: Request): boolean =>
  isPublic(operation) && (operation.auth === 'none' || actor === null);

const sizeOf = ({ bytes }: Outcome): number => bytes.length;

/** The rate limit windows of a request: `global` are those of all operations together, `own` those of its operation. */
function windowsFor({ deps, operation, actor, ip, given }: Request): { global: Window[]; own: Window[] } {
  if (deps.config.RATE_LIMITS === 'off') return { global: [], own: [] };
  const { limit, auth, path } = operation;
  // `limitOutside` has already counted requests outside /api. An operation without a path is a tool or a mutation, and counts here.
  if (path !== undefined && !isUnderApi(path)) return { global: [], own: [] };
  // With `auth: 'none'`, the answer is the same for every caller, so `limit` gets no actor. A key still selects the windows.
  const rows = typeof limit === 'function' ? limit(auth === 'none' ? null : actor, given) : limit;
  return {
    global: windowsOf([globalRow(actor)], actor, ip),
    own: rows === 'global' ? [] : windowsOf(rows, actor, ip),
  };
}

async function countIn(windows: readonly Window[], { deps, announce }: Request): Promise<void> {
  const states = await takeWindows(deps, windows);
  announce?.(states);
}

/**
 * Refuses callers that may not call the operation. For a write with an idempotency key, finds the answer that an earlier request
 * has stored. A refusal and a replayed answer count in the global windows only.
 */
async function recall<R extends Request>(transport: Transport<R>, request: R, global: readonly Window[]) {
  const { deps, operation, actor, endedKey, idempotency } = request;
  try {
    if (operation.retired?.(deps.config)) throw new AppError('DEPRECATED');
    if (operation.auth === 'required' && actor === null && endedKey === undefined) throw new AppError('MISSING_KEY');
    if (idempotency) await requireRoom(deps, global);
    const fingerprints = idempotency && (await identify(transport, request, idempotency));
    const stored = fingerprints && (await storedAnswer(deps, fingerprints));
    if (stored) await countIn(global, request);
    else if (endedKey !== undefined) throw new KeyEnded();
    return { fingerprints, stored };
  } catch (error) {
    if (!(error instanceof RateLimited)) await countIn(global, request);
    throw error;
  }
}

async function identify<R extends Request>(
  transport: Transport<R>,
  request: R,
  { key, field, name: operation }: NonNullable<Request['idempotency']>,
): Promise<Fingerprints> {
  if (typeof key !== 'string') throw new AppError('INVALID_FIELD', { field, expected: KEY_FORMAT });
  const { deps, actor, endedKey, ip } = request;
  // The hash of its API key identifies an agent, even after its deletion, so a retry of the deletion gets the stored answer. A
  // later agent of the same wallet has another key, so it never gets the answers of the earlier agent.
  const keyHash = actor?.keyHash ?? endedKey;
  const caller = keyHash === undefined ? `ip ${limitKey(ip)}` : `key ${keyHash}`;
  const content = await transport.content(request);
  return fingerprintsOf(deps.secretKey, { key: parseIdempotencyKey(key, field), caller, operation, content });
}

function contextOf(request: Request, own: readonly Window[]): Ctx {
  const { deps, operation, actor, ip } = request;
  let counted: Promise<void> | undefined;
  return {
    deps: isShared(request) ? readDeps(deps, actor) : deps,
    actor: operation.auth === 'none' ? null : actor,
    ip,
    count() {
      counted ??= countIn(own, request);
      return counted;
    },
  };
}

/**
 * Returns the dependencies for a read whose answer is the same for everybody. Without a key, it reads from a read replica of the
 * database, if one is up to date. A caller with a key reads from the primary, so that it sees its own writes.
 */
export function readDeps(deps: Deps, actor: Actor | null): Deps {
  const sql = actor === null ? deps.reads?.pick() : undefined;
  return sql && deps.reads ? { ...deps, sql, caches: deps.reads.caches } : deps;
}
