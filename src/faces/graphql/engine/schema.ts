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
import { PriceChangeResolver, Subscriptions } from '../resolvers/subscriptions.js';
import { countOnDemand } from '../types/connection.js';
import { EventAgent, EventTrader, FeedResolver } from '../types/feed.js';
import { types } from '../types/objects.js';
import { SeasonResolver, StandingAgent } from '../types/season.js';
import { TradeResolver } from '../types/trade.js';
import { callDirectly } from './direct.js';

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
      PriceChangeResolver,
      Subscriptions,
      EventTrader,
      TradeResolver,
      TrendAgent,
    ],
    // Reached through their interface alone.
    orphanedTypes: [types.RegisteredEvent, types.BoughtEvent, types.SoldEvent, types.StatusEvent],
    validate: false,
    pubSub: unused,
  });
  callDirectly(built);
  countOnDemand(built);
  return built;
}

export const schemaText = (): string => `${printSchema(lexicographicSortSchema(graphqlSchema()))}\n`;
