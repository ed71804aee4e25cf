import { graphql, type ResultOf } from '../../graphql/document.js';

/** Reads the contract, and one agent, whose address the examples on the page use. */
export const developersQuery = graphql(`
  query Developers {
    contract {
      address
      chainId
      rpcUrl
      startBlock
    }
    topAgents(first: 1) { id ticketPrice }
  }
`);
export type Contract = ResultOf<typeof developersQuery>['contract'];
export type Example = NonNullable<ResultOf<typeof developersQuery>['topAgents']>[number];

/** Reads the ABI. The page sends this query after the first view, because the ABI is larger than all else on the page. */
export const abiQuery = graphql(`
  query ContractAbi {
    contract { abi }
  }
`);
