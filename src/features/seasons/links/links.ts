import type { IndexDeps } from '../../../index/cursor.js';
import { insertMany, type Sql } from '../../../store/sql.js';
import { DAY_MS } from '../../../values/time.js';
import { withLock } from '../lifecycle.js';
import { BUY, createTables, IN_WINDOW, POINTS, type ScoringSql, scoringOf } from '../points.js';
import { readSeasons, type SeasonRow } from '../seasons.js';
import { readEvidence } from './evidence.js';
import { linksOf } from './rules.js';

/** SQL condition: two wallets are not linked with each other. */
const apart = (one: string, two: string): string => `not (
  ${one} <> ${two} and ${one} in (select l.wallet from linked_wallet l) and ${two} in (select l.wallet from linked_wallet l)
  and exists (
    select from linked_wallet l join linked_wallet k using (cluster)
    where l.wallet = ${one} and k.wallet = ${two}
  )
)`;

const LINKS = { affected: (wallet: string) => `${wallet} in (select l.wallet from linked_wallet l)`, apart };

/**
 * Volume and round trips in the tickets of each agent. The round trips of an owner on a day are what it both bought and sold. The wallets
 * of a cluster are one owner. If a wallet is in several, the last one counts: that of its trades, if there is one.
 */
const VOLUMES = `
  select agent, sum(price) as volume, sum(2 * least(bought, sold)) as round_trips
  from (
    select agent, sum(price) as price, coalesce(sum(price) filter (where ${BUY}), 0) as bought,
      coalesce(sum(price) filter (where not ${BUY}), 0) as sold
    from transaction left join (
      select wallet, max(cluster) as cluster from linked_wallet where not leads group by wallet
    ) own on own.wallet = trader
    where ${IN_WINDOW}
    group by agent, coalesce(own.cluster::text, trader), (block_time at time zone 'UTC')::date
  ) day group by agent`;

/**
 * Stores the standings of a season without links. `$1` is the season, and `$2` the time of its points. `points` selects those of linked
 * agents; the others keep theirs.
 */
const storing = (points: string): string => `
  insert into unlinked_standing (season, agent, total_points, rank, linked_wallets, volume, round_trips, computed_at)
  select $1::int, s.agent, p.total, row_number() over (order by p.total desc, s.agent),
    coalesce((select links from linked_wallet l where l.wallet = s.agent limit 1), 0), coalesce(volumes.volume, 0),
    coalesce(volumes.round_trips, 0), $2::timestamptz
  from agent_season_points s
    left join (${points}) points on points.wallet = s.agent
    cross join lateral (select least(s.total_points, coalesce(points.total, s.total_points)) as total) p
    left join (${VOLUMES}) volumes on volumes.agent = s.agent
  where s.season = $1::int
  on conflict (season, agent) do update set total_points = excluded.total_points, rank = excluded.rank,
    linked_wallets = excluded.linked_wallets, volume = excluded.volume, round_trips = excluded.round_trips,
    computed_at = excluded.computed_at`;

const NO_POINTS = 'select null::varchar as wallet, null::float8 as total where false';

/** A season that was frozen longer ago is not computed: its points came from rows that may be gone. */
const FROZEN_FOR_MS = DAY_MS;

/** The seasons whose standings without links are older than their points, oldest first. */
async function dueSeasons(sql: Sql, now: Date): Promise<SeasonRow[]> {
  const due = await sql<{ number: number }>(
    `select number from season where scored_at is not null and coalesce(frozen_at > $1, true)
       and exists (select from agent_season_points p where p.season = number)
       and not exists (select from unlinked_standing u where u.season = number and u.computed_at = scored_at)`,
    [new Date(now.getTime() - FROZEN_FOR_MS).toISOString()],
  );
  const numbers = new Set(due.map(({ number }) => number));
  return (await readSeasons(sql)).filter(({ number }) => numbers.has(number));
}

/**
 * Computes the links of all wallets, and the standings without them, of each season that was scored since. It may be called at any time
 * and concurrently. It has a lock and transactions of its own, so that it delays no official points.
 */
export async function updateLinks(deps: IndexDeps): Promise<void> {
  const due = await dueSeasons(deps.sql, deps.clock.now());
  if (due.length === 0) return;
  const newest = (await readSeasons(deps.sql)).findLast(({ scoredAt }) => scoredAt !== null);
  // The newest season comes last, also if only an older one is due, because the links of the last one stay.
  for (const number of new Set([...due, ...(newest ? [newest] : [])].map((season) => season.number))) {
    const wallets = await withLock(deps, 'linked_wallet', async (sql) => {
      const seasons = await readSeasons(sql);
      const season = seasons.find((one) => one.number === number);
      const still = await dueSeasons(sql, deps.clock.now());
      const isDone = due.some((one) => one.number === number) && !still.some((one) => one.number === number);
      if (season?.scoredAt == null || isDone) return null;
      const run = await scoringOf(sql, { seasons, season, now: season.scoredAt }, LINKS);
      const found = await storeLinks(sql, run);
      // Without links, there is nothing to compute again.
      if (found > 0) await createTables(run);
      await run(storing(found > 0 ? POINTS : NO_POINTS), [number, season.scoredAt.toISOString()]);
      return found;
    });
    if (wallets !== null) deps.log.info({ season: number, wallets }, 'standings without linked wallets computed');
  }
}

/** Forgets how an agent registered, which is no fact of the chain, when it is deleted. */
export async function forgetRegistration(sql: Sql, wallet: string): Promise<void> {
  await sql(`delete from link_sign where $1 in (wallet, about) and kind in ('registeredTogether', 'hardlyTraded')`, [wallet]);
}

/** Replaces the stored links by those of the evidence. Returns the number of linked wallets. */
async function storeLinks(sql: Sql, run: ScoringSql): Promise<number> {
  const { wallets, signs } = linksOf(await readEvidence(run));
  await sql('delete from linked_wallet');
  await sql('delete from link_sign');
  await insertMany(sql, 'linked_wallet', {
    wallet: ['varchar', wallets.map(({ wallet }) => wallet)],
    cluster: ['int4', wallets.map(({ cluster }) => cluster)],
    leads: ['boolean', wallets.map(({ leads }) => leads)],
    links: ['int4', wallets.map(({ links }) => links)],
  });
  await insertMany(sql, 'link_sign', {
    cluster: ['int4', signs.map(({ cluster }) => cluster)],
    wallet: ['varchar', signs.map(({ wallet }) => wallet)],
    kind: ['text', signs.map(({ kind }) => kind)],
    about: ['varchar', signs.map(({ about }) => about)],
    figure: ['int4', signs.map(({ figure }) => figure)],
  });
  return wallets.length;
}
