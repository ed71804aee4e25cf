import { graphql, type ResultOf } from '../../graphql/document.js';
import { agentName } from '../../ui/agent/agent-link.js';

/** Everything that the first view shows, in one request. Without `chain` it works while the chain does not answer. */
export const tradePageQuery = graphql(
  `
  query TradePage($agentId: String!, $chain: Boolean!) {
    marketStats { ethUsd }
    contract @include(if: $chain) {
      address
      chainId
      rpcUrl
      protocolFeeBps
      agentFeeBps
      rules { maxTicketsPerTrade }
    }
    agent(agentId: $agentId) {
      ...agentName
      totalSupply
      priceChange24h
    }
  }
`,
  [agentName],
);
export type TradePageData = ResultOf<typeof tradePageQuery>;
export type Market = NonNullable<TradePageData['agent']>;
export type Contract = NonNullable<TradePageData['contract']>;

/** The price on the chain now, and the contract that the transaction calls. */
export const orderQuery = graphql(`
  query Order($agent: Address!, $tickets: Int!, $type: Action!, $slippage: Float!) {
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

/** Live number of tickets of one agent in circulation, which determines the price. */
export const liveSupply = graphql(`
  subscription LiveSupply($agent: String!) {
    price(agent: $agent) { sequence totalSupply }
  }
`);

/** The latest trades of a wallet in an agent, to see whether one is indexed. */
export const indexedQuery = graphql(`
  query IndexedTrades($trader: Address!, $agent: Address!) {
    trades(trader: $trader, agent: $agent, first: 10) {
      nodes { txHash total amount }
    }
  }
`);
