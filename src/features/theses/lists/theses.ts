import type { Deps } from '../../../deps.js';
import type { OffsetPage } from '../../../store/pages.js';
import { type TradeRow, tradesByIds, tradesOf } from '../../trading/trades.js';
import { type OutcomeRow, outcomesOf, thesisTotals } from '../outcomes.js';
import type { ShownEligibility } from '../theses.js';

/** A trade with a thesis, and the outcomes of the call. */
export type ThesisRow = TradeRow & {
  readonly eligibility: ShownEligibility;
  readonly givenAt: Date;
  readonly outcomes: readonly OutcomeRow[];
};

/** A page of the theses of an author, newest trade first, and the number of all. */
export async function thesesOf(deps: Deps, author: string, page: OffsetPage) {
  const [trades, totals] = await Promise.all([
    tradesOf(deps, [author], { side: 'made', withThesis: true, page }),
    thesisTotals(deps, [author]),
  ]);
  return { theses: await withOutcomes(deps, trades.get(author) ?? []), total: totals.get(author) ?? 0 };
}

/** The thesis of the trade with this id. undefined if there is no such trade, or if it has no thesis. */
export async function thesisById(deps: Deps, id: string): Promise<ThesisRow | undefined> {
  const trades = await tradesByIds(deps, [id]);
  return (await withOutcomes(deps, [...trades.values()]))[0];
}

async function withOutcomes(deps: Deps, trades: readonly TradeRow[]): Promise<ThesisRow[]> {
  const given = trades.flatMap(({ eligibility, givenAt, ...trade }) =>
    eligibility === null || givenAt === null ? [] : [{ ...trade, eligibility, givenAt }],
  );
  const outcomes = await outcomesOf(
    deps,
    given.map(({ id }) => id),
  );
  return given.map((trade) => ({ ...trade, outcomes: outcomes.get(trade.id) ?? [] }));
}
