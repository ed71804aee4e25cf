import { createHash } from 'node:crypto';
import { arraysOf, type Column, type Sql, unnest } from '../../store/sql.js';
import type { Level } from './rules.js';

/** A call, as far as it decides which markets are comparable. `block` and `log` are the place of its trade on the chain. */
export type Compared = {
  readonly txHash: string;
  readonly ordinal: number;
  /** Wallets of the author, see `walletsOfOwner`. */
  readonly own: readonly string[];
  readonly agent: string;
  /** Supply of the agent's market before the trade. */
  readonly before: number;
  readonly block: number;
  readonly log: number;
  readonly time: Date;
};

/** A market at the time of a call: the supply right before its trade. `call` is the place of the call in the given list. */
export type ComparableMarket = { readonly call: number; readonly agent: string; readonly supply: number };

/** Number of markets that a call is compared with. More would change the mean by little, and take longer. */
export const COMPARED_MARKETS = 20;
/** With fewer different comparable markets, a call is compared with markets of any size and activity. */
export const FEWEST_MARKETS = 5;
/** Maximum number of markets that are looked at for one draw. */
const LOOKED_AT = 50;

/**
 * SQL condition: two wallets other than those of the author (`own`, an array) traded in a market. `which` limits the trades, which have
 * the alias `x`. `ofOne` is an array with the wallets of the owner of `one.trader`. Sorted by time, the trades come from the index of
 * their times, and the first ones usually suffice.
 */
export const tradedByTwoOthers = (market: string, own: string, which: string, ofOne = 'array[one.trader]'): string => {
  const first = (columns: string, others: string) =>
    `select ${columns} from transaction x where x.agent = ${market} and ${others} and ${which}
     order by x.block_time desc, x.block_number desc, x.log_index desc limit 1`;
  const isOther = `x.trader <> all(${own})`;
  return `exists (
    select from (${first('x.trader', isOther)}) one
    cross join lateral (select ${ofOne} as wallets offset 0) of_one
    cross join lateral (${first('', `${isOther} and x.trader <> all(of_one.wallets)`)}) two
  )`;
};

/** The next markets after a drawn wallet, at most LOOKED_AT. After the last wallet comes the first. */
const next = (turn: number, range: string): string => `(
  select ${turn} as turn, m.wallet from market m
  where ${range} and (m.block_number, m.log_index) < (given.block, given.log)
  order by m.wallet limit ${LOOKED_AT}
)`;

/** The first of the next markets that is comparable with the call `given`. */
const drawnMarket = (where: string): string => `
  select looked.wallet as agent, state.supply from (
    select * from (${next(0, 'm.wallet > given.drawn')} union all ${next(1, 'm.wallet <= given.drawn')}) part
    order by turn, wallet limit ${LOOKED_AT}
  ) looked cross join lateral (
    select coalesce((
      select t.supply_after from transaction t
      where t.agent = looked.wallet and (t.block_number, t.log_index) < (given.block, given.log)
      order by t.block_number desc, t.log_index desc limit 1
    ), 1) as supply offset 0
  ) state where looked.wallet <> all(given.own) and looked.wallet <> given.agent and ${where} order by looked.turn, looked.wallet limit 1`;

const IN_7_DAYS = `x.block_time > given.time - interval '7 days' and x.block_time <= given.time
  and (x.block_number, x.log_index) < (given.block, given.log)`;
const COMPARABLE = `state.supply * 2 >= given.before and state.supply <= given.before * 2
  and ${tradedByTwoOthers('looked.wallet', 'given.own', IN_7_DAYS)}`;

/**
 * Markets to compare each call with: of half to double its size, in which two wallets other than the author's traded in the 7 days
 * before. Without enough of them: any markets. Each is the next one after a wallet that is drawn from the key of the call, and may be
 * drawn several times. So every run finds the same, and markets whose wallets lie close together are drawn seldom.
 */
export async function comparableMarkets(sql: Sql, calls: readonly Compared[]): Promise<ComparableMarket[]> {
  const all = calls.map((call, k) => ({ ...call, k }));
  const similar = await marketsFor(sql, all, COMPARABLE);
  const found = Map.groupBy(similar, ({ call }) => call);
  const lacking = all.filter(({ k }) => new Set(found.get(k)?.map(({ agent }) => agent)).size < FEWEST_MARKETS);
  const lacks = new Set(lacking.map(({ k }) => k));
  return [...similar.filter(({ call }) => !lacks.has(call)), ...(await marketsFor(sql, lacking, 'true'))];
}

