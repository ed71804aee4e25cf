import { graphql, type ResultOf } from '../../graphql/document.js';

/** The contract, and an agent whose address stands in examples. */
export const developersQuery = graphql(`
  query Developers {
    contract {
      address
      chainId
      rpcUrl
      startBlock
      abi
    }
    topAgents(first: 1) { agentId }
  }
`);
export type Contract = ResultOf<typeof developersQuery>['contract'];
