import type { Sql } from '../../store/sql.js';
import { DAY_MS } from '../../values/time.js';
import { momentOf } from './rules.js';
import type { SeasonRow } from './seasons.js';

// Computes the points of a season in SQL (docs/scoring.md has the formulas). Each text in `tables` creates one temporary table.
// `scoringOf` puts parameters in the place of `@start` and `@moment`, the bounds of the scoring window, and conditions in the place of
// `@affected(wallet)` and `@apart(one, two)`, which are always true unless points without links are computed (`links/`). Sums over rows
// use integers and numerics, not floats: sums of floats depend on the order of the rows, which the planner chooses.

export const BUY = "type in ('BUY', 'AGENT_BUY')";
export const IN_WINDOW = 'block_time >= @start and block_time < @moment';
const CREATED_IN_WINDOW = 'created_at >= @start and created_at < @moment';
const OTHERS = 'join agent other on other.wallet = agent where agent <> holder and other.created_at < @moment';
const STANDING = '(removed_at is null or removed_at >= @moment)';

/** The temporary tables, in the order in which they are created: later tables read earlier tables. */
const tables = {
  /**
   * All agents that existed at the moment whose state is scored (`@moment`). Integer ids make the rows of the table `pairs` small
   * (8 bytes per pair).
   */
  scored: `select row_number() over ()::int as id, wallet, coalesce(claimed_at < @moment, false) as claimed,
      case when referred_at < @moment and @apart(agent.wallet, agent.referred_by) then referred_by end as referrer
    from agent where created_at < @moment`,

  /**
   * Net purchases after the moment, per position; empty if the moment is now. The position at the moment is the current holding
   * minus them.
   */
  later: `select agent, trader as holder, sum(case when ${BUY} then amount else -amount end) as bought
    from transaction where block_time >= @moment group by agent, trader`,

  /**
   * Positions that have changed since the moment, as they were at the moment, with the time when their balance last rose from 0.
   * If `ticket_holding` does not tell that time, the trades of the window are read backwards. Without such a trade, the position
   * existed at the start of the window, or since the registration if that is later.
   */
  changed: `with standing as (
      select later.agent, later.holder, coalesce(h.amount, 0) - later.bought as amount, m.registered_at,
        case when h.since < @moment then h.since end as since
      from later join market m on m.wallet = later.agent and m.registered_at < @moment
      left join ticket_holding h on h.agent = later.agent and h.holder = later.holder
    ), risen as (
      select agent, holder, max(block_time) as since
      from (
        select t.agent, t.trader as holder, t.block_time,
          s.amount - sum(case when t.${BUY} then t.amount else -t.amount end)
            over (partition by t.agent, t.trader order by t.block_number desc, t.log_index desc) as before
        from standing s join transaction t on t.agent = s.agent and t.trader = s.holder and ${IN_WINDOW}
        where s.amount > 0 and s.since is null
      ) backwards
      where before = 0 group by agent, holder
    )
    select s.agent, s.holder, coalesce(s.since, r.since, greatest(s.registered_at, @start)) as since
    from standing s left join risen r on r.agent = s.agent and r.holder = s.holder where s.amount > 0`,

  /**
   * Holders of each agent's tickets, and the sum of their holding times since the start of the window, in microseconds. Computed
   * as all current holdings, minus the positions that changed since the moment, plus the state of these at the moment. The first
   * part reads no temporary table, because PostgreSQL reads temporary tables without parallel workers.
   */
  holders: `select agent, sum(holders) as holders, sum(held) as held
    from (
      select agent, count(*) as holders, sum(${heldFor('since')}) as held
      from ticket_holding where since < @moment and @affected(agent) and @apart(agent, holder) group by agent
      union all
      select agent, -count(*), -sum(${heldFor('h.since')})
      from ticket_holding h join later using (agent, holder)
      where h.since < @moment and @affected(agent) and @apart(agent, holder) group by agent
      union all
      select agent, count(*), sum(${heldFor('since')}) from changed where @affected(agent) and @apart(agent, holder) group by agent
    ) part group by agent having sum(holders) > 0`,

  /** Number of tickets of each agent that wallets hold which are linked with it. */
  linked: `select agent, sum(amount) as amount
    from (
      select agent, amount from ticket_holding where @affected(agent) and not @apart(agent, holder)
      union all
      select agent, -bought from later where @affected(agent) and not @apart(agent, holder)
    ) part group by agent`,

  /** Number of other agents whose tickets a wallet holds at the moment. Computed in three parts, like `holders`. */
  portfolios: `select holder, sum(others) as others
    from (
      select holder, count(*) as others from ticket_holding ${OTHERS} and since < @moment
        and @affected(holder) and @apart(holder, agent) group by holder
      union all
      select holder, -count(*) from ticket_holding h join later using (agent, holder) ${OTHERS} and h.since < @moment
        and @affected(holder) and @apart(holder, agent) group by holder
      union all
      select holder, count(*) from changed ${OTHERS}
        and @affected(holder) and @apart(holder, agent) group by holder
    ) part group by holder`,

  volumes: `select agent, sum(price) as volume from transaction
    where ${IN_WINDOW} and @affected(agent) and @apart(agent, trader) group by agent`,

  /** Pairs of agents that bought each other's tickets. Each pair counts once for each of its two agents. */
  pairs: `with pair as (
      select least(buyer.id, seller.id) as one, greatest(buyer.id, seller.id) as two
      from transaction t join scored buyer on buyer.wallet = t.trader join scored seller on seller.wallet = t.agent
      where ${IN_WINDOW} and ${BUY} and @apart(t.agent, t.trader)
      group by 1, 2 having bool_or(buyer.id < seller.id) and bool_or(buyer.id > seller.id)
    )
    select id, count(*) as pairs from (select one as id from pair union all select two from pair) side group by id`,

  /**
   * Activity of each wallet in the window, including actions that were undone later, and the number of days with activity. Days
   * are bits of a bit string, because one small row per wallet is cheaper to hash than one row per day.
   */
  acted: `select actor, bit_count(bit_or(days)) as days, bool_or(bought) as bought, bool_or(sold) as sold,
      sum(posts) as posts
    from (
      select trader as actor, ${daysOf('block_time')} as days, bool_or(${BUY}) as bought, bool_or(not ${BUY}) as sold,
        0 as posts
      from transaction where ${IN_WINDOW} group by trader
      union all
      select agent, ${daysOf('created_at')}, false, false, count(*)
      from agent_activity where ${CREATED_IN_WINDOW} group by agent
      union all
      select follower, ${daysOf('created_at')}, false, false, 0
      from agent_follow where ${CREATED_IN_WINDOW} group by follower
      union all
      select actor, ${daysOf('created_at')}, false, false, 0 from reaction where ${CREATED_IN_WINDOW} group by actor
    ) act group by actor`,

  /** Likes, reposts and follows that an agent received in the window and that were not undone by the moment. */
  engaged: `select wallet, sum(likes) as likes, sum(reposts) as reposts, sum(follows) as follows
    from (
      select p.agent as wallet, count(*) filter (where r.kind = 'like') as likes,
        count(*) filter (where r.kind = 'repost') as reposts, 0 as follows
      from (select post, kind, actor from reaction where ${CREATED_IN_WINDOW} and ${STANDING}) r
        join agent_activity p on p.id = r.post and @affected(p.agent) and @apart(p.agent, r.actor)
      group by p.agent
      union all
      select followed, 0, 0, count(*) from agent_follow where ${CREATED_IN_WINDOW} and ${STANDING}
        and @affected(followed) and @apart(followed, follower) group by followed
    ) received group by wallet`,

  /** Number of agents that each agent referred, and how many of them were active: they traded or posted in the window. */
  referrals: `select scored.referrer as wallet, count(*) as referred,
      count(*) filter (where acted.bought or acted.sold or acted.posts > 0) as active
    from scored left join acted on acted.actor = scored.wallet
    where scored.referrer is not null group by scored.referrer`,
};

