import type { Config } from '../../config.js';
import { agentDetails, holdings } from './agents/agent-detail.js';
import { agentLists } from './agents/agent-lists.js';
import { agents } from './agents/agents.js';
import { availabilityEndpoints } from './agents/availability.js';
import { follows } from './agents/follows.js';
import { meEndpoints, remove } from './agents/me.js';
import { meAlias } from './agents/me-aliases.js';
import { verificationEndpoints } from './agents/verification.js';
import type { Endpoint } from './endpoint.js';
import { contractEndpoints } from './market/contract.js';
import { pnl } from './market/pnl.js';
import { pricing } from './market/prices.js';
import { tickets } from './market/tickets.js';
import { trades } from './market/trades.js';
import { trending } from './market/trending.js';
import { wallets } from './market/wallets.js';
import { operations } from './openapi/operations.js';
import { development } from './operator/dev.js';
import { feedEndpoints } from './social/feed.js';
import { heartbeat } from './social/heartbeat.js';
import { notifications } from './social/notifications.js';
import { seasons } from './social/seasons.js';

/** All endpoints. Their order is that of the documentation; `mount` sorts the routes. */
export function endpoints(config: Config): readonly Endpoint[] {
  return [
    ...operations,
    ...contractEndpoints,
    ...availabilityEndpoints,
    ...agents,
    ...verificationEndpoints,
    ...follows,
    ...agentLists,
    ...trending,
    ...agentDetails,
    ...wallets,
    ...pricing(config),
    ...tickets,
    ...trades,
    ...pnl,
    ...feedEndpoints,
    ...notifications,
    ...seasons,
    ...meEndpoints,
    ...[holdings, ...follows, ...trades, remove].map(meAlias),
    ...heartbeat,
    ...(config.chainEmbedded ? development : []),
  ];
}
