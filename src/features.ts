import type { Config } from './config.js';
import { availability, change, status } from './features/agents/operations.js';
import { verificationEndpoints } from './features/claims/operations.js';
import { development } from './features/development/dev.js';
import { feedEndpoints } from './features/feed/operations.js';
import { getFeed, post, reactTool } from './features/feed/tools.js';
import { follows, toggleFollow } from './features/follows/operations.js';
import { followTool } from './features/follows/tools.js';
import { apiIndex, skillVersion } from './features/guides/operations.js';
import { keyReplacementEndpoint } from './features/keys/operations.js';
import { agentDetails, agentLists, holdings, trending } from './features/market/operations.js';
import { getAgent, leaderboard, listTool, searchTool, trendingTool } from './features/market/tools.js';
import { heartbeat, meEndpoints } from './features/me/operations.js';
import { heartbeatTool } from './features/me/tools.js';
import { notificationList } from './features/notices/operations.js';
import { pricing } from './features/prices/operations.js';
import { getCandles, getPrice, quoteTrade } from './features/prices/tools.js';
import { contract } from './features/pricing/operations.js';
import { registrationEndpoint, remove } from './features/registration/operations.js';
import { seasons } from './features/seasons/operations.js';
import { getSeason } from './features/seasons/tools.js';
import { tickets, trades } from './features/trading/operations.js';
import { getPnl, recordTool } from './features/trading/tools.js';
import { pnlEndpoints, wallets } from './features/trading/wallet-operations.js';
import { operations } from './server/health/operations.js';
import type { Tool } from './server/mcp/tool.js';
import type { Endpoint } from './server/rest/endpoint.js';
import { meAlias } from './server/rest/me-aliases.js';

/** All endpoints. Their order is that of the documentation; `mount` sorts the routes. */
export function endpoints(config: Config): readonly Endpoint[] {
  return [
    ...operations,
    contract,
    availability,
    registrationEndpoint,
    status,
    change,
    toggleFollow,
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

/** All tools of MCP, in the order of the list. */
export const toolsFor = ({ TICKET_CALLBACKS }: Config): readonly Tool[] => [
  searchTool,
  getAgent,
  listTool,
  leaderboard,
  trendingTool,
  getCandles,
  getPrice,
  quoteTrade,
  ...(TICKET_CALLBACKS === 'on' ? [recordTool] : []),
  getFeed,
  getSeason,
  post,
  followTool,
  reactTool,
  heartbeatTool,
  getPnl,
];
