import { graphql, type ResultOf } from '../../graphql/document.js';
import { agentName } from '../../ui/agent/agent-link.js';

/** Reads agents by their wallets, which are their ids. null for a wallet that is no agent of this service. */
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
 * All trades of the market as they happen. The document has no wallet, so that the service answers it once for all readers.
 * A trade in an agent names its present number of tickets, from which its price follows.
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

/** Notifications as they arrive. They stay unread. */
export const liveNotifications = graphql(`
  subscription LiveNotifications {
    notification {
      kind
      notification { id type message createdAt read }
    }
  }
`);
