import { graphql, type ResultOf } from '../../../graphql/document.js';

/** The present price on the chain, and the contract that the transaction calls. */
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

/**
 * Reads the latest trades of a wallet in an agent's tickets. A new trade is among them once the service has indexed it, together
 * with the figures of the agent after it.
 */
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