/** SQL for the time that a position has existed within the window, in microseconds. */
function heldFor(since: string): string {
  return `(date_part('epoch', @moment - greatest(${since}, @start)) * 1e6)::bigint`;
}

/** SQL for a bit string with a bit for each UTC day of the window (`@nodays` has only zeros). The days of the times are set. */
function daysOf(time: string): string {
  return `bit_or(set_bit(@nodays, (${time} at time zone 'UTC')::date - @firstday, 1))`;
}

const categories = [
  'price',
  'holder',
  'volume',
  'holding',
  'cross_trading',
  'diversity',
  'uptime',
  'consistency',
  'age',
  'engagement',
] as const;
const sumOfCategories = categories.map((name) => `c.${name}`).join(' + ');
const columns = [...categories.map((name) => `${name}_points`), 'referral_points', 'verified_bonus', 'total_points'];

/** The points of each agent, from the temporary tables. `supply * supply / 50000` is the price of a ticket in ETH. */
export const POINTS = `
  select scored.wallet, ${categories.map((name) => `c.${name}`).join(', ')},
    r.referral, b.verified, o.own + r.referral + b.verified as total, v.season_age
  from scored
    left join market on market.wallet = scored.wallet and market.registered_at < @moment
    left join (select agent, sum(bought) as bought from later group by agent) taken on taken.agent = scored.wallet
    left join linked on linked.agent = scored.wallet
    left join holders on holders.agent = scored.wallet
    left join volumes on volumes.agent = scored.wallet
    left join portfolios on portfolios.holder = scored.wallet
    left join pairs on pairs.id = scored.id
    left join acted on acted.actor = scored.wallet
    left join engaged on engaged.wallet = scored.wallet
    left join referrals on referrals.wallet = scored.wallet
    left join agent_season_points earlier on earlier.season = @previous and earlier.agent = scored.wallet
    cross join lateral (select
      coalesce(market.supply - coalesce(taken.bought, 0) - coalesce(linked.amount, 0), 0)::numeric as supply,
      coalesce(holders.holders, 0)::float8 as holders,
      coalesce(holders.held / holders.holders / 86400e6, 0)::float8 as holding_days,
      coalesce(volumes.volume / 1e18, 0)::float8 as volume,
      coalesce(earlier.season_age + 1, 0) as season_age,
      coalesce(referrals.active, 0)::float8 as active,
      coalesce(referrals.referred, 0)::float8 as referred
    ) v
    cross join lateral (select
      (v.supply * v.supply / 50000)::float8 * 10 as price,
      v.holders * 0.2 as holder,
      v.volume * 2 as volume,
      v.holding_days * v.holders * 0.05 as holding,
      coalesce(pairs.pairs, 0)::float8 * 0.5 as cross_trading,
      coalesce(portfolios.others, 0)::float8 * 0.1 as diversity,
      coalesce(acted.days, 0)::float8 * 0.1 as uptime,
      case when (acted.bought and acted.sold) or acted.posts >= 3 then 0.3::float8 else 0 end as consistency,
      case when v.season_age >= 2 then (v.season_age - 1)::float8 * 0.1 else 0 end as age,
      coalesce(engaged.likes, 0)::float8 * 0.1 + coalesce(engaged.reposts, 0)::float8 * 0.2
        + coalesce(engaged.follows, 0)::float8 * 0.05 as engagement
    ) c
    cross join lateral (select ${sumOfCategories} as own) o
    cross join lateral (select v.active * 10 + (v.referred - v.active) * 2
      + case when scored.referrer is not null and v.season_age = 0 then o.own * 0.2 else 0 end as referral) r
    cross join lateral (select case when scored.claimed then (o.own + r.referral) * 0.2 else 0 end as verified) b
  where @affected(scored.wallet)`;

