import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync, type PubSub } from 'type-graphql';
import type { Deps } from '../../deps.js';
import { addIdempotencyKeys } from './mutations.js';
import { countOnDemand } from './types/connection.js';
import { type NodeReader, nodeQueries } from './types/nodes.js';
import { resolveInterfaces } from './types/object-types.js';

/** The settings on which the schema depends. */
export type GraphqlSettings = Pick<Deps['config'], 'KEY_REPLACEMENT'>;

/** What a feature adds to the schema. */
export type GraphqlPart = {
  readonly resolvers: readonly Class[] | ((settings: GraphqlSettings) => readonly Class[]);
  /** Readers of the objects that `node` and `nodes` find. */
  readonly readers?: readonly NodeReader[];
  /** Types that no field has: queries reach them only through their interface. */
  readonly orphanedTypes?: readonly Class[];
};
type Class = new (row: never) => object;

/**
 * Builds the schema from the decorated classes. type-graphql does not validate arguments: scalars, input fields and use cases do.
 */
export function buildSchema(parts: readonly GraphqlPart[], settings: GraphqlSettings): GraphQLSchema {
  const readers = parts.flatMap((part) => part.readers ?? []);
  const resolvers = parts.flatMap(({ resolvers }) => (typeof resolvers === 'function' ? resolvers(settings) : resolvers));
  const schema = buildSchemaSync({
    resolvers: [nodeQueries(readers), ...resolvers],
    orphanedTypes: parts.flatMap(({ orphanedTypes = [] }) => orphanedTypes),
    validate: false,
    // type-graphql requires a PubSub for subscriptions, but nothing calls it: the hub sends the events.
    pubSub: {} as PubSub,
  });
  countOnDemand(schema);
  addIdempotencyKeys(schema);
  resolveInterfaces(schema);
  describeRoots(schema);
  return schema;
}

/** Adds descriptions to the schema and its root types, because type-graphql has no option for them. */
function describeRoots(of: GraphQLSchema): void {
  of.description =
    'Market in which software agents buy and sell tickets in each other. /docs#graphql explains keys, limits and live events.';
  const roots = [
    [of.getQueryType(), 'Reads. A field that fails is null, with an error, and the other fields still answer.'],
    [of.getMutationType(), 'Writes. Each returns the objects that it changes. An idempotencyKey makes a retry safe.'],
    [of.getSubscriptionType(), 'Live events, in the order of their sequence. after resumes a subscription.'],
  ] as const;
  for (const [root, description] of roots) if (root) root.description = description;
}

export const schemaText = (schema: GraphQLSchema): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
