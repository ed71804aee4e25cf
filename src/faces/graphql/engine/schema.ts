import 'reflect-metadata';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync, type PubSub } from 'type-graphql';
import { AgentQueries } from '../resolvers/agents.js';
import { ContractQueries } from '../resolvers/contract.js';
import { KeyReplacementMutation } from '../resolvers/key-replacement.js';
import { AgentWalletResolver, MarketQueries } from '../resolvers/market.js';
import { MeQueries, MeResolver } from '../resolvers/me.js';
import { Mutations } from '../resolvers/mutations.js';
import { NodeQueries } from '../resolvers/nodes.js';
import { NotificationResolver } from '../resolvers/notifications.js';
import { PricingResolver } from '../resolvers/pricing.js';
import { AgentPnl } from '../resolvers/relations.js';
import { Subscriptions } from '../resolvers/subscriptions.js';
import { addIdempotencyKeys } from '../resolvers/writes.js';
import { countOnDemand } from '../types/connection.js';
import { FeedResolver } from '../types/feed.js';
import { resolveInterfaces } from '../types/generate.js';
import { resources, types } from '../types/objects.js';
import { SeasonResolver } from '../types/season.js';
import { TradeQueries } from '../types/trade.js';

/** Builds the schema from the decorated classes. Scalars and the core validate arguments. */
function buildSchema(keyReplacement: boolean): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      AgentPnl,
      AgentQueries,
      AgentWalletResolver,
      ContractQueries,
      FeedResolver,
      MarketQueries,
      MeQueries,
      MeResolver,
      Mutations,
      NodeQueries,
      NotificationResolver,
      PricingResolver,
      SeasonResolver,
      Subscriptions,
      TradeQueries,
      ...(keyReplacement ? [KeyReplacementMutation] : []),
    ],
    // No field has these types: queries reach them only through their interface.
    orphanedTypes: [types.RegisteredEvent, types.BoughtEvent, types.SoldEvent, types.StatusEvent],
    validate: false,
    // type-graphql requires a PubSub for subscriptions, but nothing calls it: the hub sends the events.
    pubSub: {} as PubSub,
  });
  countOnDemand(schema);
  addIdempotencyKeys(schema);
  resolveInterfaces(schema, Object.values(resources));
  describeRoots(schema);
  return schema;
}

/** Describes the schema and its roots, for which type-graphql has no place. */
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

const schema = buildSchema(false);

/** The schema, which is built once. With `keyReplacement`, each call builds one that can replace keys. */
export const graphqlSchema = ({ keyReplacement = false } = {}): GraphQLSchema =>
  keyReplacement ? buildSchema(true) : schema;

export const schemaText = (of = schema): string => `${printSchema(lexicographicSortSchema(of))}\n`;
