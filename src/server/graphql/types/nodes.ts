import { Arg, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { AppError } from '../../../errors/errors.js';
import type { Node } from '../../resources/field.js';
import type { GraphContext } from '../context.js';
import { NodeInterface, type ResolveInfo } from './object-types.js';

const MAX_IDS = 100;

/** The objects of one type that were found, by the key in their ids. */
type Found = ReadonlyMap<string, Node>;

export type NodeReader = {
  /** Noun for an object, such as "an agent", in the descriptions of the queries. */
  readonly what: string;
  /** Pattern of the ids of the objects. Its capture group is the key. */
  readonly form: RegExp;
  readonly read: (context: GraphContext, keys: readonly string[], info: ResolveInfo) => Promise<Found>;
};

export const nodesOf = <Row, N extends Node>(
  rows: Iterable<readonly [string, Row]>,
  nodeOf: (row: Row) => N,
): ReadonlyMap<string, N> => new Map([...rows].map(([key, row]) => [key, nodeOf(row)]));

/** Reads objects by their ids, each type in one batch. null for an id that no object has. */
async function nodesByIds(
  readers: readonly NodeReader[],
  context: GraphContext,
  ids: readonly string[],
  info: ResolveInfo,
): Promise<(Node | null)[]> {
  // The id of an agent is its wallet address, which clients may write in any case.
  const given = ids.map((id) => (/^0x[0-9a-f]{40}$/i.test(id) ? id.toLowerCase() : id));
  const found = await Promise.all(
    readers.map(async ({ form, read }) => {
      const keys = given.map((id) => form.exec(id)?.[1]);
      const wanted = [...new Set(keys.filter((key) => key !== undefined))];
      const nodes: Found = wanted.length === 0 ? new Map() : await read(context, wanted, info);
      return keys.map((key) => (key === undefined ? undefined : nodes.get(key)));
    }),
  );
  return ids.map((_, i) => found.find((nodes) => nodes[i])?.[i] ?? null);
}

/** Creates the queries `node` and `nodes`, which find objects with these readers. */
export function nodeQueries(readers: readonly NodeReader[]) {
  const all = readers.map(({ what }) => what);

  @Resolver()
  class NodeQueries {
    @Query(() => NodeInterface, {
      nullable: true,
      description:
        `Object with the given id: ${all.slice(0, -1).join(', ')} or ${all.at(-1)}. ` +
        'Null if there is none, or if the caller may not see it.',
    })
    async node(
      @Arg('id', () => ID, { description: 'id of the object.' }) id: string,
      @Ctx() context: GraphContext,
      @Info() info: ResolveInfo,
    ): Promise<Node | null> {
      const [node = null] = await nodesByIds(readers, context, [id], info);
      return node;
    }

    @Query(() => [NodeInterface], {
      nullable: 'itemsAndList',
      description: 'Objects with the given ids, in the order of the ids. Null for each id that has none.',
    })
    nodes(
      @Arg('ids', () => [ID], { description: `ids of the objects, at most ${MAX_IDS}.` }) ids: string[],
      @Ctx() context: GraphContext,
      @Info() info: ResolveInfo,
    ): Promise<(Node | null)[]> {
      if (ids.length > MAX_IDS) throw new AppError('INVALID_FIELD', { field: 'ids', expected: `at most ${MAX_IDS} ids` });
      return nodesByIds(readers, context, ids, info);
    }
  }
  return NodeQueries;
}
