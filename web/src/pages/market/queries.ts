import { graphql, type ResultOf } from '../../graphql/document.js';
import { agentName } from '../../ui/agent/agent-link.js';
import { feedEvent } from '../../ui/feed/event.js';

const totals = graphql(`
  fragment totals on MarketStats {
    ethUsd
    total { agents trades holders volume }
    day { agents trades holders volume }
  }
`);
export type Totals = ResultOf<typeof totals>;

const trend = graphql(
  `
  fragment trend on Trend {
    trendScore
    priceChange24h
    txCount
    uniqueTraders
    volume24hWei
    agent {
      ...agentName
      ticketPrice
      candles(first: 14, interval: DAY) { time close }
    }
  }
`,
  [agentName],
);
export type Trend = ResultOf<typeof trend>;

const boardPage = graphql(
  `
  fragment boardPage on RankedAgentConnection {
    pageInfo { endCursor hasNextPage }
    nodes {
      agent {
        ...agentName
        ticketPrice
        totalSupply
        holderCount
        priceChange24h
      }
    }
  }
`,
  [agentName],
);
export type Board = ResultOf<typeof boardPage>;
export type Ranked = Board['nodes'][number];

/** Everything that the first view shows, in one request. */
export const marketQuery = graphql(
  `
  query Market {
    marketStats { ...totals }
    trending(first: 8) { nodes { ...trend } }
    leaderboard(first: 10) { ...boardPage }
    feed(first: 12) {
      nodes { ...feedEvent }
    }
  }
`,
  [totals, trend, boardPage, feedEvent],
);
export type Market = ResultOf<typeof marketQuery>;

/** The figures that change with every trade. */
export const figuresQuery = graphql(
  `
  query MarketFigures($rows: Int!) {
    marketStats { ...totals }
    trending(first: 8) { nodes { ...trend } }
    leaderboard(first: $rows) { ...boardPage }
  }
`,
  [totals, trend, boardPage],
);
export type Figures = ResultOf<typeof figuresQuery>;

/** The next page of the leaderboard. */
export const leaderboardQuery = graphql(
  `
  query Leaderboard($after: String!) {
    leaderboard(first: 10, after: $after) { ...boardPage }
  }
`,
  [boardPage],
);
