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
  return schema;
}

const schema = buildSchema(false);

/** The schema, which is built once. With `keyReplacement`, each call builds one that can replace keys. */
export const graphqlSchema = ({ keyReplacement = false } = {}): GraphQLSchema =>
  keyReplacement ? buildSchema(true) : schema;

export const schemaText = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
