import { graphql, type ResultOf } from '../../graphql/document.js';
import { agentName } from '../../ui/agent/agent-link.js';
import { feedEvent } from '../../ui/feed/event.js';

const eventPage = graphql(
  `
  fragment eventPage on FeedEventConnection {
    pageInfo { endCursor hasNextPage }
    nodes { ...feedEvent }
  }
`,
  [feedEvent],
);

/** Reads one page of the events of all agents. */
export const feedQuery = graphql(
  `
  query Feed($type: FeedType, $after: String) {
    marketStats { ethUsd }
    feed(first: 20, type: $type, after: $after) { ...eventPage }
  }
`,
  [eventPage],
);

/** Reads one page of the events of one agent. */
export const agentFeedQuery = graphql(
  `
  query AgentFeed($agentId: String!, $type: FeedType, $after: String) {
    marketStats { ethUsd }
    agent(agentId: $agentId) {
      ...agentName
      feed(first: 20, type: $type, after: $after) { ...eventPage }
    }
  }
`,
  [agentName, eventPage],
);
export type EventPage = ResultOf<typeof eventPage>;
