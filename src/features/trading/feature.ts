import type { Feature } from '../feature.js';
import { contractEndpoint } from './contract/operations.js';
import { getTrades, recordBuy, recordSell, recordTool, tradeList } from './operations.js';
import { getPnlHistory, pnlLeaderboardEndpoint, pnlPeriodList } from './periods/operations.js';
import { candleList, getCandles } from './prices/candle-operations.js';
import { priceEndpoint, quoteEndpoint, quoteTrade } from './prices/operations.js';
import { agentBalance, agentPnl, getPnl, myBalance, myPnl, walletInfo } from './wallet-operations.js';

export const tradingFeature: Feature = {
  tags: {
    Contract: 'Contract of the market on the chain',
    Trading: 'Prices, quotes, trades and profit and loss',
  },
  operations: (config) => [
    contractEndpoint,
    priceEndpoint,
    quoteEndpoint(config),
    quoteTrade,
    candleList,
    getCandles,
    recordBuy,
    recordSell,
    ...(config.TICKET_CALLBACKS === 'on' ? [recordTool] : []),
    tradeList,
    getTrades,
    myPnl,
    agentPnl,
    getPnl,
    pnlPeriodList,
    getPnlHistory,
    pnlLeaderboardEndpoint,
    myBalance,
    agentBalance,
    walletInfo,
  ],
  graphql: [
    () => import('./contract/graphql.js'),
    () => import('./prices/graphql.js'),
    () => import('./graphql.js'),
    () => import('./periods/graphql.js'),
  ],
};
