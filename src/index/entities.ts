import { defineEntity, p } from '@mikro-orm/core';
import { AddressType, WeiType } from '../store/types.js';

/** Chain fact: market of a wallet, computed from its AgentRegistered log and all trades in its tickets. */
export const MarketTable = defineEntity({
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
      // Copies the figures of the market to the table `listing`, by which lists of agents filter and sort.
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

/** In AGENT_BUY and AGENT_SELL, the trader is an agent, too. In BUY and SELL, it is a wallet without a market. */
export const tradeTypes = ['BUY', 'SELL', 'AGENT_BUY', 'AGENT_SELL'] as const;
export type TradeType = (typeof tradeTypes)[number];

/** Chain fact: one TicketsBought or TicketsSold log. The key (txHash, ordinal) survives a reorg. */
export const Transaction = defineEntity({
  name: 'Transaction',
  properties: {
    txHash: p.string().length(66).primary(),
    /** Index among the contract's logs of the transaction. */
    ordinal: p.integer().primary(),
    type: p.enum(tradeTypes),
    trader: p.type(AddressType),
    agent: p.type(AddressType),
    /** Number of tickets. The contract allows up to 20 in a trade. */
    amount: p.integer().check('amount >= 1 and amount <= 20'),
    /** Price of all these tickets together, in wei, without the fees. */
    price: p.type(WeiType).check('price >= 0'),
    protocolFee: p.type(WeiType).check('protocol_fee >= 0'),
    agentFee: p.type(WeiType).check('agent_fee >= 0'),
    supplyAfter: p.bigint('number').check('supply_after >= 1'),
    /** `costBasis` is the FIFO cost of the sold tickets, and `realizedPnl` the profit on them, in wei. null for a purchase. */
    costBasis: p.type(WeiType).nullable().check('cost_basis >= 0'),
    realizedPnl: p.type(WeiType).nullable(),
    blockNumber: p.bigint('number'),
    logIndex: p.integer(),
    blockTime: p.datetime(),
    eventId: p.string().length(22).collation('C').unique(),
  },
  uniques: [{ properties: ['blockNumber', 'logIndex'] }],
  indexes: [
    { properties: ['agent', 'blockNumber', 'logIndex'] },
    { properties: ['trader', 'blockNumber', 'logIndex'] },
    { properties: ['agent', 'blockTime', 'price'] },
    { properties: ['blockTime', 'blockNumber', 'ordinal', 'eventId'] },
    // This index finds the newest sales of a wallet, also if it buys often and sells rarely.
    {
      name: 'transaction_sales',
      properties: ['trader', 'blockNumber', 'logIndex'],
      where: 'realized_pnl is not null',
    },
  ],
});

/** Chain fact: tickets of one agent that a wallet holds. A position that is sold out has no row. */
export const TicketHolding = defineEntity({
  name: 'TicketHolding',
  properties: {
    agent: p.type(AddressType).primary(),
    holder: p.type(AddressType).primary(),
    amount: p.integer().check('amount > 0'),
    /** Cost of the remaining lots, in wei. */
    cost: p.type(WeiType).check('cost >= 0'),
    /** Time when the balance last rose from 0. */
    since: p.datetime(),
  },
  indexes: [
    { properties: ['agent', 'amount', 'holder'] },
    { properties: ['holder', 'amount', 'agent'] },
    { properties: ['since', 'agent'] },
  ],
});

/** Chain fact: remainder of one purchase. Lots are sold first in, first out. A lot that is used up has no row. */
export const TicketLot = defineEntity({
  name: 'TicketLot',
  properties: {
    agent: p.type(AddressType).primary(),
    holder: p.type(AddressType).primary(),
    blockNumber: p.bigint('number').primary(),
    logIndex: p.integer().primary(),
    remaining: p.integer().check('remaining > 0'),
    cost: p.type(WeiType).check('cost >= 0'),
  },
});

/** Chain fact: running totals of a wallet's trades, so that PnL does not read the whole history. */
export const WalletLedger = defineEntity({
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

/** Chain fact: ticket price of an agent in one hour. Longer intervals are computed from hours. */
export const Candle = defineEntity({
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
  checks: [{ name: 'candle_range', expression: 'low <= open and low <= close and high >= open and high >= close' }],
});

/** Chain fact: one AgentFeesWithdrawn log. */
export const FeeWithdrawal = defineEntity({
  name: 'FeeWithdrawal',
  properties: {
    txHash: p.string().length(66).primary(),
    ordinal: p.integer().primary(),
    agent: p.type(AddressType),
    amount: p.type(WeiType).check('amount >= 0'),
    blockNumber: p.bigint('number'),
    logIndex: p.integer(),
    blockTime: p.datetime(),
  },
  indexes: [{ properties: ['agent', 'blockNumber'] }, { properties: ['blockNumber'] }],
});

/** Chain fact: an agent has set who receives its fees. Without a row, the agent receives them itself. */
export const FeeDestination = defineEntity({
  name: 'FeeDestination',
  properties: {
    txHash: p.string().length(66).primary(),
    ordinal: p.integer().primary(),
    agent: p.type(AddressType),
    /** The agent itself, if it has taken back an earlier choice. */
    destination: p.type(AddressType).index(),
    blockNumber: p.bigint('number'),
    logIndex: p.integer(),
  },
  indexes: [{ properties: ['agent', 'blockNumber', 'logIndex'] }, { properties: ['blockNumber'] }],
});

/**
 * Hash of a block with facts, or of the last block of a range. It reveals a reorg when the chain has another hash for the block.
 */
export const ChainBlock = defineEntity({
  name: 'ChainBlock',
  properties: {
    number: p.bigint('number').primary().autoincrement(false),
    hash: p.string().length(66),
  },
});

/** Position of the index: one row, updated in the transaction that stores the facts. */
export const IndexerCursor = defineEntity({
  name: 'IndexerCursor',
  properties: {
    contract: p.type(AddressType).primary(),
    chainId: p.integer(),
    /** Newest indexed block. */
    blockNumber: p.bigint('number').check('block_number >= -1'),
    /**
     * Blocks up to this one are read again after a repair. Subscribers may already have their events. null before the first repair.
     */
    rereadTo: p.bigint('number').nullable(),
    /** Block up to which an audit has proved the index equal to the contract. A reorg or a repair lowers it. */
    provedTo: p.bigint('number').defaultRaw('0'),
    /** Block of the index when the running pass of the audit began. A reorg or a repair lowers it. */
    auditFrom: p.bigint('number').defaultRaw('0'),
    /** Time of that block. After the index went back, it is the time of its newest trade. null before the first block. */
    blockTime: p.datetime().nullable(),
    /** Facts of later blocks, which are as old as `changedFrom` at most, may have changed since theses were last judged. null if none. */
    changedBlock: p.bigint('number').nullable(),
    changedFrom: p.datetime().nullable(),
    /** Reason why the indexer stopped. null while it runs. */
    fault: p.string().length(500).nullable(),
    updatedAt: p.datetime(),
  },
  triggers: [
    {
      // A trigger, so that replicas of the version before do it, too.
      name: 'indexer_cursor_back',
      timing: 'before',
      events: ['update'],
      forEach: 'row',
      body: `if new.block_number < old.block_number then
        new.block_time := coalesce(
          (select block_time from transaction where block_number <= new.block_number order by block_number desc limit 1),
          to_timestamp(0)
        );
        new.changed_block := least(old.changed_block, new.block_number);
        new.changed_from := least(old.changed_from, new.block_time);
        delete from fee_destination where block_number > new.block_number;
      end if;
      return new`,
    },
  ],
  uniques: [
    {
      // An index over a constant admits only one row.
      name: 'indexer_cursor_single',
      expression: 'create unique index "indexer_cursor_single" on "indexer_cursor" ((true))',
    },
  ],
});
