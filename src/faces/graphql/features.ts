import type { Features } from './engine/schema.js';
import { AgentListQueries } from './features/agent-lists.js';
import { StatisticsQueries } from './features/agent-statistics.js';
import { AgentResolver, agentReader, KeyReplacementMutation } from './features/agents.js';
import { ClaimResolver } from './features/claims.js';
import { eventReader, eventTypes, FeedResolver } from './features/feed.js';
import { FollowMutations } from './features/follows.js';
import { AgentMe, MeQueries, MeResolver, meReader } from './features/me.js';
import { NotificationQueries, notificationReader } from './features/notices.js';
import { ContractQueries } from './features/pricing.js';
import { RegistrationMutations } from './features/registration.js';
import { SeasonResolver, seasonReader } from './features/seasons.js';
import { readPayloads, Subscriptions } from './features/subscriptions.js';
import { TradeResolver, tradeReader } from './features/trading.js';
import { AgentPnl, WalletResolver } from './features/trading-holdings.js';
import { PriceQueries } from './features/trading-prices.js';
import type { ReadPayloads } from './live/payloads.js';
import { nodeQueries } from './types/nodes.js';

/** What the features add to the GraphQL face. */
export const features = {
  resolvers: [
    ContractQueries,
    NotificationQueries,
    AgentResolver,
    AgentListQueries,
    StatisticsQueries,
    ClaimResolver,
    FollowMutations,
    TradeResolver,
    PriceQueries,
    AgentPnl,
    WalletResolver,
    FeedResolver,
    SeasonResolver,
    RegistrationMutations,
    AgentMe,
    MeResolver,
    MeQueries,
    Subscriptions,
    nodeQueries([agentReader, eventReader, tradeReader, seasonReader, notificationReader, meReader]),
  ],
  keyReplacement: [KeyReplacementMutation],
  orphanedTypes: eventTypes,
  readPayloads,
} satisfies Features & { readonly readPayloads: ReadPayloads };
