import type { Config } from './config.js';
import { availability, change, status } from './features/agents/operations.js';
import { claimDeletion, claimLookup, verification } from './features/claims/operations.js';
import { development } from './features/development/operations.js';
import { feed, getFeed, like, post, reactTool, repost } from './features/feed/operations.js';
import { follows, toggleFollow } from './features/follows/operations.js';
import { apiIndex, skillVersion } from './features/guides/operations.js';
import { keyReplacementEndpoint } from './features/keys/operations.js';
import { agentDetail, getAgent, holdings } from './features/market/agent-operations.js';
import { agentList, leaderboard, search, trending } from './features/market/operations.js';
import { heartbeat, heartbeatTool, me, meAlias } from './features/me/operations.js';
import { notificationList } from './features/notices/operations.js';
import { candleList, getCandles } from './features/prices/candle-operations.js';
import { priceEndpoint, quoteEndpoint, quoteTrade } from './features/prices/operations.js';
import { contract } from './features/pricing/operations.js';
import { registrationEndpoint, remove } from './features/registration/operations.js';
import { getSeason, runningSeason, seasonLeaderboard, seasonList } from './features/seasons/operations.js';
import { getTrades, recordBuy, recordSell, recordTool, tradeList } from './features/trading/operations.js';
import { agentBalance, agentPnl, getPnl, myBalance, myPnl, walletInfo } from './features/trading/wallet-operations.js';
import { operations } from './server/health/operations.js';
import { type Endpoint, isTool, type Operation, type Tool } from './server/operation.js';
import { SCOUT } from './server/rest/examples.js';

/** All endpoints. Their order is that of the documentation. */
export function endpoints(config: Config): readonly Endpoint[] {
  return [
    ...operations,
    contract,
    ...[availability, registrationEndpoint, status, change, toggleFollow],
    ...(config.KEY_REPLACEMENT === 'on' ? [keyReplacementEndpoint] : []),
    ...[verification, claimLookup, claimDeletion],
    ...follows,
    ...[agentList, leaderboard, search, trending, agentDetail, holdings],
    ...[myBalance, agentBalance, walletInfo],
    ...[priceEndpoint, quoteEndpoint(config)],
    ...[recordBuy, recordSell, tradeList, candleList],
    ...[myPnl, agentPnl],
    ...[feed, post, like, repost],
    notificationList,
    ...[seasonList, runningSeason, seasonLeaderboard],
    ...[me, remove],
    ...[holdings, ...follows, tradeList, candleList].map((listed) => meAlias(listed)),
    meAlias(remove, {
      client: 'curvet.me.delete()',
      graphql: `mutation { deleteAgent(address: "${SCOUT}") { deleted } }`,
    }),
    heartbeat,
    skillVersion,
    apiIndex,
    ...(config.chainEmbedded ? development : []),
  ];
}

/** All tools of MCP, in the order of the list. */
export const toolsFor = ({ TICKET_CALLBACKS }: Config): readonly Tool[] => {
  const all: readonly Operation[] = [
    ...[search, getAgent, agentList, leaderboard, trending, getCandles, priceEndpoint, quoteTrade],
    ...(TICKET_CALLBACKS === 'on' ? [recordTool] : []),
    ...[getFeed, getSeason, post, toggleFollow, reactTool, heartbeatTool, getPnl, getTrades],
  ];
  return all.filter(isTool);
};
