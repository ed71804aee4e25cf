import type { CandleInterval, CandleRow } from './candles.js';
import { fieldsOf, sharedResource } from '../../server/resources/field.js';
import { int, time, wei } from '../../server/resources/types.js';

type Row = CandleRow & { readonly interval: CandleInterval };
const { column, identity } = fieldsOf<Row>();

export const candle = sharedResource('Candle', 'Price of one ticket over an interval, without fees.', {
  id: identity('Candle', 'wallet', 'interval', 'time'),
  time: column('time', time, 'Start of the interval, at a full hour or day in UTC.'),
  open: column('open', wei, 'Price of one ticket at the start, in wei: the close of the previous candle.'),
  high: column('high', wei, 'Highest price of one ticket, in wei.'),
  low: column('low', wei, 'Lowest price of one ticket, in wei.'),
  close: column('close', wei, 'Price of one ticket at the end, in wei.'),
  volume: column('volume', wei, 'Sum of the curve prices of the trades, without fees, in wei.'),
  trades: column('trades', int, 'Number of trades, at least 1. Intervals without a trade have no candle.'),
});
