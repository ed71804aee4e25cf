import { randomUUID } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../deps.js';
import { AppError } from '../errors.js';
import type { AuthenticatedAgent } from '../keys.js';
import { every } from '../times.js';
import { type Auth, type Ctx, carryOut } from '../use-case.js';
import { type Actor, globalRow, limitKey, RateLimited, requireRoom, type Window, windowsOf } from './access.js';
import {
  identityOf,
  KEY_FORMAT,
  parseIdempotencyKey,
  releaseLease,
  renewLease,
  storeAnswer,
  storedAnswer,
  takeLease,
  type WriteIdentity,
} from './idempotency/keys.js';
import { limitsFor, type Operation, type WriteOperation } from './operation.js';

/** A call of an operation, as a face received it. The key of the caller was checked. */
export type Call = {
  readonly deps: Deps;
  /** The agent of the key, also for an operation that ignores it. */
  readonly actor: AuthenticatedAgent | null;
  readonly ip: string;
  /** The input as it was sent. Limits may depend on it. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Counts the call in windows, or throws RateLimited. */
  readonly take: (windows: readonly Window[]) => Promise<unknown>;
  /** Whether another counter has counted the call already, as it does for paths outside /api. */
  readonly isCounted?: boolean;
};

/** Carries out a read within its limits. It counts in its own limits only after it succeeded, so an invalid read does not count. */
export async function performRead<T>(declared: Operation, call: Call, load: (ctx: Ctx) => Promise<T>): Promise<T> {
  const ctx = await admit(declared, call);
  const answer = await load(ctx);
  await ctx.spend();
  return answer;
}

type Input = Record<string, unknown>;

/** A write that a face received. */
type Request<Result> = {
  /** Parses the input. It is called when the call is within its limits. */
  readonly input: () => Input | Promise<Input>;
  /** Makes the answer. It is called before the commit, so it must not wait. */
  readonly format: (result: Result) => Buffer;
  /** Identity of the write under its idempotency key. Throws if the key is not valid. undefined without a key. */
  readonly identify: (() => Promise<WriteIdentity>) | undefined;
};

/** The answer, and whether it is the stored one of an earlier call with the same idempotency key. */
type Performed = { readonly answer: Buffer; readonly replayed: boolean };

/** Carries out a write within its limits, and once per idempotency key. A replay counts in the global windows only. */
export async function perform<Result>(
  declared: WriteOperation,
  call: Call,
  { input, format, identify }: Request<Result>,
): Promise<Performed> {
  const keyed = identify && (await lookUp(call, identify));
  if (keyed?.stored) return { answer: keyed.stored, replayed: true };
  const ctx = await admit(declared, call);
  const parsed = await input();
  const execute = (store?: Store): Promise<Buffer> =>
    carryOut(declared, ctx, parsed, async (tx, result) => {
      const answer = format(result as Result);
      await store?.(tx, answer);
      return answer;
    });
  return keyed ? runOnce(call.deps, keyed.identity, execute) : { answer: await execute(), replayed: false };
}

/** Identifies a write with an idempotency key, and finds its stored answer. A replay and a refusal count in the global windows. */
async function lookUp(call: Call, identify: () => Promise<WriteIdentity>) {
  await requireRoom(call.deps, globalWindows(call));
  try {
    const identity = await identify();
    const stored = await storedAnswer(call.deps, identity);
    if (stored !== null) await call.take(globalWindows(call));
    return { identity, stored };
  } catch (error) {
    if (!(error instanceof RateLimited)) await call.take(globalWindows(call));
    throw error;
  }
}

const globalWindows = ({ actor, ip, isCounted }: Call): readonly Window[] =>
  isCounted ? [] : windowsOf([globalRow(actor)], actor, ip);

/** Takes the global windows if all windows have room. The context takes the windows of the operation. */
async function admit(declared: Operation, call: Call): Promise<Ctx> {
  const { deps, ip, given, take } = call;
  // Without `auth`, a key only selects the limits: the answer is the same for every caller.
  const actor = declared.auth === 'none' ? null : call.actor;
  const global = globalWindows(call);
  const own = windowsOf(limitsFor(declared, actor, given), call.actor, ip);
  if (own.length > 0) await requireRoom(deps, [...global, ...own]);
  await take(global);
  let taken: Promise<void> | undefined;
  const spend = () => {
    taken ??= take(own).then(() => {});
    return taken;
  };
  return { deps, actor, ip, spend } as Ctx<Auth>;
}

type Store = (tx: SqlEntityManager, answer: Buffer) => Promise<void>;

/**
 * Executes a write once per idempotency key. `execute` calls `store` in the transaction of its effect: effect and answer are
 * committed together, or none is. A retry gets this answer. If `execute` throws, a retry executes the write.
 */
export async function runOnce(
  deps: Deps,
  identity: WriteIdentity,
  execute: (store: Store) => Promise<Buffer>,
): Promise<Performed> {
  const holder = randomUUID();
  const stored = await takeLease(deps, identity, holder);
  if (stored) return { answer: stored, replayed: true };
  const endRenewals = every(deps.times, deps.times.writeLease / 3, () => {
    // After a failure the next renewal may succeed. If the lease is lost, storing the answer fails.
    renewLease(deps, identity, holder).catch(() => undefined);
  });
  try {
    return { answer: await execute((tx, answer) => storeAnswer(tx, identity, holder, answer)), replayed: false };
  } catch (error) {
    await releaseLease(deps, identity, holder).catch(() => undefined);
    throw error;
  } finally {
    endRenewals();
  }
}

/** What identifies a write besides its caller. */
type Keyed = { readonly key: unknown; readonly field: string; readonly operation: string; readonly content: string };

/** The identity of a write under the idempotency key that the caller sent. `field` names the key in errors. */
export function identityFor(
  { deps, ip }: Pick<Call, 'deps' | 'ip'>,
  keyHash: string | undefined,
  { key, field, operation, content }: Keyed,
): WriteIdentity {
  if (typeof key !== 'string') throw new AppError('INVALID_FIELD', { field, expected: KEY_FORMAT });
  // An agent is known by its API key, so that the answer to its deletion can be replayed, and a later agent of the same wallet
  // has a scope of its own.
  const caller = keyHash === undefined ? `ip ${limitKey(ip)}` : `key ${keyHash}`;
  return identityOf(deps.secretKey, { key: parseIdempotencyKey(key, field), caller, operation, content });
}

/**
 * Dependencies for a read whose answer is the same for everybody: with a fresh replica, if there is one. A caller with a key reads
 * from the primary, so that it sees its own writes.
 */
export function publicReadDeps(deps: Deps, actor: Actor | null): Deps {
  const sql = actor === null ? deps.reads?.pick() : undefined;
  return sql && deps.reads ? { ...deps, sql, caches: deps.reads.caches } : deps;
}
