import 'reflect-metadata';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync, type PubSub } from 'type-graphql';
import { AgentQueries, TrendAgent } from '../resolvers/agents.js';
import { ContractQueries } from '../resolvers/contract.js';
import { AgentWalletResolver, ClaimAgent, MarketQueries } from '../resolvers/market.js';
import { MeQueries, MeResolver } from '../resolvers/me.js';
import { Mutations } from '../resolvers/mutations.js';
import { PricingResolver } from '../resolvers/pricing.js';
import { AgentRelations, FollowAgent, HolderAgent, HoldingAgent } from '../resolvers/relations.js';
import { PriceAgent, Subscriptions } from '../resolvers/subscriptions.js';
import { countOnDemand } from '../types/connection.js';
import { EventAgent, EventTrader, FeedResolver } from '../types/feed.js';
import { resolveInterfaces } from '../types/generate.js';
import { resources, types } from '../types/objects.js';
import { SeasonResolver, StandingAgent } from '../types/season.js';
import { TradeAgent, TradeQueries, TradeTrader } from '../types/trade.js';

/** type-graphql requires a PubSub for subscriptions, but nothing calls it: the hub sends the events. */
const unusedPubSub: PubSub = {
  publish() {},
  subscribe() {
    throw new Error('The PubSub is not used');
  },
};

/** Builds the schema from the decorated classes. Scalars and the core validate arguments. */
function buildSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      AgentQueries,
      AgentRelations,
      AgentWalletResolver,
      ClaimAgent,
      ContractQueries,
      EventAgent,
      FeedResolver,
      FollowAgent,
      HolderAgent,
      HoldingAgent,
      MarketQueries,
      MeQueries,
      MeResolver,
      Mutations,
      PricingResolver,
      SeasonResolver,
      StandingAgent,
      PriceAgent,
      Subscriptions,
      EventTrader,
      TradeAgent,
      TradeQueries,
      TradeTrader,
      TrendAgent,
    ],
    // No field has these types; they are reached only through their interface.
    orphanedTypes: [types.RegisteredEvent, types.BoughtEvent, types.SoldEvent, types.StatusEvent],
    validate: false,
    pubSub: unusedPubSub,
  });
  countOnDemand(schema);
  resolveInterfaces(schema, Object.values(resources));
  return schema;
}

const schema = buildSchema();

export const graphqlSchema = (): GraphQLSchema => schema;

export const schemaText = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
