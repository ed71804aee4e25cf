import type { Changes } from './changes.js';
import type { Sql } from './sql.js';

type Reader = { readonly sql: Sql; readonly changes: Pick<Changes, 'count'>; readonly clock: { now(): Date } };
type Entry = { readonly total: Promise<number>; readonly change: number; readonly from: number; known: number };

/** What another replica writes is counted after so long; what this process writes, at once. */
const KEPT_MS = 2000;
/** A total as large as this is not counted anew for each write, and one ten times as large less often. */
const LARGE = 100_000;
const MOST_TOTALS = 1000;

const kept = new WeakMap<Sql, Map<string, Entry>>();

/**
 * A total that takes long to count: `text` gives it as `n`. It is counted once for all who ask within two seconds, and
 * anew after each write of this process; beyond 100,000 it may be two seconds old, beyond a million 30.
 */
export function totalOf(
  { sql, changes, clock }: Reader,
  text: string,
  values: readonly unknown[] = [],
): Promise<number> {
  const totals = kept.get(sql) ?? new Map<string, Entry>();
  kept.set(sql, totals);
  const key = `${text}\n${JSON.stringify(values)}`;
  const now = clock.now().getTime();
  const known = totals.get(key);
  if (known && isGood(known, changes.count, now)) return known.total;
  const total = sql<{ n: number }>(text, values).then(([row]) => row?.n ?? 0);
  const entry: Entry = { total, change: changes.count, from: now, known: 0 };
  totals.delete(key);
  totals.set(key, entry);
  const oldest = totals.size > MOST_TOTALS ? totals.keys().next().value : undefined;
  if (oldest !== undefined) totals.delete(oldest);
  total.then(
    (n) => {
      entry.known = n;
    },
    () => {
      if (totals.get(key) === entry) totals.delete(key);
    },
  );
  return total;
}

function isGood({ change, from, known }: Entry, changed: number, now: number): boolean {
  const age = Math.abs(now - from);
  return age < (known >= 10 * LARGE ? 15 * KEPT_MS : KEPT_MS) && (change === changed || known >= LARGE);
}
