import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Database } from '../../../src/store/database.js';
import { emptyTables, testDatabase } from '../database.js';

export type Row = Record<string, unknown>;

export const wallet = (n: number): string => `0x${String(n).padStart(40, '0')}`;
export const hash = (n: number): string => `0x${String(n).padStart(64, '0')}`;
export const DAY = '2026-01-01T00:00:00.000Z';
export const day = (n: number): string => new Date(Date.parse(DAY) + n * 86_400_000).toISOString();
let count = 0;

/** The columns that a valid row of a table needs in addition to those of `filled`. */
const special: Record<string, (n: number) => Row> = {
  agent: (n) => ({ verification_code: `T-${n}` }),
  agent_activity: (n) => ({ id: `post${n}`, agent: wallet(1) }),
  agent_follow: () => ({ follower: wallet(1), followed: wallet(2) }),
  reaction: () => ({ post: 'post1', actor: wallet(2), kind: 'like' }),
  notification: () => ({ recipient: wallet(1), type: 'NEW_FOLLOWER', subject: 'x' }),
  live_event: () => ({ topic: 'post', agent: wallet(1) }),
  thesis: () => ({ author: wallet(1) }),
  reason: () => ({ author: wallet(1) }),
  call_outcome: () => ({ author: wallet(1), agent: wallet(2), horizon: '1h' }),
  thesis_record: () => ({ author: wallet(1) }),
  season: (n) => ({ start_at: day(10 * n), end_at: day(10 * n + 10) }),
  agent_season_points: () => ({ agent: wallet(1) }),
  unlinked_standing: () => ({ agent: wallet(1) }),
  link_sign: () => ({ kind: 'sameBlocks' }),
  transaction: () => ({ type: 'BUY', trader: wallet(1), agent: wallet(2) }),
  ticket_holding: () => ({ agent: wallet(1) }),
  ticket_lot: () => ({ agent: wallet(1) }),
  fee_withdrawal: () => ({ agent: wallet(1) }),
  fee_destination: () => ({ agent: wallet(1), destination: wallet(2) }),
  hidden_profile: () => ({ part: 'avatar' }),
  moderation: () => ({ action: 'hide', target: 'post', agent: wallet(1) }),
  idempotent_write: () => ({ answer: Buffer.from([0, 255]) }),
};

/** A value for a column that must not be null. In keys, it derives from `n`, so that rows differ. */
function filled({ column, type, length }: Row, n: number): unknown {
  if (length === 42) return wallet(n);
  if (length === 66) return hash(n);
  const values: Row = {
    'character varying': String(n),
    text: String(n),
    jsonb: '{}',
    boolean: false,
    uuid: '00000000-0000-4000-8000-000000000000',
    bytea: Buffer.from([0, 255, n >> 8, n % 256]),
    'timestamp with time zone': DAY,
  };
  return values[String(type)] ?? (/^(block_)?number$|^sequence$/.test(String(column)) ? n : 1);
}

/** Returns a function that inserts valid rows into a table. `n` selects the row; other values override its columns. */
export const adder =
  (orm: Database) =>
  async (table: string, { n = 1000 + count++, ...given }: Row = {}): Promise<void> => {
    const connection = orm.em.fork().getConnection();
    const columns = await connection.execute<Row[]>(
      `select column_name as column, data_type as type, character_maximum_length as length from information_schema.columns
       where table_schema = 'public' and table_name = ? and is_nullable = 'NO' and column_default is null
         and is_identity = 'NO' and is_generated = 'NEVER'`,
      [table],
    );
    const needed = Object.fromEntries(columns.map((column) => [column.column, filled(column, Number(n))]));
    const row = { ...needed, ...special[table]?.(Number(n)), ...given };
    const names = Object.keys(row);
    const places = names.map(() => '?').join(', ');
    await connection.execute(`insert into ${table} (${names.join(', ')}) values (${places})`, Object.values(row));
  };

/** Gives each test of the calling suite tables that only have two agents, a post and two seasons. */
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
