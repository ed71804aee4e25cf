import { graphql, type ResultOf } from '../../graphql/document.js';
import { agentName } from '../../ui/agent/agent-link.js';

/** Asks the service whose key it is. Unlike the portfolio, it marks no notification as read. */
export const keyOwnerQuery = graphql(
  `
  query KeyOwner {
    me { agent { ...agentName } }
  }
`,
  [agentName],
);
export type KeyOwner = ResultOf<typeof keyOwnerQuery>;
