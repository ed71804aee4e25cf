import { defineEntity, p } from '@mikro-orm/core';
import { AddressType, WeiType } from '../types.js';

/** Chain fact: the running totals of a wallet's own trades, so that PnL never reads the history. */
export const WalletLedgerSchema = defineEntity({
  name: 'WalletLedger',
  properties: {
    wallet: p.type(AddressType).primary(),
    tradeCount: p.integer().check('trade_count >= 0'),
    sellCount: p.integer().check('sell_count >= 0'),
    /** Sum of what all purchases cost, fees included. */
    bought: p.type(WeiType).check('bought >= 0'),
    realized: p.type(WeiType),
  },
});
export class WalletLedger extends WalletLedgerSchema.class {}
WalletLedgerSchema.setClass(WalletLedger);
