import 'reflect-metadata';
import DataLoader from 'dataloader';
import { type GraphQLSchema, isObjectType } from 'graphql';
import { Field, Int, ObjectType } from 'type-graphql';
import { z } from 'zod';
import { AppError } from '../../../errors/errors.js';
import { anyText, integer, type PageSize, pageSize } from '../../inputs.js';
import type { GraphContext, LoaderSource } from '../context.js';
import { argumentsOf } from './inputs.js';
import { type ResolveInfo, selectsCursors } from './object-types.js';

@ObjectType('PageInfo', { description: 'Cursors of a page, and whether there are other pages.', simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether the list has more entries after endCursor.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, {
    description:
      'Whether the request had the argument after. Lists page forward only, without last and before: a cursor is a position in the ' +
      'order of its list, and entries before it can be added or vanish. Keep the pages that you have read to go back.',
  })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'Cursor of the first edge. Null if the page is empty.' })
  startCursor!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of the last edge. Pass it as after to get the next page. Null if the page is empty.',
  })
  endCursor!: string | null;
}

export const firstOf = ({ max }: PageSize): string => `Maximum number of entries, 1 to ${max}.`;

const AFTER = 'Cursor of an edge. The page starts after it. Default: the start of the list.';

/** The arguments of a paginated list, as fields of an input. */
export const pageFields = (size: PageSize) =>
  z.object({
    first: integer(1, size.max).default(size.fallback).describe(firstOf(size)),
    after: anyText().optional().describe(AFTER),
  });

export type PageArgs = { readonly first: number; readonly after?: string | null };

/** Registers the arguments of a paginated list. */
export const pageArgs = (size: PageSize) => argumentsOf<PageArgs>(pageFields(size));

export const PageArgs = pageArgs(pageSize);

/** A requested page, in the form that the queries of features take. */
export type PageRequest = {
  /** Number of rows to read: `size`, and one extra row, which tells whether there is a next page. */
  readonly first: number;
  readonly size: number;
  readonly after: readonly string[] | null;
  /** The query selects no cursor and no page info, so neither the keys of the rows nor the extra row are read. */
  readonly keyless?: boolean;
};

export function pageOf({ first: size, after }: PageArgs, max: number = pageSize.max): PageRequest {
  checkFirst(size, max);
  return { first: size + 1, size, after: after == null ? null : decode(after) };
}

/** Like `pageOf`, but reads only what the query selects: most queries select nodes, without cursors and page info. */
export function pageIn(info: ResolveInfo, args: PageArgs): PageRequest {
  const page = pageOf(args);
  return selectsCursors(info) ? page : { ...page, first: page.size, keyless: true };
}

export function checkFirst(first: number, max: number): void {
  if (!Number.isInteger(first) || first < 1 || first > max) {
    throw new AppError('INVALID_QUERY', { field: 'first', expected: `an integer from 1 to ${max}` });
  }
}

const encode = (key: readonly string[]): string => Buffer.from(JSON.stringify(key)).toString('base64url');

function decode(cursor: string): string[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(key) && key.every((part) => typeof part === 'string')) return key;
  } catch {
    // Text that is not base64url JSON is refused below.
  }
  throw new AppError('INVALID_FIELD', { field: 'after', expected: 'the cursor of an edge of the same list' });
}

/** A row with its sort key, which becomes its cursor. */
export type RowWithKey = { readonly key: () => readonly string[] };

/** A page of a list. It computes edges, cursors and nodes only when a query selects them. Most queries select only nodes. */
export class Connection<Node> {
  #nodes: readonly Node[] | undefined;

  constructor(
    private readonly rows: readonly RowWithKey[],
    private readonly page: PageRequest,
    private readonly makeNodes: () => readonly Node[],
    /** Counts the rows of all pages. Called only if the query selects the count. */
    readonly totalCount: () => number | Promise<number>,
  ) {}

  get nodes(): readonly Node[] {
    this.#nodes ??= this.makeNodes();
    return this.#nodes;
  }

  get edges(): { readonly cursor: string; readonly node: Node }[] {
    return this.nodes.map((node, i) => ({ cursor: this.cursor(i) ?? '', node }));
  }

  get pageInfo(): PageInfo {
    const { rows, page, nodes } = this;
    return {
      hasNextPage: rows.length > page.size,
      hasPreviousPage: page.after !== null,
      startCursor: this.cursor(0),
      endCursor: this.cursor(nodes.length - 1),
    };
  }

