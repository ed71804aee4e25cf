import { graphql, type ResultOf } from '../../graphql/document.js';
import { agentName } from '../../ui/agent/agent-link.js';

export const claimQuery = graphql(
  `
  query Claim($code: String!) {
    claimInfo(code: $code) {
      verificationCode
      status
      claimFinal
      postTemplate
      embeddedPosts
      agent {
        ...agentName
        description
        socialHandle
      }
    }
  }
`,
  [agentName],
);
export type ClaimData = NonNullable<ResultOf<typeof claimQuery>['claimInfo']>;

export const verifyMutation = graphql(`
  mutation VerifyClaim($code: String!, $url: String!) {
    verifyAgent(verificationCode: $code, tweetUrl: $url) { id }
  }
`);
