import { AppError } from '../errors/errors.js';
import type { Sql, TextOrigin } from './sql.js';

/** The sort keys of a list: SQL expressions with their types. No two rows have the same keys. */
export type Keys = readonly (readonly [expression: string, type: KeyType])[];
export type KeyType = 'timestamptz' | 'int4' | 'int8' | 'numeric' | 'text';

/**
 * Keyset pagination: the page starts after the row with the key `after`, so that rows that are inserted meanwhile do not shift it.
 */
export type KeyPage = {
  /** Number of rows to read. */
  readonly first: number;
  /** Key of the row before the page. null for the first page. */
  readonly after: readonly string[] | null;
  /** Omits the keys of the rows, because the caller does not read them. */
  readonly keyless?: boolean;
};
export type OffsetPage = { readonly offset: number; readonly limit: number };
export type Page = KeyPage | OffsetPage;

export const sizeOf = (page: Page): number => ('limit' in page ? page.limit : page.first);

/** A row with its sort key. Rows read without keys, for example by offset, have no `key` function. */
export type Keyed<Row> = Row & { readonly key: () => readonly string[] };

/** A page of rows for each parent, by the id of the parent. */
export type ByParent<Row> = Map<string, Keyed<Row>[]>;

/** SQL expressions by the names of their columns. */
export type Columns = Readonly<Record<string, string>>;

/** SQL expressions for all fields of a row. */
export type ColumnsOf<Row> = Readonly<Record<keyof Row, string>>;

/** The columns as the select list of a statement. */
export const selected = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, expression]) => `${expression} as "${name}"`)
    .join(', ');

/** The columns with these names. A name without a column is ignored. */
export const chosen = (columns: Columns, names: readonly string[] = Object.keys(columns)): Columns =>
  Object.fromEntries(names.flatMap((name) => (columns[name] === undefined ? [] : [[name, columns[name]]])));

/** A list in SQL. `statementOf` makes the statement that reads one page of it. */
export type List = {
  readonly columns: Columns;
  readonly from: string;
  /** SQL condition for the rows. All rows if not given. */
  readonly where?: string;
  readonly keys: Keys;
  /** Sorts from the lowest key to the highest. @default false */
  readonly ascending?: boolean;
  /** Values of the parameters $1, $2 ... in the SQL expressions of this object. */
  readonly values?: readonly unknown[];
  /**
   * Joins that run only for the rows of the page, not for skipped rows. `find` lists the columns that the inner statement selects
   * from `from`. `joins` and `columns` refer to these columns as `page`.
   */
  readonly late?: { readonly find: string; readonly joins: string };
  /**
   * If true, the planner sees the page size and the offset, because the best plan depends on all values of the statement. Otherwise
   * `opaque` hides these two. @default false
   */
  readonly planByValues?: boolean;
};

/** A list that every parent has, such as the trades of an agent. `rowsByParent` reads a page of it for many parents. */
export type Relation = List & {
  /** Column with the id of the parent. */
  readonly of: string;
  readonly parent?: 'text' | 'int';
};

