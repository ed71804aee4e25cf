import type { Config } from '../config/config.js';
import type { GraphqlPart } from '../server/graphql/schema.js';
import type { Operation } from '../server/operation.js';
import type { PathLimits } from '../server/rate-limits.js';

/**
 * Everything that a feature serves. `features.ts` collects the features, and all endpoints, tools and GraphQL types come from
 * there.
 */
export type Feature = {
  /** The tags of its endpoints in OpenAPI, with their descriptions. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Rate limits of its paths outside /api. */
  readonly limits?: PathLimits;
  /** Its endpoints and MCP tools, in the order in which OpenAPI and `/docs` list them. */
  readonly operations?: readonly Operation[] | ((config: Config) => readonly Operation[]);
  /**
   * GraphQL types and resolvers, as functions that import them. Only `src/features/graphql.ts` calls these functions. It is loaded
   * after the start of the service, or at the first GraphQL request, so the imports do not delay the start.
   */
  readonly graphql?: readonly (() => Promise<GraphqlPart>)[];
};
