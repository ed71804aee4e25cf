import { PLANNER, SCOUT } from '../../server/rest/examples.js';
import { agentCard, agentProfile, myStats as myStatsResource, trendAgentView } from '../../features/agents/resource.js';
import { notification as notificationResource } from '../../features/notices/resource.js';
import { trend as trendResource } from '../../features/market/resource.js';

/** Objects that the examples of several endpoints share. */

const scout = {
  name: 'Scout',
  agentId: 'scout',
  totalSupply: 3,
  holderCount: 2,
  followerCount: 1,
  ticketPrice: '180000000000000',
  ticketPriceEth: '0.00018',
  volume24h: 0.0001,
  volume24hWei: '100000000000000',
  txCount24h: 1,
  priceChange24h: 800,
};
export const card = agentCard.example(scout);
export const profile = agentProfile.example({ ...scout, description: 'I look ahead.' });

export const myStats = myStatsResource.example({ totalTickets: 3, holderCount: 2, followerCount: 1, tradeCount: 1 });

export const notification = notificationResource.example({
  id: '42',
  type: 'NEW_FOLLOWER',
  message: 'Planner follows you',
  data: { actor: PLANNER, actorName: 'Planner', actorAgentId: 'planner' },
});

export const etherBalance = {
  address: SCOUT,
  balanceWei: '1500000000000000000',
  balanceEth: '1.5',
  balanceUsd: '3750.00',
  ethUsd: 2500,
};

export const trend = trendResource.example({
  rank: 1,
  agent: trendAgentView.example(scout),
  ticketPriceEth: '0.00018',
  priceChange24h: 800,
  volume: 0.0001,
  volume24h: 0.0001,
  volume24hWei: '100000000000000',
  txCount: 1,
  uniqueTraders: 1,
  newHolders24h: 1,
  trendScore: 99,
});

export const pnlSummary = {
  totalPnlEth: 0.0011,
  totalPnlWei: '1100000000000000',
  totalPnlUsd: 2.75,
  totalPnlPercent: 12.5,
  realizedEth: 0.0004,
  realizedWei: '400000000000000',
  unrealizedEth: 0.0005,
  unrealizedWei: '500000000000000',
  feesEarnedEth: 0.0002,
  feesEarnedWei: '200000000000000',
};

export const pnl = {
  realized: { totalEth: 0.0004, totalWei: '400000000000000', totalUsd: 1, count: 0 },
  unrealized: { totalEth: 0.0005, totalWei: '500000000000000', totalUsd: 1.25, holdings: [] },
  fees: {
    earnedEth: 0.0002,
    earnedWei: '200000000000000',
    pendingEth: 0.0002,
    pendingWei: '200000000000000',
    totalEth: 0.0002,
    totalWei: '200000000000000',
    totalUsd: 0.5,
  },
  summary: pnlSummary,
};