/** Collects the parameters of a statement. `add` returns the placeholder of a value. */
export class Parameters {
  readonly values: unknown[];
  constructor(values: readonly unknown[] = []) {
    this.values = [...values];
  }
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

/** Whether a text can be a key of the type. The database would refuse another text with an error. */
const forms: Readonly<Record<KeyType, (text: string) => boolean>> = {
  timestamptz: (text) => /^[1-9]\d{3}-.{19}$/.test(text) && isTime(text),
  int4: (text) => /^-?\d{1,10}$/.test(text) && Math.abs(Number(text)) < 2 ** 31,
  int8: (text) => /^-?\d{1,18}$/.test(text),
  numeric: (text) => /^-?\d{1,78}$/.test(text),
  text: (text) => text.length <= 100 && !text.includes('\0'),
};

/** Whether the text is a time in the form of a key. Date.parse also accepts other forms, which the database may refuse. */
const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/** Refuses a client's cursor that cannot be the key of a row of this list. */
export function checkKey(types: readonly KeyType[], after: KeyPage['after']): void {
  if (after === null) return;
  if (after.length !== types.length || !types.every((type, i) => forms[type](after[i] ?? ''))) {
    throw new AppError('INVALID_FIELD', { field: 'after', expected: 'the cursor of an edge of the same list' });
  }
}

export const keyText = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

export async function rowsOf<Row extends object>(sql: Sql, list: List, page: Page): Promise<Keyed<Row>[]> {
  const { values, text } = statementOf(list, page);
  return keyed(await sql<Row>(text, values, originFor(page)), list, page);
}

/**
 * Reads an offset page and the number that the query `total` selects, in one statement. The first column of the list must not be
 * null, because null there means that the page is empty.
 */
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

/** Reads a page for each parent, in one statement. */
export async function rowsByParent<Row extends object>(
  sql: Sql,
  relation: Relation,
  parents: readonly (string | number)[],
  page: Page,
): Promise<ByParent<Row>> {
  const { of, parent = 'text', where = 'true', values: relationValues = [], columns } = relation;
  const ids = idsIn(`$${relationValues.length + 1}`, parent);
  const children = { ...relation, where: `${of} = parent.id and ${where}`, values: [...relationValues, parents] };
  const { values, text } = statementOf(children, page, true);
  const names = Object.keys(columns).map((name) => `child."${name}"`);
  // Identifies the parent by its position in the array, because ids are long, and transferring them would cost more.
  const rows = await sql<Row & { parent: number }>(
    `select ${['parent.position::int as parent', ...names, ...keysOf(relation, page, 'child')].join(', ')}
     from ${ids} with ordinality as parent (id, position)
     cross join lateral (${text}) child order by parent.position, ${orderOf(relation, 'child')}`,
    values,
    originFor(page),
  );
  return Map.groupBy(keyed(rows, relation, page), (row) => String(parents[row.parent - 1]));
}

/**
 * The rows of an array parameter, hidden from the planner. A plan for an array of one element looks much cheaper than the
 * generic plan, so PostgreSQL would plan every request again. Planning takes as long as the request itself.
 */
export const idsIn = (parameter: string, type: 'text' | 'int' = 'text'): string => `unnest(${opaque(parameter, `${type}[]`)})`;

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

/** Origin of the SQL text of a page. Most key pages serve GraphQL, whose clients choose the columns, so their texts vary. */
const originFor = (page: Page): TextOrigin => ('limit' in page ? 'constant' : 'composed');

const hasKeys = (page: Page): page is KeyPage => !('limit' in page || page.keyless);

const keysOf = ({ keys }: List, page: Page, row: string): string[] =>
  hasKeys(page) ? keys.map((_, i) => `${row}.key${i} as key${i}`) : [];

const directionOf = ({ ascending }: List): string => (ascending ? 'asc' : 'desc');

const orderOf = (list: List, row: string): string => list.keys.map((_, i) => `${row}.key${i} ${directionOf(list)}`).join(', ');

/**
 * Builds the statement that reads a page. `nested` says that the statement is part of another statement, which sorts by the keys.
 */
function statementOf(list: List, page: Page, nested = false): { values: readonly unknown[]; text: string } {
  const { columns, from, where = 'true', keys, late } = list;
  const parameters = new Parameters(list.values);
  const keyColumns = nested || late || hasKeys(page) ? keys.map(([key], i) => `${key} as key${i}`) : [];
  const order = keys.map(([key]) => `${key} ${directionOf(list)}`).join(', ');
  const size = limitOf(list, page, parameters);
  const found = `select ${[late ? late.find : selected(columns), ...keyColumns].join(', ')} from ${from}
    where ${where} ${afterKey(list, page, parameters)} order by ${order} ${size}`;
  const { values } = parameters;
  // `found` limits the rows exactly. The LIMIT around it is a literal, from which the planner knows about how many rows come.
  if (!late) return { values, text: `select * from (${found}) page ${atMost(sizeOf(page))}` };
  const pageKeys = nested ? keys.map((_, i) => `page.key${i}`) : keysOf(list, page, 'page');
  const text = `select ${[selected(columns), ...pageKeys].join(', ')}
    from (select * from (${found}) whole ${atMost(sizeOf(page))}) page ${late.joins}`;
  return { values, text: nested ? text : `${text} order by ${orderOf(list, 'page')}` };
}

function limitOf({ planByValues }: List, page: Page, parameters: Parameters): string {
  const parameter = (value: number) => (planByValues ? parameters.add(value) : opaque(parameters.add(value), 'int'));
  return `limit ${parameter(sizeOf(page))} ${'limit' in page ? `offset ${parameter(page.offset)}` : ''}`;
}

/** The SQL condition that selects the rows after the key of a page. Empty for the first page, and for pages by offset. */
function afterKey({ keys, ascending }: List, page: Page, parameters: Parameters): string {
  if ('limit' in page || page.after === null) return '';
  const { after } = page;
  checkKey(
    keys.map(([, type]) => type),
    after,
  );
  const key = keys.map(([, type], i) => `${parameters.add(after[i])}::${type}`).join(', ');
  return `and (${keys.map(([expression]) => expression).join(', ')}) ${ascending ? '>' : '<'} (${key})`;
}

/** Adds the function `key` to rows. It computes the key on demand, because most callers do not read it. */
function keyed<Row extends object>(rows: Row[], { keys }: List, page: Page): Keyed<Row>[] {
  if (!hasKeys(page)) return rows as Keyed<Row>[];
  return rows.map((row) =>
    Object.assign(row, { key: () => keys.map((_, i) => keyText((row as Record<string, unknown>)[`key${i}`])) }),
  );
}

/**
 * The numbers to which `atMost` rounds up a page size, ascending. A size above the last number becomes 1000. With few numbers,
 * there are few different statements.
 */
const PAGE_SIZES = [5, 10, 20, 50, 100];

/**
 * A LIMIT clause with a literal number that is at least the page size. It stands around a statement whose exact LIMIT is a
 * parameter: for a parameter, the planner assumes a tenth of the table, and would choose a bad generic plan, or plan every request
 * again. A list returns at most 1,000 rows.
 */
export const atMost = (size: number): string => `limit ${PAGE_SIZES.find((pageSize) => pageSize >= size) ?? 1000}`;

/**
 * A parameter whose value is hidden from the planner, so that PostgreSQL uses one generic plan. With a visible value, such as a
 * time 24 hours ago, a plan for this value looks much cheaper than the generic plan, so PostgreSQL would plan every request again.
 * Planning takes as long as reading the page.
 */
export const opaque = (parameter: string, type: 'int' | 'timestamptz' | 'int[]' | 'text[]'): string =>
  `(select ${parameter}::${type})`;
