import 'reflect-metadata';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { AgentFigures } from './agent.js';
import { AgentQueries, TrendResolver } from './agents.js';
import {
  BoughtEvent,
  FeedEventResolver,
  FeedResolver,
  RegisteredEvent,
  SoldEvent,
  StatusEvent,
  TradeEventResolver,
} from './feed.js';
import { AgentWalletResolver, ClaimInfoResolver, MarketQueries } from './market.js';
import { MeQueries, MeResolver } from './me.js';
import { Mutations } from './mutations.js';
import { PricingResolver } from './pricing.js';
import { AgentRelations, FollowResolver, HolderResolver, HoldingResolver } from './relations.js';
import { SeasonResolver, StandingResolver } from './season.js';
import { TradeResolver } from './trade.js';

let built: GraphQLSchema | undefined;

/** The schema, made from the declarations once a process. Arguments are judged by their scalars and by the core. */
export function graphqlSchema(): GraphQLSchema {
  built ??= buildSchemaSync({
    resolvers: [
      AgentFigures,
      AgentQueries,
      AgentRelations,
      AgentWalletResolver,
      ClaimInfoResolver,
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
      TradeEventResolver,
      TradeResolver,
      TrendResolver,
    ],
    // Reached through their interface alone.
    orphanedTypes: [RegisteredEvent, BoughtEvent, SoldEvent, StatusEvent],
    validate: false,
  });
  return built;
}

export const schemaText = (): string => `${printSchema(lexicographicSortSchema(graphqlSchema()))}\n`;
