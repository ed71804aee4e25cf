import 'reflect-metadata';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchemaSync, type PubSub } from 'type-graphql';
import { AgentQueries, TrendAgent } from '../resolvers/agents.js';
import { ContractQueries } from '../resolvers/contract.js';
import { addIdempotencyKeys } from '../resolvers/idempotency-key.js';
import { KeyReplacementMutation } from '../resolvers/key-replacement.js';
import { AgentWalletResolver, ClaimAgent, MarketQueries } from '../resolvers/market.js';
import { MeQueries, MeResolver } from '../resolvers/me.js';
import { Mutations } from '../resolvers/mutations.js';
import { PricingResolver } from '../resolvers/pricing.js';
import { AgentPnl, AgentRelations, FollowAgent, HolderAgent, HoldingAgent } from '../resolvers/relations.js';
import { PriceAgent, Subscriptions } from '../resolvers/subscriptions.js';
import { countOnDemand } from '../types/connection.js';
import { EventAgent, EventTrader, FeedResolver } from '../types/feed.js';
import { resolveInterfaces } from '../types/generate.js';
import { resources, types } from '../types/objects.js';
import { SeasonResolver, StandingAgent } from '../types/season.js';
import { TradeAgent, TradeQueries, TradeTrader } from '../types/trade.js';
import { directFields, resolveDirectly } from './direct.js';

/** type-graphql requires a PubSub for subscriptions, but nothing calls it: the hub sends the events. */
const unusedPubSub: PubSub = {
  publish() {},
  subscribe() {
    throw new Error('The PubSub is not used');
  },
};

/** Fields that resolve to an agent. */
const agentFields = [
  ClaimAgent,
  EventAgent,
  EventTrader,
  FollowAgent,
  HolderAgent,
  HoldingAgent,
  PriceAgent,
  StandingAgent,
  TradeAgent,
  TradeTrader,
  TrendAgent,
] as const;

/** Options that add optional parts to the schema. */
export type SchemaOptions = {
  /** @default false */
  readonly keyReplacement?: boolean;
};

/** Builds the schema from the decorated classes. Scalars and the core validate arguments. */
function buildSchema({ keyReplacement }: SchemaOptions): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      ...agentFields,
      AgentPnl,
      AgentQueries,
      AgentRelations,
      AgentWalletResolver,
      ContractQueries,
      FeedResolver,
      MarketQueries,
      MeQueries,
      MeResolver,
      Mutations,
      PricingResolver,
      SeasonResolver,
      Subscriptions,
      TradeQueries,
      ...(keyReplacement ? [KeyReplacementMutation] : []),
    ],
    // No field has these types: queries reach them only through their interface.
    orphanedTypes: [types.RegisteredEvent, types.BoughtEvent, types.SoldEvent, types.StatusEvent],
    validate: false,
    pubSub: unusedPubSub,
  });
  countOnDemand(schema);
  addIdempotencyKeys(schema);
  resolveInterfaces(schema, Object.values(resources));
  resolveDirectly(schema, [...agentFields.map(({ direct }) => direct), ...directFields('Agent', AgentRelations)]);
  return schema;
}

const schema = buildSchema({});

/**
 * Returns the schema. The schema with the default options is built once. With other options, each call builds a schema.
 */
export const graphqlSchema = (options: SchemaOptions = {}): GraphQLSchema =>
  options.keyReplacement ? buildSchema(options) : schema;

export const schemaText = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
