import type { GraphQLSchema } from 'graphql';
import type { Deps } from './deps.js';
import { AgentResolver, agentReader, updateMe } from './features/agents/graphql.js';
import { ClaimResolver, claimMutations } from './features/claims/graphql.js';
import { dashboardQueries } from './features/dashboard/dashboard.js';
import { eventReader, eventTypes, FeedResolver, feedMutations } from './features/feed/graphql.js';
import { followMutation } from './features/follows/graphql.js';
import { replaceKey } from './features/keys/graphql.js';
import { AgentListQueries } from './features/market/graphql.js';
import { StatisticsQueries } from './features/market/statistics-graphql.js';
import { AgentMe, MeQueries, MeResolver, markNotificationsRead, meReader } from './features/me/graphql.js';
import { NotificationQueries, notificationReader } from './features/notices/graphql.js';
import { PriceQueries } from './features/prices/graphql.js';
import { ContractQueries } from './features/pricing/graphql.js';
import { registrationMutations } from './features/registration/graphql.js';
import { SeasonResolver, seasonReader } from './features/seasons/graphql.js';
import { readPayloads, Subscriptions } from './features/subscriptions/graphql.js';
import { TradeResolver, tradeMutations, tradeReader } from './features/trading/graphql.js';
import { AgentPnl, WalletResolver } from './features/trading/holdings-graphql.js';
import { buildSchema, type Features } from './server/graphql/schema.js';
import { GraphqlFace } from './server/graphql/server.js';
import { nodeQueries } from './server/graphql/types/nodes.js';
import type { ReadPayloads } from './server/live/watch.js';

export const features = {
  resolvers: [
    ContractQueries,
    NotificationQueries,
    AgentResolver,
    updateMe,
    AgentListQueries,
    StatisticsQueries,
    ClaimResolver,
    ...claimMutations,
    followMutation,
    TradeResolver,
    ...tradeMutations,
    PriceQueries,
    AgentPnl,
    WalletResolver,
    FeedResolver,
    ...feedMutations,
    SeasonResolver,
    ...registrationMutations,
    AgentMe,
    MeResolver,
    MeQueries,
    markNotificationsRead,
    Subscriptions,
    nodeQueries([agentReader, eventReader, tradeReader, seasonReader, notificationReader, meReader]),
  ],
  keyReplacement: [replaceKey],
  orphanedTypes: eventTypes,
  readPayloads,
} satisfies Features & { readonly readPayloads: ReadPayloads };

const schema = buildSchema(features);

/** The schema, which is built once. With `keyReplacement`, each call builds one that can replace keys. */
export const graphqlSchema = ({ keyReplacement = false } = {}): GraphQLSchema =>
  keyReplacement ? buildSchema(features, { keyReplacement }) : schema;

export async function graphqlFace(deps: Deps): Promise<GraphqlFace> {
  const schema = graphqlSchema({ keyReplacement: deps.config.KEY_REPLACEMENT === 'on' });
  const face = new GraphqlFace(deps, schema, readPayloads, dashboardQueries());
  await face.start();
  return face;
}
