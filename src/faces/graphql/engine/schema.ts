import 'reflect-metadata';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync, type PubSub } from 'type-graphql';
import { AgentQueries, TrendResolver } from '../resolvers/agents.js';
import { ContractQueries } from '../resolvers/contract.js';
import { AgentWalletResolver, ClaimInfoResolver, MarketQueries } from '../resolvers/market.js';
import { MeQueries, MeResolver } from '../resolvers/me.js';
import { Mutations } from '../resolvers/mutations.js';
import { PricingResolver } from '../resolvers/pricing.js';
import { AgentRelations, FollowResolver, HolderResolver, HoldingResolver } from '../resolvers/relations.js';
import { PriceChangeResolver, Subscriptions } from '../resolvers/subscriptions.js';
import { AgentFigures } from '../types/agent.js';
import { countOnDemand } from '../types/connection.js';
import {
  BoughtEvent,
  FeedEventResolver,
  FeedResolver,
  RegisteredEvent,
  resolveEventTypes,
  SoldEvent,
  StatusEvent,
  TradeEventResolver,
} from '../types/feed.js';
import { SeasonResolver, StandingResolver } from '../types/season.js';
import { TradeResolver } from '../types/trade.js';

/** type-graphql requires one for subscriptions. Ours return what they watch instead, and the hub sends the events. */
const unused: PubSub = {
  publish() {},
  subscribe() {
    throw new Error('nothing is published here');
  },
};

/** Builds the schema from the decorated classes. Scalars and the core validate arguments. */
function buildSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      AgentFigures,
      AgentQueries,
      AgentRelations,
      AgentWalletResolver,
      ClaimInfoResolver,
      ContractQueries,
      FeedEventResolver,
      FeedResolver,
      FollowResolver,
      HolderResolver,
      HoldingResolver,
      MarketQueries,
      MeQueries,
      MeResolver,
      Mutations,
      PricingResolver,
      SeasonResolver,
      StandingResolver,
      PriceChangeResolver,
      Subscriptions,
      TradeEventResolver,
      TradeResolver,
      TrendResolver,
    ],
    // Reached through their interface alone.
    orphanedTypes: [RegisteredEvent, BoughtEvent, SoldEvent, StatusEvent],
    validate: false,
    pubSub: unused,
  });
  countOnDemand(schema);
  resolveEventTypes(schema);
  return schema;
}

const schema = buildSchema();

export const graphqlSchema = (): GraphQLSchema => schema;

export const schemaText = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
