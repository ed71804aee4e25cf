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

/** A call of an operation, as a transport received it. Of its parts, only the API key was checked. */
export type Request = {
  readonly deps: Deps;
  readonly operation: Operation;
  /** The agent of the key, also for an operation that ignores it. null without a key, and for a key that ended. */
  readonly actor: Actor | null;
  /** SHA-256 of a key that ended. Such a request may only repeat an earlier one. */
  readonly endedKey?: string | undefined;
  readonly ip: string;
  /** The values of the input, as they were sent. Limits may depend on them. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The idempotency key of a write. `field` names it in errors, and `name` is the operation that a retry must call. */
  readonly idempotency?: { readonly key: unknown; readonly field: string; readonly name: string } | undefined;
  /** Name of the answer in the cache. It contains everything that a shared answer depends on. Absent if the cache is bypassed. */
  readonly cacheKey?: string | undefined;
  /** Receives the state of the windows in which the request counts. */
  readonly announce?: (windows: readonly WindowState[]) => void;
};

/** What REST, MCP and GraphQL do in their own way. */
export type Transport<R extends Request> = {
  /** Reads the input from what was sent. */
  input(request: R, deps: Deps): Promise<Record<string, unknown>>;
  /** All that was sent to the operation, as text: a retry must repeat it. */
  content(request: R): string | Promise<string>;
  /** Makes the answer from the rows that the operation returned. A write calls it in its transaction, so it must not wait. */
  answer(request: R, result: unknown): Outcome;
};

/** `isReplayed`: an earlier request with the same idempotency key has stored the answer. */
export type Outcome = { readonly bytes: Buffer; readonly etag?: string; readonly isReplayed?: true };

/**
 * Carries out an operation, from top to bottom. A write executes once per idempotency key: its effect and its answer are committed
 * together, or none is. A read counts in the limits of the operation after it succeeded, so an invalid read does not count.
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

/** Whether the answer is the one that all callers without a key get for a second. */
export const isShared = ({ operation, actor }: Request): boolean =>
  isPublic(operation) && (operation.auth === 'none' || actor === null);

const sizeOf = ({ bytes }: Outcome): number => bytes.length;

/** The windows in which a request counts: those of all operations together, and those of its own. */
function windowsFor({ deps, operation, actor, ip, given }: Request): { global: Window[]; own: Window[] } {
  if (deps.config.RATE_LIMITS === 'off') return { global: [], own: [] };
  const { limit, auth, path } = operation;
  // `limitOutside` has already counted the requests outside /api. A tool or a mutation may have no path.
  if (path !== undefined && !isUnderApi(path)) return { global: [], own: [] };
  // Without `auth`, a key only selects the limits: the answer is the same for every caller.
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
 * Refuses who may not call, and finds the stored answer of a write that repeats an earlier one. A refusal and a replay count in the
 * global windows only.
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
  // An agent is known by its API key, so that the answer to its deletion can be replayed, and a later agent of the same wallet
  // has a scope of its own.
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
 * Dependencies for a read whose answer is the same for everybody: with a fresh replica, if there is one. A caller with a key reads
 * from the primary, so that it sees its own writes.
 */
export function readDeps(deps: Deps, actor: Actor | null): Deps {
  const sql = actor === null ? deps.reads?.pick() : undefined;
  return sql && deps.reads ? { ...deps, sql, caches: deps.reads.caches } : deps;
}
