import { AppError } from '../errors.js';
import { atMost, type Made, type Sql, unseen } from './sql.js';

/** Expressions that are unique together and give the order of a list, with their types. */
export type Keys = readonly (readonly [expression: string, type: KeyType])[];
export type KeyType = 'timestamptz' | 'int4' | 'int8' | 'numeric' | 'text';

/**
 * A page by key begins after the row with the key `after`, or at the beginning of the list. Rows that are inserted between
 * two requests neither repeat nor hide others.
 */
export type KeyPage = {
  readonly first: number;
  readonly after: readonly string[] | null;
  /** No caller reads the keys of the rows, so the statement leaves them out. */
  readonly keyless?: boolean;
};
export type OffsetPage = { readonly offset: number; readonly limit: number };
export type Page = KeyPage | OffsetPage;

export const sizeOf = (page: Page): number => ('limit' in page ? page.limit : page.first);

/** A row with the key of its place. Rows that were read without keys, for example by offset, have none. */
export type Keyed<Row> = Row & { readonly key: () => readonly string[] };

/** Column name -> SQL expression. */
export type Columns = Readonly<Record<string, string>>;

export const selected = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, expression]) => `${expression} as "${name}"`)
    .join(', ');

export type List = {
  readonly columns: Columns;
  readonly from: string;
  /** All rows if not given. */
  readonly where?: string;
  readonly keys: Keys;
  /** From the lowest key to the highest. The default is from the highest to the lowest. */
  readonly ascending?: boolean;
  /** The parameters $1, $2 ... of the expressions above. */
  readonly values?: readonly unknown[];
  /**
   * Joins that are made for the rows of the page only, not for the rows before it. `find` lists what the statement selects
   * from `from`; `joins` and `columns` refer to that as `page`.
   */
  readonly late?: { readonly find: string; readonly joins: string };
  /** The best plan depends on the values, so the planner must see all of them, the size of the page too. */
  readonly planByValues?: boolean;
};

/** A list that each of many parents has. */
export type Relation = List & {
  /** The column that names the parent. */
  readonly of: string;
  readonly parent?: 'text' | 'int';
};

