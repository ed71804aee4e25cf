import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Database } from '../../src/store/database.js';
import { emptyTables, testDatabase } from '../support/database.js';
import { drawBytes } from '../support/seed.js';

export type Row = Record<string, unknown>;

export const wallet = (n: number): string => `0x${String(n).padStart(40, '0')}`;
export const hash = (n: number): string => `0x${String(n).padStart(64, '0')}`;
export const DAY = '2026-01-01T00:00:00.000Z';
export const day = (n: number): string => new Date(Date.parse(DAY) + n * 86_400_000).toISOString();
let count = 0;

/** Valid rows of each table. Columns that must be unique derive from `n`. */
export const rows: Record<string, (n: number) => Row> = {
  agent: (n) => ({
    wallet: wallet(n),
    name: `Agent ${n}`,
    agent_id: `agent_${n}`,
    api_key_hash: Buffer.from(String(n)),
    verification_code: `T-${n}`,
    registration_ip: drawBytes(8),
    created_at: DAY,
  }),
  agent_activity: (n) => ({ id: `post${n}`, agent: wallet(1), text: 'hello', created_at: DAY }),
  agent_follow: () => ({ follower: wallet(1), followed: wallet(2), created_at: DAY }),
  reaction: () => ({ post: 'post1', actor: wallet(2), kind: 'like', created_at: DAY }),
  notification: () => ({
    recipient: wallet(1),
    type: 'NEW_FOLLOWER',
    subject: 'x',
    message: 'x',
    data: '{}',
    created_at: DAY,
  }),
  live_cursor: () => ({ id: 1, last: 0 }),
  live_event: (n) => ({
    sequence: n,
    topic: 'post',
    removed: false,
    subject: `post${n}`,
    agent: wallet(1),
    created_at: DAY,
  }),
  trade_claim: (n) => ({ tx_hash: hash(n), ordinal: 0, claimant: wallet(1), created_at: DAY }),
  season: (n) => ({ number: n, start_at: day(10 * n), end_at: day(10 * n + 10) }),
  agent_season_points: () => ({ season: 1, agent: wallet(1), rank: 1, computed_at: DAY }),
  market: (n) => ({
    wallet: wallet(n),
    name: `Agent ${n}`,
    agent_id: `agent_${n}`,
    supply: 1,
    holder_count: 1,
    fees_earned: 0,
    trade_count: 0,
    volume: 0,
    tx_hash: hash(n),
    ordinal: 0,
    block_number: n,
    log_index: 0,
    registered_at: DAY,
    event_id: `event${n}`,
  }),
  transaction: (n) => ({
    tx_hash: hash(n),
    ordinal: 0,
    type: 'BUY',
    trader: wallet(1),
    agent: wallet(2),
    amount: 1,
    price: 1,
    protocol_fee: 1,
    agent_fee: 1,
    supply_after: 2,
    block_number: n,
    log_index: 0,
    block_time: DAY,
    event_id: `trade${n}`,
  }),
  ticket_holding: (n) => ({ agent: wallet(1), holder: wallet(n), amount: 1, cost: 0, since: DAY }),
  ticket_lot: (n) => ({ agent: wallet(1), holder: wallet(n), block_number: n, log_index: 0, remaining: 1, cost: 0 }),
  fee_withdrawal: (n) => ({
    tx_hash: hash(n),
    ordinal: 0,
    agent: wallet(1),
    amount: 1,
    block_number: n,
    log_index: 0,
    block_time: DAY,
  }),
  wallet_ledger: (n) => ({ wallet: wallet(n), trade_count: 0, sell_count: 0, bought: 0, realized: -1 }),
  candle: (n) => ({ agent: wallet(n), hour: DAY, open: 2, high: 3, low: 1, close: 2, volume: 0, trades: 1 }),
  indexer_cursor: (n) => ({ contract: wallet(n), chain_id: 1, block_number: -1, updated_at: DAY }),
  signed_wallet: (n) => ({ wallet: wallet(n) }),
  used_post: (n) => ({ post_id: String(n), wallet: wallet(n), registered_at: DAY }),
  key_replacement: (n) => ({ wallet: wallet(n), nonce: `nonce-${n}`, created_at: DAY }),
  hidden_profile: (n) => ({ wallet: wallet(n), part: 'avatar', created_at: DAY }),
  moderation: (n) => ({
    action: 'hide',
    target: 'post',
    subject: `post${n}`,
    agent: wallet(1),
    operator: 'ann',
    reason: 'spam',
    created_at: DAY,
  }),
  issued_code: (n) => ({ code: `T-${n}` }),
  chain_block: (n) => ({ number: n, hash: hash(n) }),
  idempotent_write: (n) => ({
    id: Buffer.from([n % 256]),
    caller: Buffer.from([0]),
    content: Buffer.from([255]),
    holder: '00000000-0000-4000-8000-000000000000',
    lease_until: DAY,
    answer: Buffer.from([0, 1]),
    created_at: DAY,
  }),
};

/** Inserts valid rows into the tables of a database. `n` selects the row; other values override its columns. */
export const adder =
  (orm: Database) =>
  async (table: string, given: Row = {}): Promise<void> => {
    const row = { ...rows[table]?.(given.n === undefined ? 1000 + count++ : Number(given.n)), ...given };
    delete row.n;
    const names = Object.keys(row);
    const places = names.map(() => '?').join(', ');
    const connection = orm.em.fork().getConnection();
    await connection.execute(`insert into ${table} (${names.join(', ')}) values (${places})`, Object.values(row));
  };

/** Gives each test of the calling suite empty tables, but two agents, a post and two seasons. */
export function useRows() {
  let orm: Database;
  const em = () => orm.em.fork() as SqlEntityManager;
  const add = (table: string, given?: Row): Promise<void> => adder(orm)(table, given);
  const sql = (text: string, values: unknown[] = []) => em().getConnection().execute<Row[]>(text, values);
  before(async () => {
    orm = (await testDatabase()).orm;
  });
  beforeEach(async () => {
    await emptyTables(orm);
    for (const n of [1, 2]) await add('agent', { n });
    await add('agent_activity', { n: 1 });
    for (const n of [1, 2]) await add('season', { n });
  });
  return { add, sql, em };
}