  private cursor(i: number): string | null {
    const row = this.rows[i];
    return row === undefined || this.page.keyless ? null : encode(row.key());
  }
}

/** The connection for the rows of a page. `rows` has one extra row if the page reads it and there is a next page. */
export const connection = <Row extends RowWithKey, Node>(
  rows: readonly Row[],
  page: PageRequest,
  nodeOf: (row: Row, i: number) => Node,
  totalCount: () => number | Promise<number>,
): Connection<Node> => new Connection(rows, page, () => rows.slice(0, page.size).map(nodeOf), totalCount);

/** Makes `totalCount` of each connection call the function of its page, so that counts run only if selected. */
export function countOnDemand(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    const total = isObjectType(type) && type.name.endsWith('Connection') ? type.getFields().totalCount : undefined;
    if (total) total.resolve = ({ totalCount }: Connection<unknown>) => totalCount();
  }
}

type InMemory<Item, Node> = {
  readonly keyOf: (item: Item) => readonly string[];
  readonly isAfter: (item: Item, key: readonly string[]) => boolean;
  readonly nodeOf: (item: Item) => Node;
};

/** The connection for a page of a sorted list in memory. */
export function connectionOfList<Item, Node>(
  items: readonly Item[],
  page: PageRequest,
  { keyOf, isAfter, nodeOf }: InMemory<Item, Node>,
): Connection<Node> {
  const { after } = page;
  const rest = after === null ? items : items.filter((item) => isAfter(item, after));
  const rows = rest.slice(0, page.first).map((item) => ({ item, key: () => keyOf(item) }));
  const itemNode = ({ item }: { readonly item: Item }) => nodeOf(item);
  return connection(rows, page, itemNode, () => items.length);
}

/** Registers the object types of a connection, such as `AgentConnection` and `AgentEdge`. `what` is a plural noun. */
export function connectionType(name: string, node: () => object, what: string) {
  @ObjectType(`${name}Edge`, { description: `Entry in a list of ${what}, with its cursor.`, simpleResolvers: true })
  class Edge {
    @Field(() => String, {
      description: 'Position of the node in the list. Pass it as after to get the entries that follow.',
    })
    cursor!: string;

    @Field(node, { description: 'The entry.' })
    node!: object;
  }

  @ObjectType(`${name}Connection`, { description: `Page of a list of ${what}.`, simpleResolvers: true })
  class NodeConnection {
    @Field(() => [Edge], { description: 'Entries of the page with their cursors.' })
    edges!: Edge[];

    @Field(() => [node()], { description: 'Entries of the page without cursors.' })
    nodes!: object[];

    @Field(() => PageInfo, { description: 'Cursors of the page, and whether there are other pages.' })
    pageInfo!: PageInfo;

    @Field(() => Int, { description: 'Number of entries on all pages. Counted only if selected.' })
    totalCount!: number;
  }
  return NodeConnection;
}

// Loaders: each relation is read with one SQL statement for all parents that need it with the same arguments.

/** Returns the loaders of a feature for this request. `make` creates them at the first use, and again after each write. */
export function loaders<L>(context: GraphContext, make: (source: LoaderSource) => L): L {
  const made = context.loaders.get(make) ?? make(context);
  context.loaders.set(make, made);
  return made as L;
}

/** Loader of one value per key. `missing` is the value of keys that `read` does not return. */
export function valueByKey<K extends string | number, V, Missing>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<string, V>>,
  missing: Missing,
): DataLoader<K, V | Missing> {
  return new DataLoader(async (keys) => {
    const found = await read(keys);
    return keys.map((key) => found.get(String(key)) ?? missing);
  });
}

/** Loader of one value per key and arguments. Keys with the same arguments are read together. */
export function valueByArguments<Args, V>(
  read: (keys: readonly string[], args: Args) => Promise<ReadonlyMap<string, V>>,
  missing: V,
) {
  const loaders = new Map<string, DataLoader<string, V>>();
  return {
    load(key: string, args: Args): Promise<V> {
      const name = JSON.stringify(args);
      const loader = loaders.get(name) ?? valueByKey((keys: readonly string[]) => read(keys, args), missing);
      loaders.set(name, loader);
      return loader.load(key);
    },
  };
}

/** Loader of a page of rows per key and arguments. */
export const rowsByArguments = <More extends object, R>(
  read: (keys: readonly string[], page: PageRequest & More) => Promise<ReadonlyMap<string, readonly R[]>>,
) => valueByArguments<PageRequest & More, readonly R[]>(read, []);
