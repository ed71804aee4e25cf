import { useState } from 'preact/hooks';

type Ranked = { readonly agent: { readonly id: string } | null };

export type SteadyRows<Row> = {
  readonly rows: readonly Row[];
  /** Whether the present list has other agents than the shown rows, or the same agents in another order. */
  readonly isReordered: boolean;
};

/**
 * Updates the values of the shown rows. Each row keeps its place, which is its rank, so that nothing moves. `latest` are
 * the rows of the present list, of which only the first `asked` were read.
 */
export function steadyRows<Row extends Ranked>(
  shown: readonly Row[],
  latest: readonly Row[],
  asked: number,
): SteadyRows<Row> {
  const byAgent = new Map(latest.map((row) => [row.agent?.id, row]));
  const order = (rows: readonly Row[]) => rows.map(({ agent }) => agent?.id).join();
  return {
    rows: shown.map((row) => byAgent.get(row.agent?.id) ?? row),
    isReordered: order(shown.slice(0, asked)) !== order(latest),
  };
}

/**
 * The list that the page shows: the list that it read first, until the reader asks for the present list. A new `first`
 * is shown immediately.
 */
export function useChosen<List>(first: List | undefined): [List | undefined, (list: List) => void] {
  const [chosen, setChosen] = useState<{ readonly first: List | undefined; readonly list: List } | undefined>(
    undefined,
  );
  return [chosen && chosen.first === first ? chosen.list : first, (list) => setChosen({ first, list })];
}
