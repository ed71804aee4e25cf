import { type GraphQLSchema, isObjectType } from 'graphql';
import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { AppError } from '../../../errors.js';
import { type PageSize, pageSizes } from '../../page-sizes.js';
import { asked, type Info, type LookAhead, lookAhead } from './lookahead.js';

@ObjectType('PageInfo', { description: 'Where a page of a connection ends.', simpleResolvers: true })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether more follow after endCursor.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether the page was asked for with a cursor: others stand before it.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'The cursor of the first edge.' })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'The cursor of the last edge: the next page begins after it.' })
  endCursor!: string | null;
}

/** Description of an argument `first`. */
export const firstOf = ({ max }: PageSize): string => `Number of items, 1 to ${max}.`;

/** Which part of a list a caller asks for. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: pageSizes.list.fallback, description: firstOf(pageSizes.list) })
  first!: number;

  @Field(() => String, { nullable: true, description: 'The cursor of the edge after which the page begins.' })
  after?: string | null;
}

/** A page as the core reads it, with one row more, which says whether others follow. */
export type PageRequest = {
  readonly first: number;
  readonly after: readonly string[] | null;
  /** Whether no cursor is asked for: the keys that they are made of need not be read. */
  readonly keyless?: boolean;
};

export function pageOf({ first, after }: PageArgs, max: number = pageSizes.list.max): PageRequest {
  checkFirst(first, max);
  return { first: first + 1, after: after === undefined || after === null ? null : decode(after) };
}

/** The same of the list that a field gives, where its cursors are read only if they are asked for. */
export const pageIn = (context: { readonly lookAhead: LookAhead }, info: Info, args: PageArgs): PageRequest => ({
  ...pageOf(args),
  keyless: !asksForCursors(context, info),
});

const asksForCursors = lookAhead((info) => asked(info).has('pageInfo') || asked(info, 'edges').has('cursor'));

export function checkFirst(first: number, max: number): void {
  if (!Number.isInteger(first) || first < 1 || first > max) {
    throw new AppError('INVALID_FIELD', { field: 'first', expected: `an integer from 1 to ${max}` });
  }
}

const encode = (key: readonly string[]): string => Buffer.from(JSON.stringify(key)).toString('base64url');

function decode(cursor: string): string[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(key) && key.every((part) => typeof part === 'string')) return key;
  } catch {
    // Not of this service: said below.
  }
  throw new AppError('INVALID_FIELD', { field: 'after', expected: 'the cursor of an edge of the same list' });
}

/** A row that knows its place in its list. */
export type Keyed = { readonly key: () => readonly string[] };

export type Connection<Node> = {
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly nodes: readonly Node[];
  readonly pageInfo: PageInfo;
  /** Read only when it is asked for. */
  readonly totalCount: () => number | Promise<number>;
};

/** A page whose parts are made when they are asked for: most callers want the nodes alone. */
class PageOfRows<Row extends Keyed, Node> implements Connection<Node> {
  #nodes: readonly Node[] | undefined;

  constructor(
    private readonly rows: readonly Row[],
    private readonly page: PageRequest,
    private readonly nodeOf: (row: Row, i: number) => Node,
    readonly totalCount: () => number | Promise<number>,
  ) {}

  get nodes(): readonly Node[] {
    this.#nodes ??= this.rows.slice(0, this.page.first - 1).map(this.nodeOf);
    return this.#nodes;
  }

  get edges(): Connection<Node>['edges'] {
    return this.nodes.map((node, i) => ({ cursor: this.cursor(i) ?? '', node }));
  }

  get pageInfo(): PageInfo {
    const { rows, page, nodes } = this;
    return {
      hasNextPage: rows.length >= page.first,
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

/** The connection of the rows that were read for a page: one more than shown if others follow. */
export const connection = <Row extends Keyed, Node>(
  rows: readonly Row[],
  page: PageRequest,
  nodeOf: (row: Row, i: number) => Node,
  totalCount: () => number | Promise<number>,
): Connection<Node> => new PageOfRows(rows, page, nodeOf, totalCount);

/** A total is a function of the page that has it, called where it is asked for. */
export function countOnDemand(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    const total = isObjectType(type) && type.name.endsWith('Connection') ? type.getFields().totalCount : undefined;
    if (total) total.resolve = ({ totalCount }: Connection<unknown>) => totalCount();
  }
}

type InMemory<Item, Node> = {
  readonly keyOf: (item: Item) => readonly string[];
  /** Whether the item stands after the place of a key. */
  readonly isAfter: (item: Item, key: readonly string[]) => boolean;
  readonly nodeOf: (item: Item) => Node;
};

/** The connection of a list that is all in memory, in its order. */
export function connectionIn<Item, Node>(
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

/** The object types of a connection: `AgentConnection`, `AgentEdge`. */
export function connectionType(name: string, node: () => object, what: string) {
  @ObjectType(`${name}Edge`, { description: `One of ${what}, and its place in the list.`, simpleResolvers: true })
  class Edge {
    @Field(() => String, { description: 'The place of the node in the list: pass it as after.' })
    cursor!: string;

    @Field(node, { description: 'The node itself.' })
    node!: object;
  }

  @ObjectType(`${name}Connection`, { description: `A page of ${what}.`, simpleResolvers: true })
  class NodeConnection {
    @Field(() => [Edge], { description: 'The nodes with their cursors.' })
    edges!: Edge[];

    @Field(() => [node()], { description: 'The nodes alone.' })
    nodes!: object[];

    @Field(() => PageInfo, { description: 'Where the page ends, and whether others follow.' })
    pageInfo!: PageInfo;

    @Field(() => Int, { description: 'How many there are on all pages. Counted only when it is asked for.' })
    totalCount!: number;
  }
  return NodeConnection;
}
