import { index, onchainTable, primaryKey } from 'ponder';

// The facts, as the service stores them. A lot has a number within its position as key, because Ponder finds rows by key
// without asking the database.

export const market = onchainTable('market', (t) => ({
  wallet: t.hex().primaryKey(),
  name: t.text().notNull(),
  agentId: t.text().notNull(),
  supply: t.integer().notNull(),
  holderCount: t.integer().notNull(),
  feesEarned: t.bigint().notNull(),
  tradeCount: t.integer().notNull(),
  volume: t.bigint().notNull(),
  txHash: t.hex().notNull(),
  blockNumber: t.integer().notNull(),
  logIndex: t.integer().notNull(),
  registeredAt: t.integer().notNull(),
  eventId: t.text().notNull(),
}));

export const trade = onchainTable(
  'trade',
  (t) => ({
    txHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
    type: t.text().notNull(),
    trader: t.hex().notNull(),
    agent: t.hex().notNull(),
    amount: t.integer().notNull(),
    price: t.bigint().notNull(),
    protocolFee: t.bigint().notNull(),
    agentFee: t.bigint().notNull(),
    supplyAfter: t.integer().notNull(),
    costBasis: t.bigint(),
    realizedPnl: t.bigint(),
    blockNumber: t.integer().notNull(),
    blockTime: t.integer().notNull(),
    eventId: t.text().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.txHash, table.logIndex] }),
    byAgent: index().on(table.agent, table.blockNumber, table.logIndex),
    byTrader: index().on(table.trader, table.blockNumber, table.logIndex),
    byTime: index().on(table.blockTime, table.blockNumber),
  }),
);

export const holding = onchainTable(
  'holding',
  (t) => ({
    agent: t.hex().notNull(),
    holder: t.hex().notNull(),
    amount: t.integer().notNull(),
    cost: t.bigint().notNull(),
    since: t.integer().notNull(),
    /** Remaining lots: from `firstLot` up to `nextLot`, exclusive. */
    firstLot: t.integer().notNull(),
    nextLot: t.integer().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.agent, table.holder] }),
    byAmount: index().on(table.agent, table.amount, table.holder),
    byHolder: index().on(table.holder, table.amount, table.agent),
  }),
);

export const lot = onchainTable(
  'lot',
  (t) => ({
    agent: t.hex().notNull(),
    holder: t.hex().notNull(),
    number: t.integer().notNull(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    remaining: t.integer().notNull(),
    cost: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.agent, table.holder, table.number] }) }),
);

export const ledger = onchainTable('ledger', (t) => ({
  wallet: t.hex().primaryKey(),
  tradeCount: t.integer().notNull(),
  sellCount: t.integer().notNull(),
  bought: t.bigint().notNull(),
  realized: t.bigint().notNull(),
}));

export const candle = onchainTable(
  'candle',
  (t) => ({
    agent: t.hex().notNull(),
    hour: t.integer().notNull(),
    open: t.bigint().notNull(),
    high: t.bigint().notNull(),
    low: t.bigint().notNull(),
    close: t.bigint().notNull(),
    volume: t.bigint().notNull(),
    trades: t.integer().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.agent, table.hour] }) }),
);
