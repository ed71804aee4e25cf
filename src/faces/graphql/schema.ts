import 'reflect-metadata';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync, type PubSub } from 'type-graphql';
import { AgentFigures } from './agent.js';
import { AgentQueries, TrendResolver } from './agents.js';
import { countOnDemand } from './connection.js';
import { ContractQueries } from './contract.js';
import { callDirectly } from './direct.js';
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
import { PriceChangeResolver, Subscriptions } from './subscriptions.js';
import { TradeResolver } from './trade.js';

/** Asked for where there are subscriptions. Each of ours says itself what it watches, and the hub follows it. */
const unused: PubSub = {
  publish() {},
  subscribe() {
    throw new Error('nothing is published here');
  },
};

let built: GraphQLSchema | undefined;

/** The schema, made from the declarations once a process. Arguments are judged by their scalars and by the core. */
export function graphqlSchema(): GraphQLSchema {
  if (built) return built;
  built = buildSchemaSync({
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
  callDirectly(built);
  countOnDemand(built);
  return built;
}

export const schemaText = (): string => `${printSchema(lexicographicSortSchema(graphqlSchema()))}\n`;
