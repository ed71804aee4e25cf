import type { Sql } from '../../store/sql.js';
import type { Wei } from '../../values/money.js';
import { type ComparableMarket, type Compared, comparableMarkets, levelsOf, tradedByTwoOthers } from './comparison.js';
import { walletAndDestination, walletsOfOwner } from './owners.js';
import { markStale } from './refresh.js';
import {
  benchmarkOf,
  boughtWorth,
  fakeCostOf,
  type Horizon,
  hasPaid,
  type Level,
  moveOf,
  soldWorth,
  windowMs,
  worthSum,
} from './rules.js';

/** Maximum number of calls that one step judges, each at all horizons that have ended. */
const CALLS_PER_STEP = 5;

/** A call at a horizon that has ended. */
export type Due = Compared & {
  /** Id of the trade. */
  readonly id: string;
  readonly author: string;
  readonly horizon: Horizon;
  readonly until: Date;
  readonly sale: boolean;
  readonly amount: number;
  readonly price: Wei;
  readonly protocolFee: Wei;
  readonly fees: Wei;
  /** Supply of the market after the trade. */
  readonly after: number;
  /** Whether the author, or the wallet that receives its fees, has sold at least half of the bought tickets since. */
  readonly soldHalf: boolean;
  /** Whether two other wallets, of different owners, have traded in the market since. */
  readonly hasVerdict: boolean;
  /** Fees and price of the newest trade at the end of the horizon. */
  readonly laterFees: Wei;
  readonly laterPrice: Wei;
};

const CALL = 't.block_number, t.log_index';
const SINCE_CALL = `x.block_time between t.block_time and o.until and (x.block_number, x.log_index) > (${CALL})`;

const DUE = `
  select t.event_id as id, o.tx_hash as "txHash", o.ordinal, o.horizon, o.until, t.trader as author, t.agent, t.amount, t.price,
    t.protocol_fee as "protocolFee", t.protocol_fee + t.agent_fee as fees, t.supply_after as after, sale.is as sale,
    t.supply_after + case when sale.is then t.amount else -t.amount end as before,
    t.block_number as block, t.log_index as log, t.block_time as time,
    owner.wallets as own,
    ${tradedByTwoOthers('t.agent', 'owner.wallets', SINCE_CALL, walletsOfOwner('one.trader', CALL))} as "hasVerdict",
    not sale.is and t.amount <= 2 * coalesce((
      select sum(x.amount) from transaction x
      where x.trader = any(owner.chosen) and x.agent = t.agent and x.realized_pnl is not null and ${SINCE_CALL}
    ), 0) as "soldHalf",
    later.fees as "laterFees", later.price as "laterPrice"
  from (
    select * from call_outcome where judged_block is null and until < $1 and (tx_hash, ordinal) in (
      select tx_hash, ordinal from call_outcome where judged_block is null and until < $1
      order by until, tx_hash, ordinal limit ${CALLS_PER_STEP}
    )
  ) o
  join transaction t on t.tx_hash = o.tx_hash and t.ordinal = o.ordinal
  cross join lateral (select t.realized_pnl is not null as is) sale
  cross join lateral (
    select ${walletsOfOwner('t.trader', CALL)} as wallets, ${walletAndDestination('t.trader', CALL)} as chosen offset 0
  ) owner
  cross join lateral (
    select r.protocol_fee + r.agent_fee as fees, r.price from transaction r where r.block_time <= o.until
    order by r.block_time desc, r.block_number desc, r.log_index desc limit 1
  ) later`;

