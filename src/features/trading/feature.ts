import type { Feature } from '../feature.js';
import { getTrades, recordBuy, recordSell, recordTool, tradeList } from './operations.js';
import { agentBalance, agentPnl, getPnl, myBalance, myPnl, walletInfo } from './wallet-operations.js';

export const tradingFeature: Feature = {
  operations: ({ TICKET_CALLBACKS }) => [
    ...[recordBuy, recordSell],
    ...(TICKET_CALLBACKS === 'on' ? [recordTool] : []),
    ...[tradeList, getTrades, myPnl, agentPnl, getPnl, myBalance, agentBalance, walletInfo],
  ],
  graphql: () => import('./graphql.js'),
};
