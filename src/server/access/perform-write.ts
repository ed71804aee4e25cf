import type { Deps } from '../../deps.js';
import { limitKey } from '../http/client-address.js';
import { storedAnswer } from '../idempotency/records.js';
import type { WriteIdentity } from '../idempotency/rules.js';
import { type OnceAnswered, type OnceExecuted, runOnce } from '../idempotency/run-once.js';
import { requireRoom, type Spend, spendOnce, type Window } from './rate-limit.js';

/** A write as a face received it. */
export type WriteRequest = {
  /**
   * Identifies the caller. An idempotency key is valid for one caller. The next reads of the caller include this write.
   */
  readonly caller: string;
  /** The global windows of the caller. Every request counts in them. */
  readonly globalWindows: readonly Window[];
  /** The windows of this write. The write counts in them just before its effect. */
  readonly ownWindows: readonly Window[];
  /** Counts the request in windows, or throws RateLimited. */
  readonly take: (windows: readonly Window[]) => Promise<void>;
  /** Identity of the write under its idempotency key. Throws if the key is not valid. undefined without a key. */
  readonly identify: (() => Promise<WriteIdentity>) | undefined;
};

/**
 * Executes a write within its limits, and once per idempotency key. `prepare` checks the input of a request that is within
 * its limits. A replay counts in the global windows only.
 */
export async function performWrite<T>(
  deps: Deps,
  request: WriteRequest,
  prepare: (spend: Spend) => Promise<OnceExecuted<T>>,
): Promise<OnceAnswered> {
  try {
    return await executeWrite(deps, request, prepare);
  } finally {
    // A failed write counts too: it may have been committed before the connection broke.
    await deps.reads?.noteWrite(request.caller);
  }
}

async function executeWrite<T>(
  deps: Deps,
  { identify, caller, ...limits }: WriteRequest,
  prepare: (spend: Spend) => Promise<OnceExecuted<T>>,
): Promise<OnceAnswered> {
  if (identify === undefined) {
    const { run, format } = await prepare(await admitWrite(deps, limits));
    return { answer: format(await run(deps)), replayed: false };
  }
  await requireRoom(deps, limits.globalWindows);
  let identity: WriteIdentity;
  let answer: Buffer | null;
  try {
    identity = await identify();
    answer = await storedAnswer(deps, identity);
  } catch (error) {
    await limits.take(limits.globalWindows);
    throw error;
  }
  if (answer !== null) {
    await limits.take(limits.globalWindows);
    return { answer, replayed: true };
  }
  const spend = await admitWrite(deps, limits);
  return runOnce(deps, identity, await prepare(spend));
}

/** Takes the global windows if all windows have room. The returned function takes the windows of this write. */
async function admitWrite(
  deps: Deps,
  { globalWindows, ownWindows, take }: Omit<WriteRequest, 'identify' | 'caller'>,
): Promise<Spend> {
  if (ownWindows.length > 0) await requireRoom(deps, [...globalWindows, ...ownWindows]);
  await take(globalWindows);
  return spendOnce(() => take(ownWindows));
}

/**
 * The caller in the scope of idempotency keys. An agent is known by its API key, so that the answer to its deletion can be
 * replayed, and a later agent of the same wallet has a scope of its own.
 */
export const callerOf = (keyHash: string | undefined, ip: string): string =>
  keyHash === undefined ? `ip ${limitKey(ip)}` : `key ${keyHash}`;

/**
 * Dependencies for a read whose answer does not depend on the caller: those with a replica of the database, or `deps` if
 * there is none or the caller has written lately. An agent may have registered without a key, from its address.
 */
export function publicReadDeps(deps: Deps, keyHash: string | undefined, ip: string): Deps {
  if (deps.reads === undefined) return deps;
  const unnamed = callerOf(undefined, ip);
  return deps.reads.depsFor(deps, keyHash === undefined ? [unnamed] : [callerOf(keyHash, ip), unnamed]);
}
