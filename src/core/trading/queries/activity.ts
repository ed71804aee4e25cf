import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import { dayBefore } from '../../agents/queries/agent-row.js';
import { type Activity, priceChange, rankByTrend } from '../trend.js';

/** An agent in whose tickets somebody traded in the last 24 hours. */
export type Candidate = Activity & { readonly supply: number };
export type Ranked = Candidate & { readonly trendScore: number };
export type Day = {
  readonly at: Date;
  /** The highest score first. */
  readonly ranked: readonly Ranked[];
  /** The highest volume first, of the same volume the highest wallet. */
  readonly byVolume: readonly { readonly wallet: string; readonly volume: Wei }[];
  /** The wallets of `byVolume`, divided by commas: so a statement takes many at once with the least work. */
  readonly wallets: string;
};

/** The price of a day ago is the one before the day's first trade. */
const CANDIDATES = `
  with day as (
    select agent, count(*) as trades, sum(price) as volume, count(distinct trader) as traders, max(block_time) as last,
      (array_agg(supply_after + case when type in ('SELL', 'AGENT_SELL') then amount else -amount end
        order by block_number, log_index))[1] as supply_before
    from transaction where block_time > $1 group by agent
  ),
  newcomers as (select agent, count(*) as holders from ticket_holding where since > $1 group by agent)
  select day.agent as wallet, l.supply, day.volume, day.trades as "txCount", day.traders as "uniqueTraders",
    day.last as "lastTradeAt", coalesce(newcomers.holders, 0) as "newHolders24h", day.supply_before as "supplyBefore"
  from day join listing l on l.wallet = day.agent and l.created_at is not null and l.supply is not null
  left join newcomers on newcomers.agent = day.agent`;

/** What has happened in 24 hours changes little in so long. */
const KEPT_MS = 2000;
/** A day that is read in a moment is read anew after each write; one of more agents than this is not. */
const SMALL = 1000;
/** So long a large day is still answered while the next one is read: nobody waits for it but the first after a pause. */
const ANSWERED_MS = 10_000;

type Kept = { readonly day: Promise<Day>; readonly from: number; readonly change: number; small: boolean };
const kept = new WeakMap<Deps['sql'], Kept>();
/** The days that are being read beside an older one that is still answered. */
const renewed = new WeakMap<Kept, Kept>();

/**
 * The last 24 hours of all markets, read once for all who ask. Each agent's figures are of one moment, `at`. With few
 * agents it is two seconds old at most, and every write of this process is in it. With many it is read anew, beside
 * the answers, after two seconds, and answered for ten.
 */
export function dayOf(deps: Deps): Promise<Day> {
  const now = deps.clock.now().getTime();
  const known = kept.get(deps.sql);
  const age = known === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - known.from);
  if (known === undefined || age >= ANSWERED_MS || (known.small && age >= KEPT_MS)) {
    return keep(deps, readAt(deps, now, known)).day;
  }
  if (known.small) return known.change === deps.changes.count ? known.day : keep(deps, readAt(deps, now, known)).day;
  if (age >= KEPT_MS && !renewed.has(known)) renew(deps, known, now);
  return known.day;
}

function readAt(deps: Deps, now: number, before?: Kept): Kept {
  const entry: Kept = { day: readDay(deps), from: now, change: deps.changes.count, small: before?.small ?? true };
  entry.day.then(
    ({ ranked }) => {
      entry.small = ranked.length < SMALL;
    },
    () => undefined,
  );
  return entry;
}

function keep(deps: Deps, entry: Kept): Kept {
  kept.set(deps.sql, entry);
  entry.day.catch(() => {
    if (kept.get(deps.sql) === entry) kept.delete(deps.sql);
  });
  return entry;
}

/** A failure is left to whoever asks when the older one is too old. */
function renew(deps: Deps, known: Kept, now: number): void {
  const next = readAt(deps, now, known);
  renewed.set(known, next);
  next.day.then(
    () => {
      if (kept.get(deps.sql) === known) kept.set(deps.sql, next);
    },
    () => renewed.delete(known),
  );
}

async function readDay(deps: Deps): Promise<Day> {
  const at = deps.clock.now();
  const rows = await deps.sql<Omit<Candidate, 'priceChange24h'> & { readonly supplyBefore: number }>(CANDIDATES, [
    dayBefore(deps),
  ]);
  const candidates = rows.map(
    ({ supplyBefore, ...row }): Candidate => ({ ...row, priceChange24h: priceChange(supplyBefore, row.supply) }),
  );
  const ranked = rankByTrend(candidates, at);
  candidates.sort(byVolume);
  return { at, ranked, byVolume: candidates, wallets: candidates.map(({ wallet }) => wallet).join() };
}

const byVolume = (a: Candidate, b: Candidate): number =>
  a.volume === b.volume ? (a.wallet < b.wallet ? 1 : -1) : a.volume < b.volume ? 1 : -1;
