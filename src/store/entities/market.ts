import { defineEntity, p } from '@mikro-orm/core';
import { AddressType, WeiType } from '../types.js';

/** Chain fact: market of a wallet, computed from its AgentRegistered log and all trades in its tickets. */
export const MarketSchema = defineEntity({
  name: 'Market',
  properties: {
    wallet: p.type(AddressType).primary(),
    name: p.string().length(15),
    agentId: p.string().length(30).collation('C').unique(),
    supply: p.bigint('number').check('supply >= 1'),
    holderCount: p.integer().check('holder_count >= 0'),
    /** All agent fees that ever accrued, in wei, including withdrawn fees. */
    feesEarned: p.type(WeiType).check('fees_earned >= 0'),
    tradeCount: p.integer().check('trade_count >= 0'),
    volume: p.type(WeiType).check('volume >= 0'),
    txHash: p.string().length(66),
    ordinal: p.integer(),
    blockNumber: p.bigint('number'),
    logIndex: p.integer(),
    registeredAt: p.datetime(),
    eventId: p.string().length(22).collation('C').unique(),
  },
  indexes: [
    { properties: ['supply', 'wallet'] },
    { properties: ['holderCount', 'wallet'] },
    { properties: ['registeredAt', 'blockNumber', 'ordinal', 'eventId'] },
    { properties: ['blockNumber'] },
  ],
  triggers: [
    {
      name: 'market_listed',
      timing: 'after',
      events: ['insert', 'update', 'delete'],
      forEach: 'row',
      body: `if tg_op = 'DELETE' then
        update listing set supply = null, holder_count = null, trade_count = null where wallet = old.wallet;
      else
        insert into listing (wallet, supply, holder_count, trade_count)
          values (new.wallet, new.supply, new.holder_count, new.trade_count)
          on conflict (wallet) do update
            set supply = excluded.supply, holder_count = excluded.holder_count, trade_count = excluded.trade_count;
      end if;
      return null`,
    },
  ],
  checks: [{ name: 'market_wallet_form', expression: "wallet ~ '^0x[0-9a-f]{40}$'" }],
});
export class Market extends MarketSchema.class {}
MarketSchema.setClass(Market);
