import type { Deps } from '../../deps.js';
import { checkKey, type KeyPage, type OffsetPage, type Page, Parameters } from '../../store/pages.js';
import { type DaySort, dayOf, isHigher, type Order, type Place } from '../agents/activity.js';
import { type AgentFilter, isFilter, matchingAgents, matchTotal } from './agent-filter.js';

// An order by a figure of the last 24 hours consists of three sorted lists. The agents whose figure is above 0 and those whose
// figure is below 0 were traded: both come from the cached figures of the day. The quiet agents stand between them. Their figure
// is 0, so they are sorted by wallet.

type Request = { readonly filter: AgentFilter; readonly order: 'asc' | 'desc' };
/** The traded agents that match the filter, before and after the quiet agents. */
type Traded = { readonly before: readonly Place[]; readonly after: readonly Place[] };

/** The wallets of one page of an order by a figure of the day, with their figures. */
export async function pageByDay(
  deps: Deps,
  { sort, page, ...request }: Request & { readonly sort: DaySort; readonly page: Page },
): Promise<readonly Place[]> {
  if ('after' in page) checkKey(['numeric', 'text'], page.after);
  const day = (await dayOf(deps)).orders[sort];
  return 'limit' in page ? byOffset(deps, day, { ...request, ...page }) : byKey(deps, day, { ...request, ...page });
}

async function byOffset(deps: Deps, day: Order, request: Request & OffsetPage): Promise<readonly Place[]> {
  const { filter, order, limit, offset } = request;
  const [all, { before, after }] = await Promise.all([matchTotal(deps, filter), tradedOf(deps, day, request)]);
  const quiet = Math.max(0, all - before.length - after.length);
  const skip = Math.max(0, offset - before.length);
  const size = Math.max(0, Math.min(offset + limit - before.length, quiet) - skip);
  // Reads the quiet agents from the nearer end of their list.
  const back = skip > quiet / 2;
  const quietRows = await quietOf(deps, day, {
    filter,
    order: (order === 'asc') === back ? 'desc' : 'asc',
    limit: size,
    offset: back ? quiet - skip - size : skip,
  });
  if (back) quietRows.reverse();
  const from = offset - before.length - quiet;
  return [
    ...before.slice(offset, offset + limit),
    ...quietRows,
    ...after.slice(Math.max(0, from), Math.max(0, from + limit)),
  ];
}

async function byKey(deps: Deps, day: Order, request: Request & KeyPage): Promise<readonly Place[]> {
  const { first, order, after: key } = request;
  const last = key && { figure: BigInt(key[0] as string), wallet: key[1] as string };
  const isNext = (place: Place) => last === null || (order === 'asc' ? isHigher(place, last) : isHigher(last, place));
  const { before, after } = await tradedOf(deps, day, request);
  const page = before.filter(isNext).slice(0, first);
  const isPastQuiet = last !== null && (order === 'asc' ? last.figure > 0n : last.figure < 0n);
  if (!isPastQuiet) {
    const limit = first - page.length;
    const wallet = last?.figure === 0n ? last.wallet : undefined;
    page.push(...(await quietOf(deps, day, { ...request, limit, offset: 0, after: wallet })));
  }
  return [...page, ...after.filter(isNext).slice(0, first - page.length)];
}

/**
 * The wallets of the day, passed as one text: decoding an array of that size would take longer than the query. Use the
 * wallets with NOT IN, which always builds a hash table. With a join, the planner underestimates the number of rows and
 * chooses a slow plan.
 */
const walletsIn = (wallets: string): string => `(select unnest(string_to_array(${wallets}, ',')))`;

/** The traded agents that match the filter, in order. */
async function tradedOf(deps: Deps, { wallets, ...day }: Order, { filter, order }: Request): Promise<Traded> {
  let { above, below } = day;
  if (isFilter(filter)) {
    const parameters = new Parameters();
    const traded = walletsIn(parameters.add(wallets));
    const [row] = await deps.sql<{ found: string | null }>(
      `select string_agg(l.wallet, ',') as found from listing l
       where not (l.wallet not in ${traded}) and ${matchingAgents(filter, 'maybe', parameters)}`,
      parameters.values,
    );
    const matching = new Set(row?.found?.split(','));
    above = above.filter(({ wallet }) => matching.has(wallet));
    below = below.filter(({ wallet }) => matching.has(wallet));
  }
  return order === 'asc' ? { before: below.toReversed(), after: above.toReversed() } : { before: above, after: below };
}

/** The quiet agents that match the filter, by wallet. With `after`: only the agents that follow this wallet. */
async function quietOf(
  deps: Deps,
  { wallets }: Order,
  { filter, order, limit, offset, after }: Request & OffsetPage & { readonly after?: string | undefined },
): Promise<Place[]> {
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
  return rows.map(({ wallet }) => ({ wallet, figure: 0n }));
}
