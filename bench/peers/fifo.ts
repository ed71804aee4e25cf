// Recomputes all positions from all trades of a database and prints the time: `service`, by the code of the service for reorgs,
// or `plain`, a straightforward loop with BigInt and pg. Each runs in a process of its own.
import pg from 'pg';
import type { Pair } from '../../src/core/trading/commands/book.js';
import { loadTrades } from '../../src/core/trading/commands/replay.js';
import { replay } from '../../src/core/trading/fifo.js';
import { openDatabase } from '../../src/store/database.js';
import { openSql } from '../../src/store/sql.js';
import { TIMES } from '../../src/times.js';

export type Fifo = {
  /** Time in milliseconds: `whole` includes loading, `compute` is the computation alone. */
  readonly whole: number;
  readonly compute: number;
  /** Remaining lots: their number, tickets and cost. */
  readonly remainder: readonly [lots: number, tickets: number, cost: string];
};

async function serviceReplay(url: string): Promise<Fifo> {
  const orm = await openDatabase({ url }, { times: TIMES });
  const sql = await openSql(orm);
  // The positions are given, because a reorg knows which positions it touched.
  const pairs = await sql<Pair>('select distinct agent, trader as holder from transaction');
  const began = performance.now();
  const { columns, spans } = await loadTrades(sql, pairs);
  const loaded = performance.now();
  for (const [agent, holder, { from, to }] of spans) {
    replay(columns, from, to, agent === holder ? 1 : 0);
  }
  const ended = performance.now();
  let [lots, tickets, cost] = [0, 0, 0n];
  for (let i = 0; i < columns.count; i++) {
    const remaining = columns.amounts[i] as number;
    if (remaining === 0) continue;
    lots++;
    tickets += remaining;
    cost += BigInt(columns.high[i] as number) * 100_000_000_000_000n + BigInt(columns.low[i] as number);
  }
  await orm.close(true);
  return { whole: ended - began, compute: ended - loaded, remainder: [lots, tickets, String(cost)] };
}

type Lot = { remaining: number; cost: bigint };

async function plainReplay(url: string): Promise<Fifo> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const began = performance.now();
  const { rows } = await client.query<{ agent: string; trader: string; type: string; amount: number; cost: string }>(
    `select agent, trader, type, amount, price + protocol_fee + agent_fee as cost from transaction
     order by block_number, log_index`,
  );
  const loaded = performance.now();
  const positions = new Map<string, { lots: Lot[]; first: number; free: number }>();
  for (const { agent, trader, type, amount, cost } of rows) {
    const key = `${agent}/${trader}`;
    let position = positions.get(key);
    if (position === undefined) {
      position = { lots: [], first: 0, free: agent === trader ? 1 : 0 };
      positions.set(key, position);
    }
    if (type.endsWith('BUY')) {
      position.lots.push({ remaining: amount, cost: BigInt(cost) });
      continue;
    }
    let unsold = amount;
    const fromFree = Math.min(unsold, position.free);
    position.free -= fromFree;
    unsold -= fromFree;
    while (unsold > 0) {
      const lot = position.lots[position.first];
      if (lot === undefined) throw new Error('more tickets are sold than were bought');
      const taken = Math.min(unsold, lot.remaining);
      lot.cost -= (lot.cost * BigInt(taken)) / BigInt(lot.remaining);
      lot.remaining -= taken;
      unsold -= taken;
      if (lot.remaining === 0) position.first++;
    }
  }
  const ended = performance.now();
  let [lots, tickets, cost] = [0, 0, 0n];
  for (const position of positions.values()) {
    for (const lot of position.lots.slice(position.first)) {
      lots++;
      tickets += lot.remaining;
      cost += lot.cost;
    }
  }
  await client.end();
  return { whole: ended - began, compute: ended - loaded, remainder: [lots, tickets, String(cost)] };
}

const [, , url = '', mode] = process.argv;
process.stdout.write(`${JSON.stringify(await (mode === 'service' ? serviceReplay : plainReplay)(url))}\n`);
