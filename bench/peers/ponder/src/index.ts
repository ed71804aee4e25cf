// Creates the same rows as the service from the same events, following Ponder's documentation. Rows are found and changed by
// key, so that Ponder's cache answers without SQL statements.
import { createHash } from 'node:crypto';
import { type Context, type Event, ponder } from 'ponder:registry';
import { candle, holding, ledger, lot, market, trade } from 'ponder:schema';

const eventId = (key: string) => createHash('sha256').update(key).digest('base64url').slice(0, 22);
const unitPrice = (supply: number) => BigInt(supply) ** 2n * 20_000_000_000_000n;
const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);

ponder.on('Market:AgentRegistered', async ({ event, context: { db } }) => {
  const { agent, name, agentId } = event.args;
  const [blockNumber, at] = [Number(event.block.number), Number(event.block.timestamp)];
  const { logIndex } = event.log;
  await db.insert(market).values({
    wallet: agent,
    name,
    agentId,
    supply: 1,
    holderCount: 1,
    feesEarned: 0n,
    tradeCount: 0,
    volume: 0n,
    txHash: event.transaction.hash,
    blockNumber,
    logIndex,
    registeredAt: at,
    eventId: eventId(`registration:${agent}`),
  });
  await db.insert(holding).values({ agent, holder: agent, amount: 1, cost: 0n, since: at, firstLot: 0, nextLot: 1 });
  await db.insert(lot).values({ agent, holder: agent, number: 0, blockNumber, logIndex, remaining: 1, cost: 0n });
});

ponder.on('Market:TicketsBought', async ({ event, context }) => {
  const { db } = context;
  const { trader, agent } = event.args;
  const [amount, blockNumber, at] = [Number(event.args.amount), Number(event.block.number), Number(event.block.timestamp)];
  const cost = event.args.price + event.args.protocolFee + event.args.agentFee;
  const existing = await db.find(holding, { agent, holder: trader });
  const number = existing?.nextLot ?? 0;
  if (existing) {
    await db.update(holding, { agent, holder: trader }).set({
      amount: existing.amount + amount,
      cost: existing.cost + cost,
      nextLot: number + 1,
    });
  } else {
    await db.insert(holding).values({ agent, holder: trader, amount, cost, since: at, firstLot: 0, nextLot: 1 });
  }
  await db.insert(lot).values({
    agent,
    holder: trader,
    number,
    blockNumber,
    logIndex: event.log.logIndex,
    remaining: amount,
    cost,
  });
  await settle(context, event, { change: amount, holders: existing ? 0 : 1, paid: cost, basis: null });
});

ponder.on('Market:TicketsSold', async ({ event, context }) => {
  const { db } = context;
  const { trader, agent } = event.args;
  const amount = Number(event.args.amount);
  const position = await db.find(holding, { agent, holder: trader });
  if (position === null) throw new Error(`${trader} sells what it does not hold`);
  let unsold = amount;
  let basis = 0n;
  let number = position.firstLot;
  while (unsold > 0) {
    const key = { agent, holder: trader, number };
    const oldest = await db.find(lot, key);
    if (oldest === null) throw new Error(`the lots of ${trader} fall short`);
    const taken = Math.min(unsold, oldest.remaining);
    const part = (oldest.cost * BigInt(taken)) / BigInt(oldest.remaining);
    if (taken === oldest.remaining) {
      await db.delete(lot, key);
      number += 1;
    } else {
      await db.update(lot, key).set({ remaining: oldest.remaining - taken, cost: oldest.cost - part });
    }
    unsold -= taken;
    basis += part;
  }
  const isClosed = position.amount === amount;
  if (isClosed) await db.delete(holding, { agent, holder: trader });
  else {
    await db
      .update(holding, { agent, holder: trader })
      .set({ amount: position.amount - amount, cost: position.cost - basis, firstLot: number });
  }
  await settle(context, event, { change: -amount, holders: isClosed ? -1 : 0, paid: 0n, basis });
});

type Traded = Event<'Market:TicketsBought'> | Event<'Market:TicketsSold'>;

/** Updates for purchases and sales: trade, market, ledger of the trader, candle of the hour. */
async function settle(
  { db }: Context,
  event: Traded,
  { change, holders, paid, basis }: { change: number; holders: number; paid: bigint; basis: bigint | null },
): Promise<void> {
  const { trader, agent, price, protocolFee, agentFee } = event.args;
  const [supply, blockNumber, at] = [Number(event.args.supply), Number(event.block.number), Number(event.block.timestamp)];
  const realized = basis === null ? null : price - protocolFee - agentFee - basis;
  const byAgent = (await db.find(market, { wallet: trader })) !== null;
  const txHash = event.transaction.hash;
  const { logIndex } = event.log;
  await db.insert(trade).values({
    txHash,
    logIndex,
    type: `${byAgent ? 'AGENT_' : ''}${basis === null ? 'BUY' : 'SELL'}`,
    trader,
    agent,
    amount: Math.abs(change),
    price,
    protocolFee,
    agentFee,
    supplyAfter: supply,
    costBasis: basis,
    realizedPnl: realized,
    blockNumber,
    blockTime: at,
    eventId: eventId(`trade:${txHash}:${logIndex}`),
  });
  await db.update(market, { wallet: agent }).set((row) => ({
    supply,
    holderCount: row.holderCount + holders,
    feesEarned: row.feesEarned + agentFee,
    tradeCount: row.tradeCount + 1,
    volume: row.volume + price,
  }));
  const sold = realized === null ? 0 : 1;
  await db
    .insert(ledger)
    .values({ wallet: trader, tradeCount: 1, sellCount: sold, bought: paid, realized: realized ?? 0n })
    .onConflictDoUpdate((row) => ({
      tradeCount: row.tradeCount + 1,
      sellCount: row.sellCount + sold,
      bought: row.bought + paid,
      realized: row.realized + (realized ?? 0n),
    }));
  const [open, close] = [unitPrice(supply - change), unitPrice(supply)];
  await db
    .insert(candle)
    .values({
      agent,
      hour: at - (at % 3600),
      open,
      high: max(open, close),
      low: min(open, close),
      close,
      volume: price,
      trades: 1,
    })
    .onConflictDoUpdate((row) => ({
      high: max(row.high, close),
      low: min(row.low, close),
      close,
      volume: row.volume + price,
      trades: row.trades + 1,
    }));
}
