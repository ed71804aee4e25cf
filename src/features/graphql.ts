import type { GraphQLSchema } from 'graphql';
import type { Deps } from '../deps.js';
import { buildSchema, type GraphqlSettings } from '../server/graphql/schema.js';
import { GraphqlApi } from '../server/graphql/server.js';
import { dashboardQueries } from './dashboard/dashboard.js';
import { features } from './features.js';
import { readPayloads } from './subscriptions/graphql.js';

// Loads the parts one after the other, because introspection lists types and fields in the order in which they are registered.
const parts = await Array.fromAsync(
  features.flatMap(({ graphql = [] }) => graphql),
  (load) => load(),
);

const schema = buildSchema(parts, { KEY_REPLACEMENT: 'off' });

/**
 * The GraphQL schema, which is built once. With KEY_REPLACEMENT=on, each call builds a schema that also has the mutation
 * `replaceKey`.
 */
export const graphqlSchema = (settings?: GraphqlSettings): GraphQLSchema =>
  settings?.KEY_REPLACEMENT === 'on' ? buildSchema(parts, settings) : schema;

/** Starts GraphQL, with the reader of live events, and with the queries of the dashboard, whose documents stay parsed. */
export async function graphqlApi(deps: Deps): Promise<GraphqlApi> {
  const api = new GraphqlApi(deps, graphqlSchema(deps.config), readPayloads, dashboardQueries());
  await api.start();
  return api;
}
