import { graphql } from '../../graphql/document.js';
import { agentName } from '../../ui/agent/agent-link.js';

const linkPage = graphql(
  `
  fragment linkPage on PossibleLinkConnection {
    pageInfo { endCursor hasNextPage }
    nodes {
      walletAddress
      agent { ...agentName }
      signs { kind text }
    }
  }
`,
  [agentName],
);

export const linksQuery = graphql(
  `
  query PossibleLinks($wallet: AgentRef!, $after: String) {
    possibleLinks(agent: $wallet, first: 20, after: $after) { ...linkPage }
  }
`,
  [linkPage],
);
