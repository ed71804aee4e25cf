import type { EntityName } from '@mikro-orm/core';
import { Agent } from '../../../src/features/agents/entities.js';
import { AgentActivity } from '../../../src/features/feed/entities.js';
import { SeasonTable } from '../../../src/features/seasons/entities.js';
import { MarketTable, TicketHolding, type TradeType, Transaction } from '../../../src/index/entities.js';
import { hashKey } from '../../../src/keys.js';
import { announce } from '../../../src/live/announce.js';
import { DAY_MS } from '../../../src/values/time.js';
import { eventId, registrationKey, tradeKey } from '../../../src/values/trade.js';
import { drawBytes, drawHex } from '../seed.js';
import { runSql } from '../store.js';
import type { World } from '../world.js';

// Inserts rows directly, without transactions on the chain. Columns that are not given get plausible values, unique where they
// must be.

type Row = Record<string, unknown>;

let count = 0;
/** Numbers for blocks and names. They ascend in the order of insertion. */
const next = (): number => ++count;

export const randomWallet = (): string => drawHex(20);
export const randomTxHash = (): string => drawHex(32);

const insert = <T extends object>(world: World, entity: EntityName<T>, row: Row): Promise<unknown> =>
  world.deps.write((tx) => tx.insert(entity, row as never));

/**
 * Adds a profile without a market (see `addMarket`). Moves the clock by a millisecond before, so that lists by time have one
 * order.
 */
export async function addAgent(world: World, given: Row = {}): Promise<{ wallet: string; key: string; name: string }> {
  world.clock.advance(1);
  const n = next();
  const name = String(given.name ?? `Agent ${n}`);
  const key = drawBytes(48).toString('base64url');
  const row = {
    wallet: randomWallet(),
    name,
    agentId: name.toLowerCase().replaceAll(' ', '_'),
    apiKeyHash: hashKey(key),
    verificationCode: `T-${n}`,
    registrationIp: Buffer.alloc(32),
    createdAt: world.clock.now(),
    ...given,
  };
  await insert(world, Agent, row);
  return { wallet: row.wallet, key, name };
}

/** Adds the market of a wallet that registered on the chain and holds its first ticket. */
export async function addMarket(world: World, wallet: string, given: Row = {}): Promise<void> {
  const n = next();
  const row = {
    wallet,
    name: `Market ${n}`,
    agentId: `market_${n}`,
    supply: 1,
    holderCount: 1,
    feesEarned: 0n,
    tradeCount: 0,
    volume: 0n,
    txHash: randomTxHash(),
    ordinal: 0,
    blockNumber: n,
    logIndex: 0,
    registeredAt: world.clock.now(),
    eventId: eventId(registrationKey(wallet)),
    ...given,
  };
  await insert(world, MarketTable, row);
}

/** Adds an agent with its profile, its market and its first ticket. */
export async function addListedAgent(world: World, given: Row = {}, market: Row = {}) {
  const agent = await addAgent(world, given);
  const agentId = agent.name.toLowerCase().replaceAll(' ', '_');
  await addMarket(world, agent.wallet, { name: agent.name, agentId, ...market });
  await addHolding(world, { agent: agent.wallet, holder: agent.wallet });
  return agent;
}

export async function addHolding(world: World, given: Row & { agent: string; holder: string }): Promise<void> {
  await insert(world, TicketHolding, { amount: 1, cost: 0n, since: world.clock.now(), ...given });
}

/**
 * Adds a trade and its candle. By default, the trade is the purchase of an agent's second ticket, with fees of 5 % each. The
 * figures of the market and of its holders stay as they are.
 */
export async function addTrade(world: World, given: Row & { trader: string; agent: string }) {
  const n = next();
  const row = {
    txHash: randomTxHash(),
    ordinal: 0,
    type: 'BUY' as TradeType,
    amount: 1,
    price: 20_000_000_000_000n,
    protocolFee: 1_000_000_000_000n,
    agentFee: 1_000_000_000_000n,
    supplyAfter: 2,
    costBasis: null,
    realizedPnl: null,
    blockNumber: n,
    logIndex: 0,
    blockTime: world.clock.now(),
    ...given,
  };
  const id = eventId(tradeKey(row.txHash, row.ordinal));
  await insert(world, Transaction, { ...row, eventId: id });
  // Every trade is part of the candle of its hour, so the candle is added or updated. Its prices are those of a supply of 1,
  // whatever the trades are: only volume and count follow them.
  const unit = 2n * 10n ** 13n;
  await runSql(
    world.deps,
    `insert into candle (agent, hour, open, high, low, close, volume, trades)
     values ($1, date_trunc('hour', $2::timestamptz, 'UTC'), $3, $3, $3, $3, $4, 1)
     on conflict (agent, hour) do update set volume = candle.volume + excluded.volume, trades = candle.trades + 1`,
    [row.agent, row.blockTime, String(unit), String(row.price)],
  );
  return { ...row, eventId: id };
}

/** Adds a trade for which its trader gave a reason. */
export async function addThesis(world: World, text: string, given: Row & { trader: string; agent: string }) {
  const trade = await addTrade(world, given);
  const values = [trade.txHash, given.trader, text, world.clock.now()];
  await runSql(world.deps, 'insert into thesis (tx_hash, ordinal, author, text, created_at) values ($1, 0, $2, $3, $4)', values);
  return trade;
}

/** Adds a purchase, changes the supply of its market, and announces it to subscribers. */
export async function addLiveTrade(world: World, given: Row & { trader: string; agent: string; amount: number }) {
  const { eventId, agent, amount } = await addTrade(world, given);
  await announceTrade(world, { eventId, agent, change: Number(amount) });
}

/** Removes a purchase as a reorg does, and announces it to subscribers. */
export async function removeTrade(world: World, trade: { eventId: string; agent: string; amount: number }) {
  const { eventId, agent, amount } = trade;
  await runSql(world.deps, 'delete from transaction where event_id = $1', [eventId]);
  await announceTrade(world, { eventId, agent, change: -amount, removed: true });
}

type TradeNews = { readonly eventId: string; readonly agent: string; readonly change: number; removed?: boolean };

async function announceTrade(world: World, { eventId: subject, agent, change, removed = false }: TradeNews) {
  await runSql(world.deps, 'update market set supply = supply + $2 where wallet = $1', [agent, change]);
  await world.deps.write((tx) => announce(tx, [{ topic: 'trade', subject, agent, removed }], world.clock.now()));
  world.deps.live.wake();
}

/** Adds posts of an agent, and announces them to subscribers in one transaction. */
export async function addPosts(world: World, agent: string, texts: readonly string[]): Promise<void> {
  const createdAt = world.clock.now();
  const posts = texts.map((text) => ({ id: drawBytes(16).toString('base64url'), agent, text, createdAt }));
  await world.deps.write(async (tx) => {
    await tx.insertMany(AgentActivity, posts);
    const news = posts.map(({ id }) => ({ topic: 'post' as const, subject: id, agent }));
    await announce(tx, news, createdAt);
  });
  world.deps.live.wake();
}

/** Adds a season that starts and ends the given numbers of days from now. */
export async function addSeason(world: World, number: number, from: number, to: number, scoredAt: Date | null = null) {
  const inDays = (days: number) => new Date(world.clock.now().getTime() + days * DAY_MS);
  await insert(world, SeasonTable, { number, startAt: inDays(from), endAt: inDays(to), scoredAt });
}