/** Stores the points and the rank of each agent. `$1` is the season, `$2` the time of the computation. */
const STORE = `insert into agent_season_points (season, agent, ${columns.join(', ')}, season_age, rank, computed_at)
  select $1::int, wallet, ${categories.join(', ')}, referral, verified, total, season_age,
    row_number() over (order by total desc, wallet), $2::timestamptz
  from (${POINTS}) points
  on conflict (season, agent) do update set
    ${[...columns, 'season_age', 'rank', 'computed_at'].map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** The season to score, all seasons, and the time to which it is scored. */
export type Scoring = { readonly seasons: readonly SeasonRow[]; readonly season: SeasonRow; readonly now: Date };

/** SQL conditions for points without links: whether a wallet has links, and whether two wallets have none with each other. */
type Links = { readonly affected: (wallet: string) => string; readonly apart: (one: string, two: string) => string };
const NO_LINKS: Links = { affected: () => 'true', apart: () => 'true' };

/** Runs a statement of the scoring. `values` are those of its parameters; those of names such as `@moment` are added. */
export type ScoringSql = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** The statements of a scoring. The window starts at the end of the previous season, and ends at `momentOf(season, now)`. */
export async function scoringOf(sql: Sql, { seasons, season, now }: Scoring, links: Links = NO_LINKS): Promise<ScoringSql> {
  const previous = seasons.filter(({ number }) => number < season.number).at(-1);
  const start = previous?.endAt.toISOString() ?? '-infinity';
  const moment = momentOf(season, now);
  const first = previous?.endAt ?? (await earliest(sql)) ?? moment;
  const span = Math.floor(moment.getTime() / DAY_MS) - Math.floor(first.getTime() / DAY_MS) + 1;
  const variables: Readonly<Record<string, readonly [value: string | number | null, type: string]>> = {
    '@start': [start, 'timestamptz'],
    '@moment': [moment.toISOString(), 'timestamptz'],
    '@firstday': [first.toISOString().slice(0, 10), 'date'],
    '@nodays': ['0'.repeat(Math.max(1, span)), 'varbit'],
    '@previous': [previous?.number ?? null, 'int'],
  };
  // Scoring runs a few large queries: the default `work_mem` is too small for them, and JIT compilation takes longer than it
  // saves.
  await sql("set local work_mem = '64MB'");
  await sql('set local jit = off');
  return <Row extends object>(text: string, values: readonly unknown[] = []) => {
    const all = [...values];
    let bound = text
      .replace(/@affected\(([^)]+)\)/g, (_, wallet: string) => links.affected(wallet))
      .replace(/@apart\(([^,]+), ([^)]+)\)/g, (_, one: string, two: string) => links.apart(one, two));
    for (const [name, [value, type]] of Object.entries(variables)) {
      if (!bound.includes(name)) continue;
      all.push(value);
      bound = bound.replaceAll(name, `$${all.length}::${type}`);
    }
    return sql<Row>(bound, all);
  };
}

/** Creates the temporary tables from which `POINTS` computes. */
export async function createTables(run: ScoringSql): Promise<void> {
  for (const [name, text] of Object.entries(tables)) {
    await run(`create temp table ${name} on commit drop as ${text}`);
    await run(`analyze ${name}`);
  }
}

/** Computes and stores the points of a season, and returns the number of agents. Requires the transaction of `withSeasonLock`. */
export async function computePoints(sql: Sql, scoring: Scoring): Promise<number> {
  const run = await scoringOf(sql, scoring);
  await createTables(run);
  await run(STORE, [scoring.season.number, scoring.now.toISOString()]);
  const [counted] = await run<{ agents: number }>('select count(*) as agents from scored');
  return counted?.agents ?? 0;
}

/** Time of the first trade, post, follow or reaction, any of which can make a day active. null if there is none. */
async function earliest(sql: Sql): Promise<Date | null> {
  const [row] = await sql<{ at: Date | null }>(
    `select least((select min(block_time) from transaction), (select min(created_at) from agent_activity),
       (select min(created_at) from agent_follow), (select min(created_at) from reaction)) as at`,
  );
  return row?.at ?? null;
}
