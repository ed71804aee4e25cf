import type { Deps } from '../../../deps.js';
import { checkKey, type Page } from '../../../store/pages.js';
import { type Day, dayOf } from './activity.js';
import { type AgentFilter, filterValues, isFilter, passing, totalPassing } from './filter.js';

// The order by volume. Those that traded in the last 24 hours stand in the order of the day that all share, those that
// did not follow by wallet: two lists, each in order, one after the other.

type Order = 'asc' | 'desc';
type Part = { readonly limit: number; readonly offset: number };
type Traded = Day['byVolume'][number];

/** The wallets of one page of it, by number. */
export async function volumeList(
  deps: Deps,
  filter: AgentFilter,
  order: Order,
  { limit, offset }: Part,
): Promise<{ readonly wallets: readonly string[]; readonly total: number }> {
  const day = await dayOf(deps);
  const [total, traded] = await Promise.all([totalPassing(deps, filter), tradedOf(deps, day, filter, order)]);
  const quiet = total - traded.length;
  const before = order === 'asc' ? quiet : 0;
  const first = traded
    .slice(Math.max(0, offset - before), Math.max(0, offset + limit - before))
    .map(({ wallet }) => wallet);
  const skip = order === 'asc' ? offset : Math.max(0, offset - traded.length);
  const size = Math.max(0, Math.min(limit - first.length, quiet - skip));
  // Read from the end that is nearer.
  const back = skip > quiet / 2;
  const rest = await quietOf(deps, day, filter, {
    order: (order === 'asc') === back ? 'desc' : 'asc',
    limit: size,
    offset: back ? quiet - skip - size : skip,
  });
  if (back) rest.reverse();
  return { wallets: order === 'asc' ? [...rest, ...first] : [...first, ...rest], total };
}

/** One page of it by key, the wallets with their volumes. */
export async function volumePage(
  deps: Deps,
  filter: AgentFilter,
  order: Order,
  { first, after }: Page,
): Promise<Traded[]> {
  checkKey(['numeric', 'text'], after);
  const day = await dayOf(deps);
  const place = after && { volume: BigInt(after[0] as string), wallet: after[1] as string };
  const inQuiet = place !== null && place.volume === 0n;
  const traded = async () => {
    const all = await tradedOf(deps, day, filter, order);
    return place === null ? all : all.filter((one) => (order === 'asc' ? isHigher(one, place) : isHigher(place, one)));
  };
  const quiet = async (limit: number) => {
    const wallets = await quietOf(deps, day, filter, { order, limit, offset: 0 }, inQuiet ? place.wallet : null);
    return wallets.map((wallet): Traded => ({ wallet, volume: 0n }));
  };
  if (order === 'asc') {
    const rest = place === null || inQuiet ? await quiet(first) : [];
    return rest.length < first ? [...rest, ...(await traded())].slice(0, first) : rest;
  }
  const most = inQuiet ? [] : (await traded()).slice(0, first);
  return most.length < first ? [...most, ...(await quiet(first - most.length))] : most;
}

const isHigher = (one: Traded, than: Traded): boolean =>
  one.volume === than.volume ? one.wallet > than.wallet : one.volume > than.volume;

/** NOT IN is looked up in a hash, however few rows the planner expects; a join would be made for those few. */
const TRADED = `(select unnest(string_to_array($1, ',')))`;

/** Those of the day that pass, in order. They come as one value: so many rows would take longer to read than to find. */
async function tradedOf(
  deps: Deps,
  { byVolume, wallets }: Day,
  filter: AgentFilter,
  order: Order,
): Promise<readonly Traded[]> {
  let traded = byVolume;
  if (isFilter(filter)) {
    const [row] = await deps.sql<{ found: string | null }>(
      `select string_agg(l.wallet, ',') as found from listing l
       where not (l.wallet not in ${TRADED}) and ${passing(2, 'maybe', true)}`,
      [wallets, ...filterValues(filter)],
    );
    const found = new Set(row?.found?.split(','));
    traded = byVolume.filter(({ wallet }) => found.has(wallet));
  }
  return order === 'asc' ? traded.toReversed() : traded;
}

/** Those that pass and did not trade, by wallet; beyond `after`, if it is given. */
async function quietOf(
  deps: Deps,
  { wallets }: Day,
  filter: AgentFilter,
  { order, limit, offset }: Part & { readonly order: Order },
  after: string | null = null,
): Promise<string[]> {
  if (limit <= 0) return [];
  const filtered = isFilter(filter);
  const values = [
    wallets,
    ...(filtered ? filterValues(filter) : []),
    limit,
    offset,
    ...(after === null ? [] : [after]),
  ];
  const n = values.length - (after === null ? 0 : 1);
  const beyond = after === null ? '' : `and l.wallet ${order === 'asc' ? '>' : '<'} $${n + 1}`;
  const rows = await deps.sql<{ wallet: string }>(
    `select l.wallet from listing l where l.wallet not in ${TRADED} and ${passing(2, 'maybe', filtered)} ${beyond}
     order by l.wallet ${order} limit $${n - 1} offset $${n}`,
    values,
  );
  return rows.map(({ wallet }) => wallet);
}
