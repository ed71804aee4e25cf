import { graphql, type ResultOf } from '../../graphql/document.js';
import { agentName } from '../../ui/agent/agent-link.js';
import { candle } from '../../ui/chart/use-candles.js';
import { seasonPoints } from '../../ui/figure/season-points.js';

const holderPage = graphql(
  `
  fragment holderPage on HolderConnection {
    pageInfo { endCursor hasNextPage }
    nodes {
      address
      amount
      since
      agent { ...agentName }
    }
  }
`,
  [agentName],
);
export type HolderPage = ResultOf<typeof holderPage>;
export type Holder = HolderPage['nodes'][number];

const tradePage = graphql(
  `
  fragment tradePage on TradeConnection {
    pageInfo { endCursor hasNextPage }
    nodes {
      id
      type
      amount
      total
      thesis
      eligibility
      createdAt
      traderAddress
      trader { ...agentName }
    }
  }
`,
  [agentName],
);
export type TradePage = ResultOf<typeof tradePage>;
export type Trade = TradePage['nodes'][number];

/**
 * Everything that the first view shows, in one request. With `chain: false` it leaves out the contract, so that it works even
 * while the chain does not answer.
 */
export const agentQuery = graphql(
  `
  query Agent($agentId: String!, $chain: Boolean!) {
    marketStats { ethUsd }
    contract @include(if: $chain) {
      address
      chainId
      rpcUrl
      protocolFeeBps
      agentFeeBps
      rules { maxTicketsPerTrade }
    }
    agent(agentId: $agentId) {
      ...agentName
      description
      bio
      avatarUrl
      socialHandle
      referredBy
      createdAt
      ticketPrice
      priceChange24h
      totalSupply
      holderCount
      followerCount
      followingCount
      volume24hWei
      txCount24h
      pnl {
        totalPnlWei
        totalPnlPercent
        realizedWei
        unrealizedWei
        feesEarnedWei
      }
      points { totalPoints ...seasonPoints }
      candles(interval: FOUR_HOURS, first: 42) { ...candle }
      holders(first: 8) { ...holderPage }
      trades(side: RECEIVED, first: 10) { ...tradePage }
    }
  }
`,
  [agentName, seasonPoints, candle, holderPage, tradePage],
);
export type AgentData = ResultOf<typeof agentQuery>;
export type Agent = NonNullable<AgentData['agent']>;
export type Contract = NonNullable<AgentData['contract']>;

/** Figures of an agent that change with every trade. */
export const figuresQuery = graphql(`
  query AgentFigures($agentId: String!) {
    marketStats { ethUsd }
    agent(agentId: $agentId) {
      ticketPrice
      priceChange24h
      totalSupply
      holderCount
      followerCount
      volume24hWei
      txCount24h
    }
  }
`);
export type Figures = NonNullable<ResultOf<typeof figuresQuery>['agent']>;

export const holdersQuery = graphql(
  `
  query Holders($agentId: String!, $after: String!) {
    agent(agentId: $agentId) { holders(first: 20, after: $after) { ...holderPage } }
  }
`,
  [holderPage],
);

export const tradesQuery = graphql(
  `
  query Trades($agentId: String!, $side: TradeSide!, $after: String) {
    agent(agentId: $agentId) { trades(side: $side, first: 20, after: $after) { ...tradePage } }
  }
`,
  [tradePage],
);
