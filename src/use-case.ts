import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from './deps.js';
import type { Actor } from './keys.js';

/**
 * Whether an operation needs an API key. `none`: the answer does not depend on the key. `optional`: the answer contains more with a
 * key. `required`: calls without a key are refused. A key that is sent is always checked, and the call counts in its limits.
 */
export type Auth = 'none' | 'optional' | 'required';

/** What a use case gets with each call, in addition to the input. */
export type Ctx<A extends Auth = Auth> = {
  readonly deps: Deps;
  readonly actor: A extends 'required' ? Actor : A extends 'optional' ? Actor | null : null;
  /** The client's IP address, as determined by TRUST_PROXY. */
  readonly ip: string;
  /** Counts the call in the limits of the operation, once. `prepare` calls it before it asks a part outside the service. */
  readonly count: () => Promise<void>;
};

/** A write in three steps. */
export type UseCase<A extends Auth = Auth, Input = unknown, Prepared = unknown, Result = unknown> = {
  /** Checks the input, outside of a transaction: no lock waits for the rate limiter or for a part outside the service. */
  prepare(ctx: Ctx<A>, input: Input): Prepared | Promise<Prepared>;
  /** Changes the database, in one transaction. An answer that a retry must get is stored in the same transaction. */
  effect(tx: SqlEntityManager, prepared: Prepared, ctx: Ctx<A>): Promise<Result>;
  /** Does what follows the commit. A crash may prevent it, so nothing must rely on it. */
  after?(ctx: Ctx<A>, result: Result): void | Promise<void>;
  /** False if no other caller reads the changes. The write then makes no cached value stale. @default true */
  readonly invalidates?: boolean;
};
