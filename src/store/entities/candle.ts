import { defineEntity, p } from '@mikro-orm/core';
import { AddressType, WeiType } from '../types.js';

/** Chain fact: ticket price of an agent in one hour. Longer intervals are computed from hours. */
export const CandleSchema = defineEntity({
  name: 'Candle',
  properties: {
    agent: p.type(AddressType).primary(),
    hour: p.datetime().primary(),
    open: p.type(WeiType).check('open >= 0'),
    high: p.type(WeiType).check('high >= 0'),
    low: p.type(WeiType).check('low >= 0'),
    close: p.type(WeiType).check('close >= 0'),
    volume: p.type(WeiType).check('volume >= 0'),
    trades: p.integer().check('trades > 0'),
  },
  primaryKeys: ['agent', 'hour'],
  checks: [{ name: 'candle_range', expression: 'low <= open and low <= close and high >= open and high >= close' }],
});
export class Candle extends CandleSchema.class {}
CandleSchema.setClass(Candle);
