import { createHash } from 'node:crypto';
import { insertMany, type Sql } from '../../../src/store/sql.js';
import type { History } from './scoring-oracle.js';

const sha = (text: string, length: number) => createHash('sha256').update(text).digest('hex').slice(0, length);

type Holding = { readonly agent: string; readonly holder: string; amount: number; since: Date };

/** Inserts the rows that the service would store for a history. */
export async function storeHistory(sql: Sql, history: History): Promise<void> {
  const { agents, trades, posts, follows, reactions } = history;
  await insertMany(sql, 'agent', {
    wallet: ['varchar', agents.map(({ wallet }) => wallet)],
    name: ['varchar', agents.map(({ wallet }) => wallet.slice(2, 16))],
    agent_id: ['varchar', agents.map(({ wallet }) => wallet.slice(2, 32))],
    api_key_hash: ['bytea', agents.map(({ wallet }) => `\\x${wallet.slice(2)}`)],
    verification_code: ['varchar', agents.map(({ wallet }) => wallet.slice(2, 18))],
    registration_ip: ['bytea', agents.map(() => '\\x00')],
    referred_by: ['varchar', agents.map(({ referredBy }) => referredBy)],
    referred_at: ['timestamptz', agents.map(({ referredAt }) => referredAt)],
    claimed_at: ['timestamptz', agents.map(({ claimedAt }) => claimedAt)],
    claim_post_id: ['varchar', agents.map(({ wallet, claimedAt }) => claimedAt && wallet.slice(2, 34))],
    created_at: ['timestamptz', agents.map(({ createdAt }) => createdAt)],
  });
  const markets = [...history.markets];
  const supply = new Map(markets.map(([wallet]) => [wallet, 1]));
  const holdings = new Map<string, Holding>();
  for (const [wallet, registeredAt] of markets) {
    holdings.set(`${wallet} ${wallet}`, { agent: wallet, holder: wallet, amount: 1, since: registeredAt });
  }
  const after = trades.map(({ side, agent, trader, amount, at }) => {
    const change = side === 'buy' ? amount : -amount;
    const key = `${agent} ${trader}`;
    const held = holdings.get(key);
    if (held === undefined || held.amount === 0) holdings.set(key, { agent, holder: trader, amount, since: at });
    else held.amount += change;
    supply.set(agent, (supply.get(agent) ?? 1) + change);
    return supply.get(agent) ?? 1;
  });
  await insertMany(sql, 'market', {
    wallet: ['varchar', markets.map(([wallet]) => wallet)],
    name: ['varchar', markets.map(([wallet]) => wallet.slice(2, 16))],
    agent_id: ['varchar', markets.map(([wallet]) => wallet.slice(2, 32))],
    supply: ['bigint', markets.map(([wallet]) => supply.get(wallet) ?? 1)],
    ...Object.fromEntries(
      ['holder_count', 'fees_earned', 'trade_count', 'volume', 'ordinal', 'block_number', 'log_index'].map((name) => [
        name,
        ['int', markets.map(() => 0)] as const,
      ]),
    ),
    tx_hash: ['varchar', markets.map(([wallet]) => wallet)],
    registered_at: ['timestamptz', markets.map(([, registeredAt]) => registeredAt)],
    event_id: ['varchar', markets.map(([wallet]) => sha(`market ${wallet}`, 22))],
  });
  const held = [...holdings.values()].filter(({ amount }) => amount > 0);
  await insertMany(sql, 'ticket_holding', {
    agent: ['varchar', held.map(({ agent }) => agent)],
    holder: ['varchar', held.map(({ holder }) => holder)],
    amount: ['int', held.map(({ amount }) => amount)],
    cost: ['numeric', held.map(() => 0)],
    since: ['timestamptz', held.map(({ since }) => since)],
  });
  const [{ blocks = 0 } = {}] = await sql<{ blocks: number | string }>(
    'select coalesce(max(block_number), 0) as blocks from transaction',
  );
  // All trades of one second are in one block.
  let block = Number(blocks);
  const place = trades.map(({ at }, i) => {
    if (at.getTime() !== trades[i - 1]?.at.getTime()) block++;
    return { block, hash: sha(`${blocks} ${i}`, 64) };
  });
  await insertMany(sql, 'transaction', {
    tx_hash: ['varchar', place.map(({ hash }) => `0x${hash}`)],
    ordinal: ['int', trades.map(() => 0)],
    type: [
      'text',
      trades.map(({ side, trader }) => `${history.markets.has(trader) ? 'AGENT_' : ''}${side.toUpperCase()}`),
    ],
    trader: ['varchar', trades.map(({ trader }) => trader)],
    agent: ['varchar', trades.map(({ agent }) => agent)],
    amount: ['int', trades.map(({ amount }) => amount)],
    price: ['numeric', trades.map(({ price }) => price)],
    protocol_fee: ['numeric', trades.map(() => 0)],
    agent_fee: ['numeric', trades.map(() => 0)],
    supply_after: ['bigint', after],
    block_number: ['bigint', place.map(({ block }) => block)],
    log_index: ['int', trades.map((_, i) => i)],
    block_time: ['timestamptz', trades.map(({ at }) => at)],
    event_id: ['varchar', place.map(({ hash }) => hash.slice(0, 22))],
  });
  await insertMany(sql, 'agent_activity', {
    id: ['varchar', posts.map(({ id }) => id)],
    agent: ['varchar', posts.map(({ agent }) => agent)],
    text: ['varchar', posts.map(() => 'Hello')],
    created_at: ['timestamptz', posts.map(({ at }) => at)],
  });
  await insertMany(sql, 'agent_follow', {
    follower: ['varchar', follows.map(({ follower }) => follower)],
    followed: ['varchar', follows.map(({ followed }) => followed)],
    created_at: ['timestamptz', follows.map(({ at }) => at)],
    removed_at: ['timestamptz', follows.map(({ removedAt }) => removedAt)],
  });
  await insertMany(sql, 'reaction', {
    post: ['varchar', reactions.map(({ post }) => post)],
    actor: ['varchar', reactions.map(({ actor }) => actor)],
    kind: ['text', reactions.map(({ kind }) => kind)],
    created_at: ['timestamptz', reactions.map(({ at }) => at)],
    removed_at: ['timestamptz', reactions.map(({ removedAt }) => removedAt)],
  });
}

/** Removes an agent from the history: its profile and its records are removed, the chain facts stay. */
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
