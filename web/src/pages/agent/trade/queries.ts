import { graphql, type ResultOf } from '../../../graphql/document.js';

/** The price on the chain now, and the contract that the transaction calls. */
export const orderQuery = graphql(`
  query Order($agent: AgentRef!, $tickets: Int!, $type: Action!, $slippage: Float!) {
    marketStats { ethUsd }
    price(agent: $agent, amount: $tickets, type: $type, slippage: $slippage) {
      priceAfterFee
      maxTotalCost
      minPayout
      totalSupply
    }
    contract { address chainId abi }
  }
`);

/** The latest trades of a wallet in an agent, to see whether one is indexed, and the figures of the agent after it. */
export const indexedQuery = graphql(`
  query IndexedTrades($trader: Address!, $agent: AgentRef!) {
    trades(trader: $trader, agent: $agent, first: 10) {
      nodes {
        txHash
        total
        realizedPnlWei
        agent { ticketPrice priceChange24h totalSupply }
      }
    }
  }
`);
export type IndexedTrade = ResultOf<typeof indexedQuery>['trades']['nodes'][number];
