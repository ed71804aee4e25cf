import { defineEntity, p } from '@mikro-orm/core';
import { AddressType, WeiType } from '../types.js';

/** Chain fact: running totals of a wallet's trades, so that PnL does not read the whole history. */
export const WalletLedgerSchema = defineEntity({
  name: 'WalletLedger',
  properties: {
    wallet: p.type(AddressType).primary(),
    tradeCount: p.integer().check('trade_count >= 0'),
    sellCount: p.integer().check('sell_count >= 0'),
    /** Cost of all purchases including fees, in wei. */
    bought: p.type(WeiType).check('bought >= 0'),
    realized: p.type(WeiType),
  },
});
export class WalletLedger extends WalletLedgerSchema.class {}
WalletLedgerSchema.setClass(WalletLedger);
