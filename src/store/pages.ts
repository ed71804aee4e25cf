import { AppError } from '../errors.js';
import type { Sql } from './sql.js';

/**
 * Pages by key: a page begins after the key of a row, not after a number of rows, so that rows that come in meanwhile
 * neither repeat nor hide others. The keys of a list are unique together and give its order.
 */
export type KeyType = 'timestamptz' | 'int8' | 'numeric' | 'text';
export type Keys = readonly (readonly [expression: string, type: KeyType])[];

/** As many rows as `first` after the one with the key `after`; from the beginning without one. */
export type Page = { readonly first: number; readonly after: readonly string[] | null };
export type Keyed<Row> = Row & { readonly key: readonly string[] };

export type List = {
  readonly columns: string;
  readonly from: string;
  /** true if not given. */
  readonly where?: string;
  readonly keys: Keys;
  /** From the lowest key on; from the highest if not given. */
  readonly ascending?: boolean;
};

/** A list that each of many parents has: `of` is the column that names the parent. */
export type Relation = List & { readonly of: string; readonly parent?: 'text' | 'int' };

const forms: Readonly<Record<KeyType, (text: string) => boolean>> = {
  timestamptz: (text) => text.length < 40 && !Number.isNaN(Date.parse(text)),
  int8: (text) => /^-?\d{1,18}$/.test(text),
  numeric: (text) => /^-?\d{1,78}$/.test(text),
  text: (text) => text.length <= 100,
};

/** A key comes back from outside: whatever is not the key of a row of this list is refused. */
export function checkKey(types: readonly KeyType[], after: Page['after']): void {
  if (after === null) return;
  if (after.length !== types.length || !types.every((type, i) => forms[type](after[i] ?? ''))) {
    throw new AppError('INVALID_FIELD', { field: 'after', expected: 'the cursor of an edge of the same list' });
  }
}

export const keyText = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

/** One page of a list. `values` are its own parameters, $1 and following. */
export async function rowsOnPage<Row extends object>(
  sql: Sql,
  list: List,
  values: readonly unknown[],
  page: Page,
): Promise<Keyed<Row>[]> {
  const rows = await sql<Row>(pageSql(list, values.length + 1, page), [...values, page.first, ...(page.after ?? [])]);
  return rows.map((row) => withKey(row, list.keys));
}

/** A page of the same size for each parent, in one statement. */
export async function rowsByParent<Row extends object>(
  sql: Sql,
  relation: Relation,
  parents: readonly (string | number)[],
  page: Page,
): Promise<Map<string, Keyed<Row>[]>> {
  const { of, parent = 'text', where = 'true', keys } = relation;
  const children = pageSql({ ...relation, where: `${of} = parent.id and ${where}` }, 2, page);
  const order = keys.map((_, i) => `key${i} ${directionOf(relation)}`).join(', ');
  const rows = await sql<Row & { parent: string | number }>(
    `select parent.id as parent, child.* from unnest($1::${parent}[]) as parent (id)
     cross join lateral (${children}) child order by parent, ${order}`,
    [parents, page.first, ...(page.after ?? [])],
  );
  const groups = new Map<string, Keyed<Row>[]>();
  for (const row of rows) {
    const id = String(row.parent);
    const group = groups.get(id) ?? [];
    group.push(withKey(row, keys));
    groups.set(id, group);
  }
  return groups;
}

/** How many rows each parent has. */
export async function countsByParent(
  sql: Sql,
  { from, of, where = 'true', parent = 'text' }: Relation,
  parents: readonly (string | number)[],
): Promise<Map<string, number>> {
  const rows = await sql<{ id: string | number; total: number }>(
    `select parent.id, (select count(*) from ${from} where ${of} = parent.id and ${where}) as total
     from unnest($1::${parent}[]) as parent (id)`,
    [parents],
  );
  return new Map(rows.map(({ id, total }) => [String(id), total]));
}

const directionOf = ({ ascending }: List): string => (ascending ? 'asc' : 'desc');

function pageSql(list: List, limitParameter: number, { after }: Page): string {
  const { columns, from, where = 'true', keys, ascending } = list;
  checkKey(
    keys.map(([, type]) => type),
    after,
  );
  const direction = directionOf(list);
  const place = keys.map(([, type], i) => `$${limitParameter + 1 + i}::${type}`).join(', ');
  const beyond = after ? `and (${keys.map(([key]) => key).join(', ')}) ${ascending ? '>' : '<'} (${place})` : '';
  return `select ${columns}, ${keys.map(([key], i) => `${key} as key${i}`).join(', ')} from ${from}
    where ${where} ${beyond} order by ${keys.map(([key]) => `${key} ${direction}`).join(', ')} limit $${limitParameter}`;
}

const withKey = <Row extends object>(row: Row, keys: Keys): Keyed<Row> => ({
  ...row,
  key: keys.map((_, i) => keyText((row as Record<string, unknown>)[`key${i}`])),
});
