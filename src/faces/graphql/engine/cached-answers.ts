import type { DocumentNode, FormattedExecutionResult, GraphQLSchema } from 'graphql';
import type { Deps } from '../../../deps.js';
import type { Actor } from '../../access/authenticate.js';
import { type Bytes, bytesOf } from '../../http/public-answer.js';
import { hasUncacheableField } from './uncacheable.js';
import type { Operation } from './validate.js';

/** Use of the cache by a call. `bypass` answers as if the cache were empty. undefined makes every answer private. */
export type CacheUse = 'read' | 'bypass' | undefined;

/** An answer for one caller only. It is not cached. */
export type PrivateAnswer = { readonly kind: 'private'; readonly result: FormattedExecutionResult };
export type Answer = PrivateAnswer | { readonly kind: 'public'; readonly bytes: Bytes };

/**
 * Error that `load` throws to return a result that must not be cached. The cache does not store a value if loading it
 * throws.
 */
class UncacheableResult extends Error {
  constructor(readonly result: FormattedExecutionResult) {
    super('not cached');
  }
}

/** Stage 4: answers public queries of callers without a key from a cache with a TTL of one second. */
export class CachedAnswers {
  readonly #isCacheable = new WeakMap<DocumentNode, boolean>();

  constructor(private readonly schema: GraphQLSchema) {}

  /** `execute` runs the remaining stages. Concurrent calls for the same answer share one execution. */
  async lookUp(
    { caches }: Pick<Deps, 'caches'>,
    operation: Operation,
    { actor, cache }: { readonly actor: Actor | null; readonly cache?: CacheUse },
    execute: () => Promise<FormattedExecutionResult>,
  ): Promise<Answer> {
    if (cache === undefined || actor !== null || !this.isPublic(operation)) {
      return { kind: 'private', result: await execute() };
    }
    const load = async () => {
      const result = await execute();
      if (result.errors) throw new UncacheableResult(result);
      return bytesOf(JSON.stringify(result));
    };
    try {
      const { documentHash, operationName = '', variableValues } = operation;
      const key = `${documentHash} ${operationName} ${JSON.stringify(variableValues)}`;
      const answers = caches.graphqlAnswers;
      const bytes = cache === 'bypass' ? await load() : await answers.get(key, load, ({ bytes }) => bytes.length);
      return { kind: 'public', bytes };
    } catch (error) {
      if (error instanceof UncacheableResult) return { kind: 'private', result: error.result };
      throw error;
    }
  }

  /** Whether the answer is the same for all callers and contains nothing that was read from the chain. */
  isPublic({ document, node }: Operation): boolean {
    if (node.operation !== 'query') return false;
    let isCacheable = this.#isCacheable.get(document);
    if (isCacheable === undefined) {
      isCacheable = !hasUncacheableField(this.schema, document);
      this.#isCacheable.set(document, isCacheable);
    }
    return isCacheable;
  }
}
