import type { Deps } from '../../deps.js';
import type { Wei } from '../../values/money.js';
import { fromMillionths, type Horizon, hasFollowed } from './rules.js';

/** The outcome of a call. `trade` is the id of its trade. What comes after `state` is null while the outcome is open. */
export type OutcomeRow = {
  readonly trade: string;
  readonly horizon: Horizon;
  readonly until: Date;
  readonly state: 'open' | 'provisional' | 'final';
  readonly hasVerdict: boolean | null;
  /** `move`, `benchmark` and `excess` are natural logarithms, exact to six decimals. */
  readonly move: number | null;
  readonly benchmark: number | null;
  readonly excess: number | null;
  readonly followed: boolean | null;
  readonly paid: boolean | null;
  readonly value: Wei | null;
};

/** An outcome as it is stored. `move` and `benchmark` are in millionths. */
type StoredOutcome = Omit<OutcomeRow, 'hasVerdict' | 'excess' | 'followed'>;

/**
 * The outcomes of the calls with these trades, by the id of the trade, shortest horizon first. After a reorg, an outcome that may have
 * changed is open until it is judged again.
 */
export async function outcomesOf(deps: Deps, trades: readonly string[]): Promise<Map<string, OutcomeRow[]>> {
  const rows = await deps.sql<StoredOutcome>(
    `select t.event_id as trade, o.horizon, o.until, o.move, o.benchmark, o.paid, o.value,
       case when o.judged_block is null or o.until >= c.changed_from and o.judged_block > c.changed_block then 'open'
         when c.block_number - o.judged_block >= $2 then 'final' else 'provisional' end as state
     from transaction t join call_outcome o on o.tx_hash = t.tx_hash and o.ordinal = t.ordinal cross join indexer_cursor c
     where t.event_id = any($1::text[]) order by o.until`,
    [trades, deps.config.confirmations],
  );
  return Map.groupBy(rows.map(shown), ({ trade }) => trade);
}

function shown({ trade, horizon, until, ...stored }: StoredOutcome): OutcomeRow {
  const { state, move, benchmark, paid, value } = stored;
  const place = { trade, horizon, until, state };
  if (state === 'open' || move === null) {
    return { ...place, hasVerdict: null, move: null, benchmark: null, excess: null, followed: null, paid: null, value: null };
  }
  const known = { ...place, move: fromMillionths(move), value };
  if (benchmark === null) return { ...known, hasVerdict: false, benchmark, excess: null, followed: null, paid };
  const excess = fromMillionths(move - benchmark);
  return { ...known, hasVerdict: true, benchmark: fromMillionths(benchmark), excess, followed: hasFollowed({ excess }), paid };
}

/** Number of theses of each author, also those whose text is hidden or deleted. */
export async function thesisTotals(deps: Deps, authors: readonly string[]): Promise<Map<string, number>> {
  const rows = await deps.sql<{ author: string; total: number }>(
    `select h.author, count(*) as total from reason h join transaction t on t.tx_hash = h.tx_hash and t.ordinal = h.ordinal
     where h.author = any($1::text[]) and t.trader = h.author group by h.author`,
    [authors],
  );
  return new Map(rows.map(({ author, total }) => [author, total]));
}
