import { graphql, type ResultOf } from '../../graphql/document.js';
import { agentName } from '../../ui/agent/agent-link.js';
import { seasonPoints } from '../../ui/figure/season-points.js';

const standingPage = graphql(
  `
  fragment standingPage on StandingConnection {
    pageInfo { endCursor hasNextPage }
    nodes {
      rank
      totalPoints
      walletAddress
      agent { ...agentName }
      breakdown { ...seasonPoints }
    }
  }
`,
  [agentName, seasonPoints],
);
export type Standing = ResultOf<typeof standingPage>['nodes'][number];

const unlinkedPage = graphql(
  `
  fragment unlinkedPage on StandingConnection {
    pageInfo { endCursor hasNextPage }
    nodes {
      rank
      walletAddress
      agent { ...agentName }
      withoutLinks { rank totalPoints linkedShare linkedWallets organicVolumeWei }
    }
  }
`,
  [agentName],
);

const seasonView = graphql(
  `
  fragment seasonView on Season {
    number
    startDate
    endDate
    isActive
    isFrozen
    agentCount
    leaderboard(first: 10) { ...standingPage }
  }
`,
  [standingPage],
);
export type Season = ResultOf<typeof seasonView>;

const seasonPage = graphql(
  `
  fragment seasonPage on SeasonConnection {
    pageInfo { endCursor hasNextPage }
    nodes {
      number
      startDate
      endDate
      isActive
      agentCount
      leaderboard(first: 1) {
        nodes {
          totalPoints
          walletAddress
          agent { ...agentName }
        }
      }
    }
  }
`,
  [agentName],
);
export type SeasonPage = ResultOf<typeof seasonPage>;

/** Reads the running season, the newest season in case that none is running, and the list of all seasons. */
export const seasonsQuery = graphql(
  `
  query Seasons {
    marketStats { ethUsd }
    activeSeason { season { ...seasonView } }
    newest: seasons(first: 1) { nodes { ...seasonView } }
    seasons(first: 8) { ...seasonPage }
  }
`,
  [seasonView, seasonPage],
);

/** Reads the season with the given number, and the list of all seasons. */
export const seasonQuery = graphql(
  `
  query Season($number: Int!) {
    marketStats { ethUsd }
    season(number: $number) { ...seasonView }
    seasons(first: 8) { ...seasonPage }
  }
`,
  [seasonView, seasonPage],
);

export const standingsQuery = graphql(
  `
  query Standings($number: Int!, $after: String!) {
    season(number: $number) { leaderboard(first: 20, after: $after) { ...standingPage } }
  }
`,
  [standingPage],
);

export const unlinkedQuery = graphql(
  `
  query UnlinkedStandings($number: Int!, $after: String) {
    season(number: $number) { leaderboard(order: WITHOUT_LINKS, first: 10, after: $after) { ...unlinkedPage } }
  }
`,
  [unlinkedPage],
);

export const seasonListQuery = graphql(
  `
  query SeasonList($after: String!) {
    seasons(first: 8, after: $after) { ...seasonPage }
  }
`,
  [seasonPage],
);