type Numbered = Compared & { readonly k: number };

async function marketsFor(sql: Sql, calls: readonly Numbered[], where: string): Promise<ComparableMarket[]> {
  if (calls.length === 0) return [];
  const draws = calls.flatMap((call) =>
    Array.from({ length: COMPARED_MARKETS }, (_, i) => ({ ...call, drawn: drawnWallet(call, i) })),
  );
  const keys: Record<string, Column> = {
    k: ['int4', draws.map(({ k }) => k)],
    wallets: ['text', draws.map(({ own }) => `{${own}}`)],
    agent: ['varchar', draws.map(({ agent }) => agent)],
    before: ['int8', draws.map(({ before }) => before)],
    block: ['int8', draws.map(({ block }) => block)],
    log: ['int4', draws.map(({ log }) => log)],
    time: ['timestamptz', draws.map(({ time }) => time)],
    drawn: ['varchar', draws.map(({ drawn }) => drawn)],
  };
  return sql<ComparableMarket>(
    `select given.k as call, found.agent, found.supply from ${withOwn(keys)} cross join lateral (${drawnMarket(where)}) found`,
    arraysOf(keys),
  );
}

/** The given rows, with the texts `wallets` as arrays `own`. `offset 0` converts each once. */
const withOwn = (keys: Record<string, Column>): string =>
  `(select *, wallets::varchar[] as own from ${unnest(keys)} offset 0) given`;

/** A number in the form of a wallet, drawn from the key of a call and the number of the draw. */
const drawnWallet = ({ txHash, ordinal }: Compared, draw: number): string =>
  `0x${createHash('sha256').update(`${txHash}:${ordinal}:${draw}`).digest('hex').slice(0, 40)}`;

/** A market whose supply is followed after a call: from the place of its trade, in a window that ends the horizon. */
export type Followed = Pick<Compared, 'own' | 'agent' | 'block' | 'log'> & { readonly from: Date; readonly until: Date };

/**
 * How long each supply stood in the window of each market, without what the author's wallets traded there after the call. The lists are in the
 * order of the given markets.
 */
export async function levelsOf(sql: Sql, markets: readonly Followed[]): Promise<Level[][]> {
  const keys: Record<string, Column> = {
    k: ['int4', markets.map((_, k) => k)],
    wallets: ['text', markets.map(({ own }) => `{${own}}`)],
    agent: ['varchar', markets.map(({ agent }) => agent)],
    block: ['int8', markets.map(({ block }) => block)],
    log: ['int4', markets.map(({ log }) => log)],
    since: ['timestamptz', markets.map(({ from }) => from)],
    until: ['timestamptz', markets.map(({ until }) => until)],
  };
  const rows = await sql<Level & { k: number }>(
    `select k, supply, sum(seconds)::int as seconds from (
       select given.k, state.supply - sum(state.own) over places as supply,
         extract(epoch from lead(state.at, 1, given.until) over places - state.at) as seconds
       from ${withOwn(keys)} cross join lateral (${STATES}) state
       window places as (partition by given.k order by state.block, state.log)
     ) level where seconds > 0 group by k, supply`,
    arraysOf(keys),
  );
  const levels: Level[][] = markets.map(() => []);
  for (const { k, supply, seconds } of rows) levels[k]?.push({ supply: Number(supply), seconds });
  return levels;
}

/** Only sales have a realized profit. */
const OWN = 'case when t.realized_pnl is not null then -t.amount else t.amount end';

/** The states of a market in the window: at its start, and after each trade in it. `own` is what the author's wallets added in between. */
const STATES = `
  select given.since as at, -1::bigint as block, -1 as log,
    coalesce((
      select t.supply_after from transaction t where t.agent = given.agent and t.block_time <= given.since
      order by t.block_time desc, t.block_number desc, t.log_index desc limit 1
    ), 1) as supply,
    coalesce((
      select sum(${OWN}) from transaction t
      where t.trader = any(given.own) and t.agent = given.agent and (t.block_number, t.log_index) > (given.block, given.log)
        and t.block_time <= given.since
    ), 0) as own
  union all
  select t.block_time, t.block_number, t.log_index, t.supply_after, case when t.trader = any(given.own) then ${OWN} else 0 end
  from transaction t
  where t.agent = given.agent and t.block_time > given.since and t.block_time <= given.until`;
