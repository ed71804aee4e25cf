import { randomUUID } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import type { Write } from '../../store/write.js';
import { every } from '../../times.js';
import { releaseLease, renewLease, storeAnswer, takeLease } from './records.js';
import type { WriteIdentity } from './rules.js';

export type OnceAnswered = {
  readonly answer: Buffer;
  /** Whether the answer was stored by an earlier request. */
  readonly replayed: boolean;
};

/**
 * A use case, and a function that makes the answer from its result. The answer must be known before the commit, so
 * `format` must not wait.
 */
export type OnceExecuted<T> = {
  run(deps: Deps): Promise<T>;
  format(result: T): Buffer;
};

/**
 * Executes a write once per idempotency key. The answer is stored in the transaction that `run` marks as its effect: both
 * are committed, or none. A retry gets this answer. If `run` throws, nothing is stored, and a retry executes the write.
 */
export async function runOnce<T>(
  deps: Deps,
  identity: WriteIdentity,
  { run, format }: OnceExecuted<T>,
): Promise<OnceAnswered> {
  const lease = await takeLease(deps, identity, randomUUID());
  if ('answer' in lease) return { answer: lease.answer, replayed: true };
  const endRenewals = every(deps.times, deps.times.writeLease / 3, () => {
    // After a failure the next renewal may succeed. If the lease is lost, storing the answer fails.
    renewLease(deps, identity, lease).catch(() => undefined);
  });
  let answer: Buffer | undefined;
  const store = async (tx: SqlEntityManager, result: T): Promise<void> => {
    answer = format(result);
    await storeAnswer(tx, identity, lease, answer);
  };
  try {
    const result = await run({ ...deps, write: storingWrite(deps.write, store as StoreResult) });
    // The use case changed nothing in the database, so its answer is stored in a transaction of its own.
    if (answer === undefined) await deps.write((tx) => store(tx, result), { invalidates: false });
    return { answer: answer as unknown as Buffer, replayed: false };
  } catch (error) {
    await releaseLease(deps, identity, lease).catch(() => undefined);
    throw error;
  } finally {
    endRenewals();
  }
}

type StoreResult = (tx: SqlEntityManager, result: unknown) => Promise<void>;

/** Wraps `write`: the transaction that is the effect of the use case calls `store` at its end. */
const storingWrite =
  (write: Write, store: StoreResult): Write =>
  (work, options) =>
    options?.effect
      ? write(async (tx) => {
          const result = await work(tx);
          await store(tx, result);
          return result;
        }, options)
      : write(work, options);
