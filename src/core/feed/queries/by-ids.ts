import type { Deps } from '../../../deps.js';
import { described, eventOf, type FeedEvent, NEWEST_FIRST, type Row, sources } from '../queries.js';

const known = [
  sources.registrations.replace('<filter>', 'm.event_id = any($3::text[])'),
  sources.trades.replace('<filter>', 't.event_id = any($3::text[])'),
  sources.posts.replace('<filter>', 'p.id = any($3::text[])'),
];
const EVENTS = described(known.map((source) => `(${source})`).join(' union all '), NEWEST_FIRST);

/** Those of the events that are in the feed, as somebody without a key sees them. */
export async function eventsByIds(deps: Deps, ids: readonly string[]): Promise<Map<string, FeedEvent>> {
  const rows = await deps.sql<Row>(EVENTS, [ids.length, null, ids]);
  return new Map(rows.map((row) => [row.id, eventOf(row)]));
}

/** Which of the agents like or reposted which of the posts, as `kind post actor`. */
export async function standingReactions(
  deps: Deps,
  posts: readonly string[],
  actors: readonly string[],
): Promise<Set<string>> {
  const rows = await deps.sql<{ kind: string; post: string; actor: string }>(
    'select kind, post, actor from reaction where post = any($1::text[]) and actor = any($2::text[]) and removed_at is null',
    [posts, actors],
  );
  return new Set(rows.map(({ kind, post, actor }) => `${kind} ${post} ${actor}`));
}
