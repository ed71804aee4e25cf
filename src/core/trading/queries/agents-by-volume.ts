import type { Deps } from '../../../deps.js';
import { checkKey, type KeyPage, type OffsetPage, type Page, Parameters } from '../../../store/pages.js';
import { type Day, dayOf } from './activity.js';
import { type AgentFilter, isFilter, matchingAgents, matchTotal } from './agent-filter.js';

// The order by volume consists of two sorted lists: agents traded in the last 24 hours, sorted by the cached figures of the
// day; and quiet agents, which were not traded, sorted by wallet.

type Order = 'asc' | 'desc';
export type Traded = Day['byVolume'][number];
type Request = { readonly filter: AgentFilter; readonly order: Order };
type Total = Promise<number> | undefined;

/** The wallets of one page of the order by volume, with their volumes. */
export async function volumePage(
  deps: Deps,
  { page, ...request }: Request & { readonly page: Page },
  total?: Total,
): Promise<readonly Traded[]> {
  if ('after' in page) checkKey(['numeric', 'text'], page.after);
  const day = await dayOf(deps);
  return 'limit' in page
    ? byOffset(deps, day, { ...request, ...page, total })
    : byKey(deps, day, { ...request, ...page });
}

async function byOffset(
  deps: Deps,
  day: Day,
  request: Request & OffsetPage & { readonly total: Total },
): Promise<readonly Traded[]> {
  const { filter, order, limit, offset } = request;
  const [all, traded] = await Promise.all([request.total ?? matchTotal(deps, filter), tradedOf(deps, day, request)]);
  const quiet = all - traded.length;
  const before = order === 'asc' ? quiet : 0;
  const tradedRows = traded.slice(Math.max(0, offset - before), Math.max(0, offset + limit - before));
  const skip = order === 'asc' ? offset : Math.max(0, offset - traded.length);
  const size = Math.max(0, Math.min(limit - tradedRows.length, quiet - skip));
  // Reads the quiet agents from the nearer end of their list.
  const back = skip > quiet / 2;
  const quietRows = await quietOf(deps, day, {
    filter,
    order: (order === 'asc') === back ? 'desc' : 'asc',
    limit: size,
    offset: back ? quiet - skip - size : skip,
  });
  if (back) quietRows.reverse();
  return order === 'asc' ? [...quietRows, ...tradedRows] : [...tradedRows, ...quietRows];
}

async function byKey(deps: Deps, day: Day, request: Request & KeyPage): Promise<readonly Traded[]> {
  const { first, after } = request;
  const last = after && { volume: BigInt(after[0] as string), wallet: after[1] as string };
  const inQuiet = last !== null && last.volume === 0n;
  const traded = async () => {
    const all = await tradedOf(deps, day, request);
    if (last === null) return all;
    return all.filter((agent) => (request.order === 'asc' ? isHigher(agent, last) : isHigher(last, agent)));
  };
  const quiet = (limit: number) =>
    quietOf(deps, day, { ...request, limit, offset: 0, after: inQuiet ? last.wallet : undefined });
  if (request.order === 'asc') {
    const quietRows = last === null || inQuiet ? await quiet(first) : [];
    return quietRows.length < first ? [...quietRows, ...(await traded())].slice(0, first) : quietRows;
  }
  const tradedRows = inQuiet ? [] : (await traded()).slice(0, first);
  return tradedRows.length < first ? [...tradedRows, ...(await quiet(first - tradedRows.length))] : tradedRows;
}

const isHigher = (a: Traded, b: Traded): boolean => (a.volume === b.volume ? a.wallet > b.wallet : a.volume > b.volume);

/**
 * The wallets of the day, passed as one text: decoding an array of that size would take longer than the query. Use the
 * wallets with NOT IN, which always builds a hash table. With a join, the planner underestimates the number of rows and
 * chooses a slow plan.
 */
const walletsIn = (wallets: string): string => `(select unnest(string_to_array(${wallets}, ',')))`;

/** The traded agents that match the filter, in order. */
async function tradedOf(
  deps: Deps,
  { byVolume, wallets }: Day,
  { filter, order }: Request,
): Promise<readonly Traded[]> {
  let traded = byVolume;
  if (isFilter(filter)) {
    const parameters = new Parameters();
    const day = walletsIn(parameters.add(wallets));
    const [row] = await deps.sql<{ found: string | null }>(
      `select string_agg(l.wallet, ',') as found from listing l
       where not (l.wallet not in ${day}) and ${matchingAgents(filter, 'maybe', parameters)}`,
      parameters.values,
    );
    const matching = new Set(row?.found?.split(','));
    traded = byVolume.filter(({ wallet }) => matching.has(wallet));
  }
  return order === 'asc' ? traded.toReversed() : traded;
}

/** The quiet agents that match the filter, by wallet. With `after`: only the agents that follow this wallet. */
async function quietOf(
  deps: Deps,
  { wallets }: Day,
  { filter, order, limit, offset, after }: Request & OffsetPage & { readonly after?: string | undefined },
): Promise<Traded[]> {
  if (limit <= 0) return [];
  const parameters = new Parameters();
  const conditions = [
    `l.wallet not in ${walletsIn(parameters.add(wallets))}`,
    matchingAgents(filter, 'maybe', parameters),
    ...(after === undefined ? [] : [`l.wallet ${order === 'asc' ? '>' : '<'} ${parameters.add(after)}`]),
  ];
  const rows = await deps.sql<{ wallet: string }>(
    `select l.wallet from listing l where ${conditions.join(' and ')}
     order by l.wallet ${order} limit ${parameters.add(limit)} offset ${parameters.add(offset)}`,
    parameters.values,
  );
  return rows.map(({ wallet }) => ({ wallet, volume: 0n }));
}
