import { useApp } from '../../app-context.js';
import { useQuery } from '../../graphql/use-query.js';
import type { Filter } from './filters.js';
import { agentFeedQuery, feedQuery } from './queries.js';

/** Reads the newest events that match a filter. `read` in the result reads older ones. */
export function useFeed({ agentId, type: given }: Filter) {
  const type = given ?? null;
  const { connection } = useApp();
  const isOne = agentId !== undefined;
  const ofAll = useQuery(feedQuery, { type, after: null }, { skip: isOne, isExtended: true });
  const ofOne = useQuery(agentFeedQuery, { agentId: agentId ?? '', type, after: null }, { skip: !isOne, isExtended: true });
  const agent = isOne ? (ofOne.data?.agent ?? undefined) : undefined;
  const { problem, reload } = isOne ? ofOne : ofAll;
  const read = async (after: string | null) =>
    isOne
      ? (await connection.query(agentFeedQuery, { agentId, type, after })).agent?.feed
      : (await connection.query(feedQuery, { type, after })).feed;
  return { first: isOne ? agent?.feed : ofAll.data?.feed, agent, problem, reload, read };
}
