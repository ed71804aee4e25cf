import type { Deps } from '../../../deps.js';
import { checkKey, type Keyed, keyText, type Page } from '../../../store/pages.js';
import {
  agentColumn,
  described,
  type EventPart,
  eventOf,
  type FeedEvent,
  type FeedFilter,
  type FeedType,
  NEWEST_FIRST,
  olderThan,
  type Row,
  type Source,
  sideOf,
  sources,
  sourcesOf,
} from '../queries.js';

/** The newest events that match the filter, after a place in the feed. */
export async function feedPage(
  deps: Deps,
  { agent, type }: FeedFilter,
  page: Page,
  viewer: string | null,
  parts: readonly EventPart[],
): Promise<Keyed<FeedEvent>[]> {
  if (agent !== undefined) return (await feedByAgent(deps, [agent], type, page, viewer, parts)).get(agent) ?? [];
  return read(deps, union(type, page, null), page, viewer, [], parts);
}

/** The same for each of many agents, in one statement. */
export async function feedByAgent(
  deps: Deps,
  agents: readonly string[],
  type: FeedType | undefined,
  page: Page,
  viewer: string | null,
  parts: readonly EventPart[],
): Promise<Map<string, Keyed<FeedEvent>[]>> {
  const parents = `$${3 + (page.after?.length ?? 0)}`;
  const events = `select child.* from unnest(${parents}::text[]) as parent (id)
    cross join lateral (${union(type, page, 'parent.id')}) child`;
  return Map.groupBy(await read(deps, events, page, viewer, [agents], parts), ({ agentAddress }) => agentAddress);
}

/** The sources that can have such events, merged. `agent`: the expression that names whose events they are. */
function union(type: FeedType | undefined, { after }: Page, agent: string | null): string {
  checkKey(['timestamptz', 'int8', 'int4', 'text'], after);
  const branch = (source: Source) => {
    const conditions = [
      ...(after ? [olderThan[source]] : []),
      ...(agent === null ? [] : [`${agentColumn[source]} = ${agent}`]),
      ...(type && sideOf[type] ? [sideOf[type]] : []),
    ];
    return `(${sources[source].replace('<filter>', conditions.join(' and ') || 'true')})`;
  };
  const chosen: readonly Source[] = type ? [sourcesOf[type]] : ['registrations', 'trades', 'posts'];
  return `select * from (${chosen.map(branch).join(' union all ')}) e order by ${NEWEST_FIRST} limit $1`;
}

async function read(
  deps: Deps,
  events: string,
  page: Page,
  viewer: string | null,
  more: readonly unknown[],
  parts: readonly EventPart[],
): Promise<Keyed<FeedEvent>[]> {
  const values = [page.first, viewer, ...(page.after ?? []), ...more];
  const rows = await deps.sql<Row>(described(events, NEWEST_FIRST, parts), values);
  return rows.map((row) => ({
    ...eventOf(row),
    key: () => [row.createdAt, row.block, row.ordinal, row.id].map(keyText),
  }));
}

/** The posts of all, or of one agent, the most liked first. */
export async function likedPage(
  deps: Deps,
  agent: string | undefined,
  page: Page,
  viewer: string | null,
  parts: readonly EventPart[],
): Promise<Keyed<FeedEvent>[]> {
  checkKey(['int4', 'timestamptz', 'text'], page.after);
  const conditions = [
    ...(page.after ? ['(p.like_count, p.created_at, p.id) < ($3, $4, $5)'] : []),
    ...(agent === undefined ? [] : [`p.agent = $${3 + (page.after?.length ?? 0)}`]),
  ];
  const posts = sources.posts
    .replace('<filter>', conditions.join(' and ') || 'true')
    .replace('order by', 'order by p.like_count desc,');
  const values = [page.first, viewer, ...(page.after ?? []), ...(agent === undefined ? [] : [agent])];
  const read: readonly EventPart[] = [...new Set([...parts, 'likeCount' as const])];
  const rows = await deps.sql<Row>(described(posts, 'e.likes desc, e.time desc, e.id desc', read), values);
  return rows.map((row) => ({ ...eventOf(row), key: () => [row.likeCount, row.createdAt, row.id].map(keyText) }));
}

/** How many events of all kinds, or of one, each agent has. */
export async function feedCounts(
  deps: Deps,
  agents: readonly string[],
  type: FeedType | undefined,
): Promise<Map<string, number>> {
  const counts: Readonly<Record<Source, string>> = {
    registrations: '(select count(*) from market m where m.wallet = parent.id)',
    trades: type
      ? `(select count(*) from transaction t where t.agent = parent.id and ${sideOf[type]})`
      : 'coalesce((select m.trade_count from market m where m.wallet = parent.id), 0)',
    posts: '(select count(*) from agent_activity p where p.agent = parent.id)',
  };
  const chosen: readonly Source[] = type ? [sourcesOf[type]] : ['registrations', 'trades', 'posts'];
  const rows = await deps.sql<{ id: string; total: number }>(
    `select parent.id, (${chosen.map((source) => counts[source]).join(' + ')})::bigint as total
     from unnest($1::text[]) as parent (id)`,
    [agents],
  );
  return new Map(rows.map(({ id, total }) => [id, total]));
}
