import type { Config } from '../config/config.js';
import type { GraphqlPart } from '../server/graphql/schema.js';
import type { Operation } from '../server/operation.js';
import type { PathLimits } from '../server/rate-limits.js';

/** What a feature serves. */
export type Feature = {
  /** The tags of its endpoints in OpenAPI, with what they stand for. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Limits of its paths outside /api. */
  readonly limits?: PathLimits;
  /** In the order of the documents. */
  readonly operations?: readonly Operation[] | ((config: Config) => readonly Operation[]);
  /** Types and resolvers. They are loaded with GraphQL, at its first request. */
  readonly graphql?: readonly (() => Promise<GraphqlPart>)[];
};
