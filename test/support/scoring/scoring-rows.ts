import { createHash } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Agent } from '../../../src/features/agents/entities.js';
import { AgentActivity, Reaction } from '../../../src/features/feed/entities.js';
import { AgentFollow } from '../../../src/features/follows/entity.js';
import {
  FeeDestination,
  MarketTable,
  TicketHolding,
  type TradeType,
  Transaction,
  WalletLedger,
} from '../../../src/index/entities.js';
import type { History } from './scoring-oracle.js';

const sha = (text: string, length: number) => createHash('sha256').update(text).digest('hex').slice(0, length);

/** Inserts the rows that the service would store for a history. Figures that the scoring does not read, such as fees, are 0. */
export async function storeHistory(tx: SqlEntityManager, history: History): Promise<void> {
  const named = (wallet: string) => ({ wallet, name: wallet.slice(2, 16), agentId: wallet.slice(2, 32) });
  const agents = history.agents.map(({ wallet, claimedAt, ...agent }) => ({
    ...named(wallet),
    ...agent,
    apiKeyHash: Buffer.from(wallet),
    verificationCode: wallet.slice(2, 18),
    registrationIp: Buffer.alloc(1),
    claimedAt,
    claimPostId: claimedAt && wallet.slice(2, 34),
  }));
  await tx.insertMany(Agent, agents);
  const supply = new Map([...history.markets.keys()].map((wallet) => [wallet, 1]));
  const holdings = new Map(
    [...history.markets].map(([wallet, since]) => [
      `${wallet} ${wallet}`,
      { agent: wallet, holder: wallet, amount: 1, cost: 0n, since },
    ]),
  );
  // A test may store several histories, so the hashes and log indexes continue after the stored trades.
  const stored = await tx.count(Transaction);
  const trades = history.trades.map(({ side, at, ...trade }, i) => {
    const { agent, trader: holder, amount } = trade;
    const change = side === 'buy' ? amount : -amount;
    const held = holdings.get(`${agent} ${holder}`);
    if (held?.amount) held.amount += change;
    else holdings.set(`${agent} ${holder}`, { agent, holder, amount, cost: 0n, since: at });
    supply.set(agent, (supply.get(agent) ?? 1) + change);
    return {
      ...trade,
      txHash: `0x${sha(`${stored + i}`, 64)}`,
      ordinal: 0,
      type: `${history.markets.has(holder) ? 'AGENT_' : ''}${side === 'buy' ? 'BUY' : 'SELL'}` as TradeType,
      protocolFee: 0n,
      agentFee: 0n,
      supplyAfter: supply.get(agent) ?? 1,
      // The number of the block follows from the second, so all trades of one second are in one block.
      blockNumber: at.getTime() / 1000,
      logIndex: stored + i,
      blockTime: at,
      eventId: sha(`${stored + i}`, 22),
    };
  });
  const markets = [...history.markets].map(([wallet, registeredAt]) => ({
    ...named(wallet),
    supply: supply.get(wallet) ?? 1,
    txHash: wallet,
    registeredAt,
    holderCount: 0,
    feesEarned: 0n,
    tradeCount: 0,
    volume: 0n,
    ordinal: 0,
    blockNumber: 0,
    logIndex: 0,
    eventId: sha(`market ${wallet}`, 22),
  }));
  await tx.insertMany(MarketTable, markets);
  const held = [...holdings.values()].filter(({ amount }) => amount > 0);
  await tx.insertMany(TicketHolding, held);
  await tx.insertMany(Transaction, trades);
  const spent = Map.groupBy(history.trades, ({ trader }) => trader);
  const ledgers = Array.from(spent, ([wallet, made]) => {
    const bought = made.reduce((sum, { side, price }) => (side === 'buy' ? sum + price : sum), 0n);
    return { wallet, bought, tradeCount: made.length, sellCount: 0, realized: 0n };
  });
  await tx.insertMany(WalletLedger, ledgers);
  const destinations = (history.destinations ?? []).map(({ agent, destination, at }, i) => ({
    agent,
    destination,
    txHash: `0x${sha(`${agent} pays ${destination} ${at.getTime()} ${i}`, 64)}`,
    ordinal: 0,
    blockNumber: at.getTime() / 1000,
    logIndex: i,
  }));
  await tx.insertMany(FeeDestination, destinations);
  const timed = <T extends { readonly at: Date }>(rows: readonly T[]) =>
    rows.map(({ at: createdAt, ...row }) => ({ ...row, createdAt }));
  await tx.insertMany(AgentActivity, timed(history.posts.map((post) => ({ ...post, text: 'Hello' }))));
  await tx.insertMany(AgentFollow, timed(history.follows));
  await tx.insertMany(Reaction, timed(history.reactions));
}

/** Removes an agent from a history as a deletion does: its profile and its records are removed, the chain facts stay. */
export function withoutAgent(history: History, wallet: string): History {
  const posts = history.posts.filter(({ agent }) => agent !== wallet);
  const left = new Set(posts.map(({ id }) => id));
  return {
    ...history,
    agents: history.agents
      .filter((agent) => agent.wallet !== wallet)
      .map((agent) => (agent.referredBy === wallet ? { ...agent, referredBy: null } : agent)),
    posts,
    follows: history.follows.filter(({ follower, followed }) => follower !== wallet && followed !== wallet),
    reactions: history.reactions.filter(({ actor, post }) => actor !== wallet && left.has(post)),
  };
}
