import { graphql, type ResultOf } from '../../graphql/document.js';

/** Reads the contract, and an agent whose address the examples use. */
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

/** Reads the ABI after the first view, since it is larger than all else on the page. */
export const abiQuery = graphql(`
  query ContractAbi {
    contract { abi }
  }
`);
