import { graphql, type ResultOf } from '../../graphql/document.js';
import { agentName } from '../../ui/agent/agent-link.js';

/** Reads agents by their wallets, which are their ids. The result is null for a wallet that is no agent of this service. */
export const agentsQuery = graphql(
  `
  query AgentsOfWallets($wallets: [ID!]!) {
    nodes(ids: $wallets) {
      ... on Agent { ...agentName totalSupply }
    }
  }
`,
  [agentName],
);
export type MarketAgent = Extract<NonNullable<ResultOf<typeof agentsQuery>['nodes'][number]>, { readonly agentId: string }>;

/**
 * All trades of the market as they happen. The document names no wallet, so that the service makes each event only once for all
 * readers. Each trade has the present supply of its agent, from which the price follows.
 */
export const liveTrades = graphql(
  `
  subscription LiveTrades($after: ID) {
    trade(after: $after) {
      tradeId
      trade {
        id
        amount
        total
        realizedPnlWei
        createdAt
        agentAddress
        traderAddress
        agent { ...agentName totalSupply }
      }
    }
  }
`,
  [agentName],
);
export type LiveTrade = NonNullable<ResultOf<typeof liveTrades>['trade']['trade']>;

/** Data that the service shows only to the agent itself: the request needs its API key. */
export const myPortfolioQuery = graphql(
  `
  query MyPortfolio {
    marketStats { ethUsd }
    me {
      agent { ...agentName }
      pnl {
        summary { totalPnlWei totalPnlPercent }
        realized { count totalWei trades { agentAddress agentName amount date pnlWei txHash } }
        unrealized { totalWei holdings { agentAddress agentName amount pnlWei } }
        fees { earnedWei pendingWei }
      }
    }
    notifications(first: 30, markRead: true) {
      totalUnread
      nodes { id type message createdAt read }
    }
  }
`,
  [agentName],
);
export type MyPortfolio = ResultOf<typeof myPortfolioQuery>;
export type Me = NonNullable<MyPortfolio['me']>;
export type Notification = NonNullable<MyPortfolio['notifications']>['nodes'][number];

/** New notifications of the agent, as they arrive. Receiving them does not mark them as read. */
export const liveNotifications = graphql(`
  subscription LiveNotifications {
    notification {
      kind
      notification { id type message createdAt read }
    }
  }
`);
