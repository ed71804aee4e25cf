import { Arg, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { AppError } from '../../../errors.js';
import { eventsByIds } from '../../../features/feed/feed-events.js';
import { notificationsByIds } from '../../../features/notices/queries.js';
import { listSeasons } from '../../../features/seasons/seasons.js';
import { tradesByIds } from '../../../features/trading/trades.js';
import type { GraphContext } from '../engine/context.js';
import { agentNode, agentParts } from '../types/agent.js';
import { eventNode } from '../types/feed.js';
import { type Node, NodeInterface } from '../types/generate.js';
import type { Info as ResolveInfo } from '../types/lookahead.js';
import { types } from '../types/objects.js';
import { tradeNode } from '../types/trade.js';

const MAX_IDS = 100;

/** Objects of one type by the keys in their ids. */
type Found = ReadonlyMap<string, Node>;
type Read = (context: GraphContext, keys: readonly string[], info: ResolveInfo) => Promise<Found>;

const nodesOf = <Row, N extends Node>(
  rows: Iterable<readonly [string, Row]>,
  nodeOf: (row: Row) => N,
): ReadonlyMap<string, N> => new Map([...rows].map(([key, row]) => [key, nodeOf(row)]));

export const eventNodes = async ({ deps, actor }: GraphContext, ids: readonly string[]) =>
  nodesOf(await eventsByIds(deps, ids, actor?.wallet), eventNode);

/** How the objects of each type are read, and the form of their ids. The part in brackets is the key. */
const readers: readonly (readonly [form: RegExp, read: Read])[] = [
  [
    /^(0x[0-9a-f]{40})$/,
    async (context, wallets, info) => {
      const loader = context.loaders.agent(agentParts(context, info));
      const rows = await Promise.all(wallets.map((wallet) => loader.load(wallet)));
      return nodesOf(
        rows.flatMap((row) => (row === null ? [] : [[row.wallet, row] as const])),
        agentNode,
      );
    },
  ],
  [/^([\w-]{22})$/, eventNodes],
  [/^Trade:([\w-]{22})$/, async ({ deps }, ids) => nodesOf(await tradesByIds(deps, ids), tradeNode)],
  [
    /^Season:(\d{1,9})$/,
    async ({ deps }) =>
      nodesOf(
        (await listSeasons(deps)).map((season) => [String(season.number), season] as const),
        (season) => new types.Season(season),
      ),
  ],
  [
    /^Notification:(\d{1,15})$/,
    async ({ deps, actor }, ids) => {
      const own = [...(await notificationsByIds(deps, ids))].filter(([, { recipient }]) => recipient === actor?.wallet);
      return nodesOf(own, (row) => new types.Notification(row));
    },
  ],
  [
    /^Me:(0x[0-9a-f]{40})$/,
    async ({ loaders }, wallets) => {
      const own = await Promise.all(wallets.map(loaders.me));
      return nodesOf(
        own.flatMap((row) => (row === null ? [] : [[row.profile.wallet, row] as const])),
        (row) => new types.Me(row),
      );
    },
  ],
];

/** Reads objects by their ids, each type in one batch. null for an id that no object has. */
export async function nodesByIds(
  context: GraphContext,
  ids: readonly string[],
  info: ResolveInfo,
): Promise<(Node | null)[]> {
  // An address is valid in any case.
  const given = ids.map((id) => (/^0x[0-9a-f]{40}$/i.test(id) ? id.toLowerCase() : id));
  const found = await Promise.all(
    readers.map(async ([form, read]) => {
      const keys = given.map((id) => form.exec(id)?.[1]);
      const wanted = [...new Set(keys.filter((key) => key !== undefined))];
      const nodes: Found = wanted.length === 0 ? new Map() : await read(context, wanted, info);
      return keys.map((key) => (key === undefined ? undefined : nodes.get(key)));
    }),
  );
  return ids.map((_, i) => found.find((nodes) => nodes[i])?.[i] ?? null);
}

@Resolver()
export class NodeQueries {
  @Query(() => NodeInterface, {
    nullable: true,
    description:
      'Object with the given id: an agent, a feed event, a trade, a season, a notification or the authenticated agent itself. ' +
      'Null if there is none, or if the caller may not see it.',
  })
  async node(
    @Arg('id', () => ID, { description: 'id of the object.' }) id: string,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Node | null> {
    const [node = null] = await nodesByIds(context, [id], info);
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
    return nodesByIds(context, ids, info);
  }
}