/** Judges the next calls whose horizons have ended before `until`. Returns them. */
export async function judgeDue(sql: Sql, until: Date, block: number): Promise<Due[]> {
  const due = await sql<Due>(DUE, [until.toISOString()]);
  if (due.length === 0) return [];
  const calls = [...new Map(due.filter(({ hasVerdict }) => hasVerdict).map((call) => [keyOf(call), call])).values()];
  // The comparable markets of a call are the same at all horizons. A market may be drawn several times.
  const markets = Map.groupBy(await comparableMarkets(sql, calls), ({ call }) => keyOf(calls[call] as Due));
  const drawn = (call: Due) => (call.hasVerdict ? (markets.get(keyOf(call)) ?? []) : []);
  const pairs = due.flatMap((call) =>
    [...new Set([call.agent, ...drawn(call).map(({ agent }) => agent)])].map((agent) => ({ ...call, agent, call })),
  );
  const levels = await levelsOf(
    sql,
    pairs.map((pair) => ({ ...pair, from: new Date(pair.until.getTime() - windowMs(pair.horizon)) })),
  );
  const levelsIn = new Map(pairs.map(({ call, agent }, i) => [`${keyOf(call)} ${call.horizon} ${agent}`, levels[i] ?? []]));
  const judged = due.map((call) => {
    const levelsOfMarket = (agent: string) => levelsIn.get(`${keyOf(call)} ${call.horizon} ${agent}`) ?? [];
    const controls = drawn(call).map((market) => ({ market, levels: levelsOfMarket(market.agent) }));
    return { ...call, ...judgement(call, levelsOfMarket(call.agent), controls) };
  });
  await storeJudgements(sql, block, judged);
  await markStale(
    sql,
    judged.map(({ author }) => author),
  );
  return due;
}

const keyOf = ({ txHash, ordinal }: Due): string => `${txHash} ${ordinal}`;

type Control = { readonly market: ComparableMarket; readonly levels: readonly Level[] };

type Judgement = {
  readonly move: number;
  readonly value: Wei;
  readonly benchmark: number | null;
  readonly controls: readonly number[] | null;
  readonly paid: boolean | null;
  readonly fakeCost: Wei | null;
};

/** The judgement of a call. `controls` are the comparable markets. */
function judgement(call: Due, levels: readonly Level[], controls: readonly Control[]): Judgement {
  const { sale, before, amount, price, fees, laterFees, laterPrice } = call;
  const worth = sale ? soldWorth(before, amount) : boughtWorth(before, amount);
  const towards = (move: number) => (sale ? -move : move) + 0;
  const mean = worthSum(worth, levels);
  const own = { move: towards(moveOf(worth, levels)), value: mean.sum / mean.seconds };
  if (!call.hasVerdict) return { ...own, benchmark: null, controls: null, paid: null, fakeCost: null };
  // What the same purchase would have become in each of the other markets. Their levels lack these tickets.
  const moves = controls.map(({ market, levels: theirs }) => {
    const including = theirs.map(({ supply, ...level }) => ({ ...level, supply: supply + amount }));
    return moveOf(boughtWorth(market.supply, amount), including);
  });
  const settlement = { sale, paid: sale ? price - fees : price + fees, rate: { fees: laterFees, price: laterPrice } };
  const paid = hasPaid(settlement, mean);
  return {
    ...own,
    benchmark: towards(benchmarkOf(moves)),
    controls: call.horizon === '1d' ? moves.map(towards) : null,
    paid,
    fakeCost: paid ? fakeCostOf(call, levels) : null,
  };
}

const storeJudgements = (sql: Sql, block: number, judged: readonly (Due & Judgement)[]): Promise<object[]> =>
  sql(
    `update call_outcome set judged_block = $1, move = given.move, benchmark = given.benchmark, paid = given.paid, value = given.value,
       controls = given.controls::int[], fake_cost = given.fake_cost, sold_half = given.sold_half
     from unnest($2::varchar[], $3::int[], $4::varchar[], $5::int[], $6::int[], $7::boolean[], $8::numeric[], $9::text[], $10::numeric[],
       $11::boolean[]) as given(tx_hash, ordinal, horizon, move, benchmark, paid, value, controls, fake_cost, sold_half)
     where call_outcome.tx_hash = given.tx_hash and call_outcome.ordinal = given.ordinal and call_outcome.horizon = given.horizon`,
    [
      block,
      judged.map(({ txHash }) => txHash),
      judged.map(({ ordinal }) => ordinal),
      judged.map(({ horizon }) => horizon),
      judged.map(({ move }) => move),
      judged.map(({ benchmark }) => benchmark),
      judged.map(({ paid }) => paid),
      judged.map(({ value }) => String(value)),
      judged.map(({ controls }) => controls && `{${controls}}`),
      judged.map(({ fakeCost }) => fakeCost && String(fakeCost)),
      judged.map(({ soldHalf }) => soldHalf),
    ],
  );
