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

const agentPage = graphql(
  `
  fragment agentPage on AgentConnection {
    pageInfo { endCursor hasNextPage }
    nodes {
      ...agentName
      ticketPrice
      priceChange24h
      totalSupply
      holderCount
      volume24hWei
      createdAt
    }
  }
`,
  [agentName],
);
export type AgentPage = ResultOf<typeof agentPage>;
export type ListedAgent = AgentPage['nodes'][number];

const thesisRank = graphql(
  `
  fragment thesisRank on ThesisRecord {
    rank
    walletAddress
    lowerBound
    followedPercent
    paidPercent
    verdicts
    agent { ...agentName }
  }
`,
  [agentName],
);
export type ThesisRank = ResultOf<typeof thesisRank>;

/** Reads what the page shows first, in one request. */
export const marketQuery = graphql(
  `
  query Market {
    marketStats { ...totals }
    trending(first: 10) { nodes { ...trend } }
    feed(first: 8) {
      nodes { ...feedEvent }
    }
    thesisLeaderboard(first: 5) { nodes { ...thesisRank } }
  }
`,
  [totals, trend, feedEvent, thesisRank],
);
export type Market = ResultOf<typeof marketQuery>;

/** Reads one page of the list of all agents, by default those with the most tickets first. */
export const agentListQuery = graphql(
  `
  query AgentList(
    $after: String, $sort: AgentSort! = SUPPLY, $sortOrder: SortOrder, $verified: Boolean, $search: String,
    $minHolder: Int, $minPrice: Eth, $maxPrice: Eth
  ) {
    agents(
      first: 20, after: $after, sort: $sort, sortOrder: $sortOrder, verified: $verified, search: $search,
      minHolder: $minHolder, minPrice: $minPrice, maxPrice: $maxPrice
    ) { ...agentPage }
  }
`,
  [agentPage],
);

/** Reads the figures that change with every trade. With `isList`, it also reads the first agents of the list of all agents. */
export const figuresQuery = graphql(
  `
  query MarketFigures(
    $isList: Boolean!, $rows: Int!, $sort: AgentSort! = SUPPLY, $sortOrder: SortOrder, $verified: Boolean,
    $search: String, $minHolder: Int, $minPrice: Eth, $maxPrice: Eth
  ) {
    marketStats { ...totals }
    trending(first: 10) { nodes { ...trend } }
    agents(
      first: $rows, sort: $sort, sortOrder: $sortOrder, verified: $verified, search: $search,
      minHolder: $minHolder, minPrice: $minPrice, maxPrice: $maxPrice
    ) @include(if: $isList) { ...agentPage }
  }
`,
  [totals, trend, agentPage],
);
export type Figures = ResultOf<typeof figuresQuery>;
