import { runSql } from '../../../support/store.js';
import type { World } from '../../../support/world.js';
import type { Member, Population } from './population.js';

/** The agent that the attackers ask about, with the id of one of its posts and the hash of one of its trades. */
export type Victim = Member & { readonly post: string; readonly trade: string };

export async function victimOf(world: World, { members }: Population): Promise<Victim> {
  const member = members.find(({ name }) => name === 'Bob') as Member;
  const { sql } = world.deps;
  const [post] = await sql<{ id: string }>('select id from agent_activity where agent = $1 limit 1', [member.wallet]);
  const [trade] = await sql<{ hash: string }>(
    `select tx_hash as hash from "transaction" where trader = $1 and type like '%BUY%' order by block_number limit 1`,
    [member.wallet],
  );
  if (post === undefined || trade === undefined) throw new Error('the victim has no post or no trade');
  return { ...member, post: post.id, trade: trade.hash };
}

/**
 * Queries for the rows that only their agent, $1, may change. Counts of followers, likes and reposts are left out, because others
 * change them.
 */
const OWNED = [
  "select to_jsonb(a) - 'follower_count' as row from agent a where wallet = $1",
  "select to_jsonb(a) - 'like_count' - 'repost_count' as row from agent_activity a where agent = $1 order by id",
  'select to_jsonb(f) as row from agent_follow f where follower = $1 order by id',
  'select to_jsonb(r) as row from reaction r where actor = $1 order by id',
  'select to_jsonb(n) as row from notification n where recipient = $1 and created_at < $2 order by id',
  'select to_jsonb(t) as row from thesis t where author = $1 order by tx_hash, ordinal',
  'select to_jsonb(k) as row from key_replacement k where wallet = $1 order by nonce',
];

/**
 * The rows that only the agent may change, as JSON. Only notifications that existed at
 * `since` are included, because others cause new ones.
 */
export async function ownedRows({ deps }: World, wallet: string, since: Date): Promise<string[]> {
  const rows: string[] = [];
  for (const text of OWNED) {
    const values = text.includes('$2') ? [wallet, since] : [wallet];
    rows.push(...(await deps.sql<{ row: object }>(text, values)).map(({ row }) => JSON.stringify(row)));
  }
  return rows;
}

/** Marks the notifications of the victim as unread, so that the test detects a request that marks them as read. */
export const markUnread = (world: World, wallet: string) =>
  runSql(world.deps, 'update notification set read_at = null where recipient = $1', [wallet]);
