import { AppError } from '../errors.js';
import { atMost, type Sql } from './sql.js';

/**
 * Pages by key: a page begins after the key of a row, not after a number of rows, so that rows that come in meanwhile
 * neither repeat nor hide others. The keys of a list are unique together and give its order.
 */
export type KeyType = 'timestamptz' | 'int4' | 'int8' | 'numeric' | 'text';
export type Keys = readonly (readonly [expression: string, type: KeyType])[];

/** As many rows as `first` after the one with the key `after`; from the beginning without one. */
export type Page = {
  readonly first: number;
  readonly after: readonly string[] | null;
  /** Whether nobody will ask for the keys: they are not read then. */
  readonly keyless?: boolean;
};
/** `key` is made when it is asked for: most pages are read without cursors. */
export type Keyed<Row> = Row & { readonly key: () => readonly string[] };

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
export type Relation = List & {
  readonly of: string;
  readonly parent?: 'text' | 'int';
  /** What the columns are called: without, the keys are read even where nobody asks for them. */
  readonly names?: readonly string[];
};

const forms: Readonly<Record<KeyType, (text: string) => boolean>> = {
  timestamptz: (text) => /^[1-9]\d{3}-.{19}$/.test(text) && isTime(text),
  int4: (text) => /^-?\d{1,10}$/.test(text) && Math.abs(Number(text)) < 2 ** 31,
  int8: (text) => /^-?\d{1,18}$/.test(text),
  numeric: (text) => /^-?\d{1,78}$/.test(text),
  text: (text) => text.length <= 100 && !text.includes('\0'),
};

/** As a key is written: what else the language takes for a time, the database may not. */
const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

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
  const rows = await sql<Row>(
    `select * from (${pageSql(list, values.length + 1, page)}) page ${atMost(page.first)}`,
    [...values, page.first, ...(page.after ?? [])],
    'composed',
  );
  return page.keyless ? (rows as Keyed<Row>[]) : rows.map((row) => withKey(row, list.keys));
}

/** A page of the same size for each parent, in one statement. */
export async function rowsByParent<Row extends object>(
  sql: Sql,
  relation: Relation,
  parents: readonly (string | number)[],
  page: Page,
): Promise<Map<string, Keyed<Row>[]>> {
  const { of, parent = 'text', where = 'true', keys, names } = relation;
  const keyless = page.keyless && names !== undefined;
  const children = pageSql({ ...relation, where: `${of} = parent.id and ${where}` }, 2, { ...page, keyless: false });
  const columns = keyless ? names.map((name) => `child."${name}"`).join(', ') : 'child.*';
  const order = keys.map((_, i) => `key${i} ${directionOf(relation)}`).join(', ');
  // A row says by a small number whose it is: ids are long, and their text would be made for each row.
  const rows = await sql<Row & { parent: number }>(
    `select parent.place::int as parent, ${columns}
     from unnest($1::${parent}[]) with ordinality as parent (id, place)
     cross join lateral (select * from (${children}) page ${atMost(page.first)}) child order by parent.place, ${order}`,
    [parents, page.first, ...(page.after ?? [])],
    'composed',
  );
  const groups = new Map<string, Keyed<Row>[]>();
  let place = 0;
  let group: Keyed<Row>[] = [];
  for (const row of rows) {
    if (row.parent !== place) {
      place = row.parent;
      group = [];
      groups.set(String(parents[place - 1]), group);
    }
    group.push(keyless ? (row as unknown as Keyed<Row>) : withKey(row, keys));
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

function pageSql(list: List, limitParameter: number, { after, keyless }: Page): string {
  const { columns, from, where = 'true', keys, ascending } = list;
  checkKey(
    keys.map(([, type]) => type),
    after,
  );
  const direction = directionOf(list);
  const place = keys.map(([, type], i) => `$${limitParameter + 1 + i}::${type}`).join(', ');
  const beyond = after ? `and (${keys.map(([key]) => key).join(', ')}) ${ascending ? '>' : '<'} (${place})` : '';
  const read = keyless ? [] : keys.map(([key], i) => `${key} as key${i}`);
  return `select ${[columns, ...read].join(', ')} from ${from}
    where ${where} ${beyond} order by ${keys.map(([key]) => `${key} ${direction}`).join(', ')} limit $${limitParameter}`;
}

const withKey = <Row extends object>(row: Row, keys: Keys): Keyed<Row> => {
  const key = () => keys.map((_, i) => keyText((row as Record<string, unknown>)[`key${i}`]));
  return Object.assign(row, { key });
};
