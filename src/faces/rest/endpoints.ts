import type { Config } from '../../config.js';
import { operations } from '../../server/health/operations.js';
import type { Endpoint } from '../../server/rest/endpoint.js';
import { meAlias } from '../../server/rest/me-aliases.js';
import { agentDetails, holdings } from '../../features/market/agent-detail.js';
import { agentLists } from '../../features/market/operations.js';
import { agents } from '../../features/agents/operations.js';
import { availability } from './agents/availability.js';
import { follows } from '../../features/follows/operations.js';
import { keyReplacementEndpoint } from '../../features/keys/operations.js';
import { meEndpoints, remove } from '../../features/me/operations.js';
import { verificationEndpoints } from '../../features/claims/operations.js';
import { apiIndex } from '../../features/guides/api-index.js';
import { skillVersion } from '../../features/guides/skill-version.js';
import { contract } from '../../features/pricing/operations.js';
import { pnlEndpoints } from '../../features/trading/pnl-operations.js';
import { pricing } from '../../features/prices/operations.js';
import { tickets } from '../../features/trading/operations.js';
import { trades } from '../../features/trading/trade-operations.js';
import { trending } from '../../features/market/trending-operation.js';
import { wallets } from '../../features/trading/wallet-operations.js';
import { development } from '../../features/development/dev.js';
import { feedEndpoints } from '../../features/feed/operations.js';
import { heartbeat } from '../../features/me/heartbeat-operation.js';
import { notificationList } from '../../features/notices/operations.js';
import { seasons } from '../../features/seasons/operations.js';

/** All endpoints. Their order is that of the documentation; `mount` sorts the routes. */
export function endpoints(config: Config): readonly Endpoint[] {
  return [
    ...operations,
    contract,
    availability,
    ...agents,
    ...(config.KEY_REPLACEMENT === 'on' ? [keyReplacementEndpoint] : []),
    ...verificationEndpoints,
    ...follows,
    ...agentLists,
    trending,
    ...agentDetails,
    ...wallets,
    ...pricing(config),
    ...tickets,
    ...trades,
    ...pnlEndpoints,
    ...feedEndpoints,
    notificationList,
    ...seasons,
    ...meEndpoints,
    ...[holdings, ...follows, ...trades, remove].map(meAlias),
    heartbeat,
    skillVersion,
    apiIndex,
    ...(config.chainEmbedded ? development : []),
  ];
}
