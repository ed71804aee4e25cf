import type { Deps } from '../../../src/deps.js';
import { type Row, sortKeys, type Tables } from '../market/oracle.js';

/** Reads the tables of the index in the form in which `oracle` computes them, so that a test can compare both. */
export async function storedFacts(deps: Deps): Promise<Tables> {
  const tables: Record<string, Row[]> = {};
  for (const [table, keys] of Object.entries(sortKeys)) {
    // Sorts texts by their bytes, as `oracle` does. Numbers and times have no collation.
    const order = keys.map((key) => `${key} collate "C"`.replace(/(ordinal|number|index|hour) collate "C"/, '$1'));
    const rows = await deps.sql<Record<string, unknown>>(`select * from ${table} order by ${order.join(', ')}`);
    tables[table] = rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)])));
  }
  return tables;
}

const text = (value: unknown): string | null =>
  value === null ? null : value instanceof Date ? value.toISOString() : String(value);