/** The parameters of a statement: `add` returns the placeholder of a value. */
export class Parameters {
  readonly values: unknown[];
  constructor(values: readonly unknown[] = []) {
    this.values = [...values];
  }
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

const forms: Readonly<Record<KeyType, (text: string) => boolean>> = {
  timestamptz: (text) => /^[1-9]\d{3}-.{19}$/.test(text) && isTime(text),
  int4: (text) => /^-?\d{1,10}$/.test(text) && Math.abs(Number(text)) < 2 ** 31,
  int8: (text) => /^-?\d{1,18}$/.test(text),
  numeric: (text) => /^-?\d{1,78}$/.test(text),
  text: (text) => text.length <= 100 && !text.includes('\0'),
};

/** As a key is written: what else the language takes for a time, the database may not. */
const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/** Refuses a key from outside that cannot be the key of a row of this list. */
export function checkKey(types: readonly KeyType[], after: KeyPage['after']): void {
  if (after === null) return;
  if (after.length !== types.length || !types.every((type, i) => forms[type](after[i] ?? ''))) {
    throw new AppError('INVALID_FIELD', { field: 'after', expected: 'the cursor of an edge of the same list' });
  }
}

export const keyText = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

/** One page of a list. */
export async function rowsOf<Row extends object>(sql: Sql, list: List, page: Page): Promise<Keyed<Row>[]> {
  const { values, text } = statementOf(list, page);
  return keyed(await sql<Row>(text, values, madeFor(page)), list, page);
}

/** A page by offset and the number that `total` selects, in one statement. The first column must not be null. */
export async function rowsAndTotal<Row extends object>(
  sql: Sql,
  list: List,
  page: OffsetPage,
  total: string,
): Promise<{ readonly rows: Row[]; readonly total: number }> {
  const { values, text } = statementOf(list, page, true);
  const names = Object.keys(list.columns);
  const found = await sql<Row & { total: number }>(
    `select ${names.map((name) => `item."${name}"`).join(', ')}, counted.total from (${total}) as counted (total)
     left join (${text}) item on true order by ${orderOf(list, 'item')}`,
    values,
  );
  const [first = ''] = names;
  const rows = found.filter((row) => (row as Record<string, unknown>)[first] !== null);
  return { rows, total: found[0]?.total ?? 0 };
}

/** A page of the same size for each parent, in one statement. One parent is a list of one. */
export async function rowsByParent<Row extends object>(
  sql: Sql,
  relation: Relation,
  parents: readonly (string | number)[],
  page: Page,
): Promise<Map<string, Keyed<Row>[]>> {
  const { of, parent = 'text', where = 'true', values: given = [], columns } = relation;
  const ids = idsIn(`$${given.length + 1}`, parent);
  const children = { ...relation, where: `${of} = parent.id and ${where}`, values: [...given, parents] };
  const { values, text } = statementOf(children, page, true);
  const names = Object.keys(columns).map((name) => `child."${name}"`);
  // A row names its parent by a small number. The ids are long, and reading them would cost more.
  const rows = await sql<Row & { parent: number }>(
    `select ${['parent.place::int as parent', ...names, ...keysOf(relation, page, 'child')].join(', ')}
     from ${ids} with ordinality as parent (id, place)
     cross join lateral (${text}) child order by parent.place, ${orderOf(relation, 'child')}`,
    values,
    madeFor(page),
  );
  const groups = new Map<string, Keyed<Row>[]>();
  let place = 0;
  let group: Keyed<Row>[] = [];
  for (const row of keyed(rows, relation, page)) {
    if (row.parent !== place) {
      place = row.parent;
      group = [];
      groups.set(String(parents[place - 1]), group);
    }
    group.push(row);
  }
  return groups;
}

/**
 * The rows of an array parameter. Its length is hidden from the planner: the plan for an array of one looks so much better
 * than the plan for any array that PostgreSQL would plan each request, which takes as long as the request itself.
 */
export const idsIn = (parameter: string, type: 'text' | 'int' = 'text'): string =>
  `unnest(${unseen(parameter, `${type}[]`)})`;

/** How many rows each parent has. */
export async function countsByParent(
  sql: Sql,
  { from, of, where = 'true', parent = 'text' }: Pick<Relation, 'from' | 'of' | 'where' | 'parent'>,
  parents: readonly (string | number)[],
): Promise<Map<string, number>> {
  const rows = await sql<{ id: string | number; total: number }>(
    `select parent.id, (select count(*) from ${from} where ${of} = parent.id and ${where}) as total
     from ${idsIn('$1', parent)} as parent (id)`,
    [parents],
  );
  return new Map(rows.map(({ id, total }) => [String(id), total]));
}

/** Pages by key serve GraphQL, whose callers choose the columns. */
const madeFor = (page: Page): Made => ('limit' in page ? 'constant' : 'composed');

const hasKeys = (page: Page): page is KeyPage => !('limit' in page || page.keyless);

const keysOf = ({ keys }: List, page: Page, row: string): string[] =>
  hasKeys(page) ? keys.map((_, i) => `${row}.key${i} as key${i}`) : [];

const directionOf = ({ ascending }: List): string => (ascending ? 'asc' : 'desc');

const orderOf = (list: List, row: string): string =>
  list.keys.map((_, i) => `${row}.key${i} ${directionOf(list)}`).join(', ');

/** `within`: the statement is part of another one, which orders by the keys. */
function statementOf(list: List, page: Page, within = false): { values: readonly unknown[]; text: string } {
  const { columns, from, where = 'true', keys, late } = list;
  const parameters = new Parameters(list.values);
  const keyColumns = within || late || hasKeys(page) ? keys.map(([key], i) => `${key} as key${i}`) : [];
  const order = keys.map(([key]) => `${key} ${directionOf(list)}`).join(', ');
  const size = cutOf(list, page, parameters);
  const found = `select ${[late ? late.find : selected(columns), ...keyColumns].join(', ')} from ${from}
    where ${where} ${beyondOf(list, page, parameters)} order by ${order} ${size}`;
  const { values } = parameters;
  if (!late) return { values, text: `select * from (${found}) page ${atMost(sizeOf(page))}` };
  const pageKeys = within ? keys.map((_, i) => `page.key${i}`) : keysOf(list, page, 'page');
  const text = `select ${[selected(columns), ...pageKeys].join(', ')}
    from (select * from (${found}) whole ${atMost(sizeOf(page))}) page ${late.joins}`;
  return { values, text: within ? text : `${text} order by ${orderOf(list, 'page')}` };
}

function cutOf({ planByValues }: List, page: Page, parameters: Parameters): string {
  const shown = (value: number) => (planByValues ? parameters.add(value) : unseen(parameters.add(value), 'int'));
  return `limit ${shown(sizeOf(page))} ${'limit' in page ? `offset ${shown(page.offset)}` : ''}`;
}

/** The condition for rows after the key of a page. */
function beyondOf({ keys, ascending }: List, page: Page, parameters: Parameters): string {
  if ('limit' in page || page.after === null) return '';
  const { after } = page;
  checkKey(
    keys.map(([, type]) => type),
    after,
  );
  const place = keys.map(([, type], i) => `${parameters.add(after[i])}::${type}`).join(', ');
  return `and (${keys.map(([key]) => key).join(', ')}) ${ascending ? '>' : '<'} (${place})`;
}

/** `key` is computed on demand, because most callers do not read it. */
function keyed<Row extends object>(rows: Row[], { keys }: List, page: Page): Keyed<Row>[] {
  if (!hasKeys(page)) return rows as Keyed<Row>[];
  return rows.map((row) =>
    Object.assign(row, { key: () => keys.map((_, i) => keyText((row as Record<string, unknown>)[`key${i}`])) }),
  );
}
