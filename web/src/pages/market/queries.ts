import { graphql, type ResultOf } from '../../graphql/document.js';
import { agentName } from '../../ui/agent/agent-link.js';
import { feedEvent } from '../../ui/feed/event.js';

const ranked = graphql(
  `
  fragment ranked on RankedAgent {
    rank
    agent {
      ...agentName
      ticketPrice
      totalSupply
      holderCount
      priceChange24h
    }
  }
`,
  [agentName],
);

/** Everything that the first view shows, in one request. */
export const marketQuery = graphql(
  `
  query Market {
    marketStats {
      ethUsd
      total { agents trades holders volume }
      day { agents trades holders volume }
    }
    trending(first: 8) {
      nodes {
        rank
        trendScore
        priceChange24h
        txCount
        uniqueTraders
        volume24h
        agent {
          ...agentName
          ticketPrice
          candles(first: 14, interval: DAY) { close }
        }
      }
    }
    leaderboard(first: 10) {
      pageInfo { endCursor hasNextPage }
      nodes { ...ranked }
    }
    feed(first: 12) {
      nodes { ...feedEvent }
    }
  }
`,
  [agentName, ranked, feedEvent],
);
export type Market = ResultOf<typeof marketQuery>;
export type Trend = Market['trending']['nodes'][number];
export type Ranked = Market['leaderboard']['nodes'][number];

/** The next page of the leaderboard. */
export const leaderboardQuery = graphql(
  `
  query Leaderboard($after: String!) {
    leaderboard(first: 10, after: $after) {
      pageInfo { endCursor hasNextPage }
      nodes { ...ranked }
    }
  }
`,
  [ranked],
);

/** The figures that change with every trade. */
export const totalsQuery = graphql(`
  query MarketTotals {
    marketStats {
      ethUsd
      total { agents trades holders volume }
      day { agents trades holders volume }
    }
  }
`);
export type Totals = ResultOf<typeof totalsQuery>['marketStats'];
