import { IN_WINDOW, type ScoringSql } from '../points.js';
import type { Evidence, Payment, Sibling, TradePair } from './rules.js';

// Reads the signs that wallets may have one owner. docs/links.md says what each sign is.

/** Minimum number of agents that a referrer refers within 10 minutes of each other, so that it tells something. */
const FEWEST_SIBLINGS = 3;
/** An agent hardly trades if its purchases cost less than this in all, in wei. */
const HARDLY_WEI = '1000000000000000';
/** Blocks with more traders do not count, because wallets meet there by chance. This also bounds the number of pairs. */
const MOST_TRADERS = 50;
/** Trades of larger bursts are not compared. This bounds the number of pairs, too. */
const MOST_SIBLINGS = 100;
/** Minimum number of trades of a wallet whose markets, days and sides are compared. */
const FEWEST_TRADES = 10;

/**
 * The trades that are compared: those of the window, and of 30 days at least, so that signs do not vanish when a season begins.
 */
const RECENT = IN_WINDOW.replace('@start', "least(@start, @moment - interval '30 days')");

/**
 * Who receives the fees of whom at the moment, as far as this links wallets. The fact has no time, so blocks from the first trade
 * after the moment on do not count.
 */
const PAYMENTS = `
  with paid as (
    select distinct on (agent) agent, destination from fee_destination
    where block_number < coalesce(
      (select block_number from transaction where block_time >= @moment order by block_time, block_number limit 1), 9223372036854775807
    )
    order by agent, block_number desc, log_index desc
  )
  select agent, destination, is_known as "isKnown"
  from (select *, count(*) over (partition by destination) as payers from paid where destination <> agent) paid
    cross join lateral (
      select exists (select from market where wallet = destination)
        or exists (select from wallet_ledger where wallet = destination)
        or exists (select from agent where wallet = destination) as is_known
    ) known
  where payers > 1 or is_known`;

/** Agents that registered within 10 minutes of others with the same referrer. */
const SIBLINGS = `
  with referred as (
    select wallet, referred_by as referrer, created_at,
      created_at - lag(created_at) over (partition by referred_by order by created_at, wallet) as pause
    from agent where referred_by is not null and referred_at < @moment and created_at < @moment
  ), bursts as (
    select wallet, referrer, count(*) filter (where pause > interval '10 minutes')
      over (partition by referrer order by created_at, wallet) as number
    from referred
  )
  select wallet, referrer, referrer || ' ' || number as burst, coalesce(bought, 0) < ${HARDLY_WEI} as "isIdle"
  from (select *, count(*) over (partition by referrer, number) as size from bursts) burst left join wallet_ledger using (wallet)
  where size >= ${FEWEST_SIBLINGS}`;

/**
 * Pairs with at least two signs, of which one is in their trades. `$1` and `$2` are the wallets of siblings and their bursts. Markets, days and sides are compared
 * only where another sign exists, because two signs are needed, and because comparing all pairs would take too long.
 */
const PAIRS = `
  with placed as materialized (select distinct trader, block_number from transaction where ${RECENT}),
  blocks as (select trader, count(*) as n from placed group by trader having count(*) >= 3),
  quiet as (select block_number from placed group by block_number having count(*) between 2 and ${MOST_TRADERS}),
  same_blocks as (
    select one.trader as one, two.trader as two, count(*)::int as n
    from quiet join placed one using (block_number) join placed two on two.block_number = one.block_number and two.trader > one.trader
      join blocks first on first.trader = one.trader join blocks second on second.trader = two.trader
    group by one.trader, two.trader, first.n, second.n
    having count(*) >= 3 and count(*) * 4 >= least(first.n, second.n)
  ),
  markets as (select trader, agent, sum(price) as volume, count(*) as trades from transaction where ${RECENT} group by trader, agent),
  most as (
    select trader, agent, div(volume * 100, total) as share
    from (select *, sum(volume) over (partition by trader) as total from markets) part where volume * 10 > total * 8
  ),
  each_other as (
    select one.trader as one, two.trader as two, least(one.share, two.share)::int as share
    from most one join most two on two.trader = one.agent and one.trader = two.agent where one.trader < two.trader
  ),
  active as (select trader from markets group by trader having sum(trades) >= ${FEWEST_TRADES}),
  siblings as (
    select sibling.wallet, sibling.burst from unnest($1::varchar[], $2::text[]) as sibling (wallet, burst)
  ),
  trading_siblings as (
    select wallet, burst from (
      select *, count(*) over (partition by burst) as size from siblings join active on active.trader = siblings.wallet
    ) one where size <= ${MOST_SIBLINGS}
  ),
  candidates as (
    select one, two from same_blocks union select one, two from each_other
    union select one.wallet, two.wallet from trading_siblings one join trading_siblings two on two.burst = one.burst and two.wallet > one.wallet
  ),
  compared as (
    select one, two from candidates
    where one in (select trader from active) and two in (select trader from active)
  ),
  acts as materialized (
    select distinct trader, agent, (block_time at time zone 'UTC')::date as day, realized_pnl is null as bought from transaction
    where ${RECENT} and trader in (select one from compared union select two from compared)
  ),
  sizes as (select trader, count(*) as n from acts group by trader),
  same_trades as (
    select one, two, (count(*) * 100 / (first.n + second.n - count(*)))::int as share
    from compared join acts on acts.trader = compared.one
      join acts other on other.trader = compared.two and other.agent = acts.agent and other.day = acts.day and other.bought = acts.bought
      join sizes first on first.trader = compared.one join sizes second on second.trader = compared.two
    group by one, two, first.n, second.n having count(*) * 10 >= 8 * (first.n + second.n - count(*))
  )
  select one, two, same_blocks.n as "sameBlocks", same_trades.share as "sameTrades", each_other.share as "eachOther"
  from same_blocks full join each_other using (one, two) full join same_trades using (one, two)
    left join siblings first on first.wallet = one left join siblings second on second.wallet = two
  where num_nonnulls(same_blocks.n, same_trades.share, each_other.share) + coalesce(first.burst = second.burst, false)::int >= 2`;

/** Reads the signs of all wallets at the moment of a scoring. */
export async function readEvidence(run: ScoringSql): Promise<Evidence> {
  const payments = await run<Payment>(PAYMENTS);
  const siblings = await run<Sibling>(SIBLINGS);
  const pairs = await run<TradePair>(PAIRS, [siblings.map(({ wallet }) => wallet), siblings.map(({ burst }) => burst)]);
  return { payments, siblings, pairs };
}
