import { graphql, type ResultOf } from '../../graphql/document.js';
import { agentName } from '../../ui/agent/agent-link.js';

/** Reads the agent to which the sent API key belongs. Unlike the query of the portfolio, it marks no notification as read. */
export const keyOwnerQuery = graphql(
  `
  query KeyOwner {
    me { agent { ...agentName } }
  }
`,
  [agentName],
);
export type KeyOwner = ResultOf<typeof keyOwnerQuery>;
