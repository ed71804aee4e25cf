import type { Feature } from '../feature.js';
import { candleList, getCandles } from './candle-operations.js';
import { priceEndpoint, quoteEndpoint, quoteTrade } from './operations.js';

export const priceFeature: Feature = {
  operations: (config) => [priceEndpoint, quoteEndpoint(config), quoteTrade, candleList, getCandles],
  graphql: () => import('./graphql.js'),
};
